#include "learners/online_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "engine/crew.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestScale = 1e-100;
}

OnlineGradientBank::OnlineGradientBank(std::size_t learners, Normalise normalise)
    : BankWith(learners), normalise_(normalise), v_(layout.stride), offset_(normalise.intercept ? 1 : 0),
      scale_(layout.stride, 1.0), norm2_(layout.stride), sum_sq_(layout.stride) {
    if (offset_ == 1) v_.append();
}

// Features that are not met yet are 0 in every hypothesis and take no part.
void OnlineGradientBank::gather(OnlineGradientScratch& scratch) const {
    const Row& row = *scratch.row;
    normalise_.apply(row, scratch);
    auto& rows = scratch.rows;
    auto& values = scratch.values;
    rows.resize(row.size() + offset_);                    // met or not: meet gathers again, without allocating
    auto& self = const_cast<OnlineGradientBank&>(*this);  // rows are written by update only
    if (offset_ == 1) rows[0] = self.v_.row(0);
    if (row.met) {
        self.v_.find(row.slots, offset_, rows.data() + offset_);
        return;
    }
    std::size_t kept = offset_;
    for (std::size_t k = 0; k < row.size(); ++k)
        if (const std::int32_t slot = row.slots[k]; slot != Features::kUnseen) {
            rows[kept] = self.v_.row(static_cast<std::size_t>(slot) + offset_);
            values[kept++] = values[k + offset_];
        }
    rows.resize(kept);
    values.resize(kept);
}

void OnlineGradientBank::make_room(Scratch&, std::span<const FeatureId> fresh) {
    if (!fresh.empty()) v_.make_room(v_.rows() + fresh.size());
}

void OnlineGradientBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    if (from == ids.size()) return;
    for (std::size_t slot = from; slot < ids.size(); ++slot) v_.append();
    gather(own(scratch));
}

void OnlineGradientBank::score(Scratch& shared) const {
    OnlineGradientScratch& scratch = own(shared);
    gather(scratch);
    const auto& rows = scratch.rows;
    const auto& values = scratch.values;
    // The score itself, unclipped, is what the update works with.
    sweep(scratch.threads, layout.stride, rows.size(), [&](std::size_t from, std::size_t to) {
        double *s = scratch.s.data(), *h = scratch.h.data(), *c = scratch.c.data();
        kernels().linear_score(rows.data(), values.data(), rows.size(), scale_.data(), c, s, from, to);
        std::copy(s + from, s + to, h + from);
        std::fill(c + from, c + to, 0.0);
        if (scratch.norm2 > 1.0)
            for (std::size_t i = from; i < to; ++i) h[i] = std::clamp(h[i], -1.0, 1.0);
    });
}

void OnlineGradientBank::update(Scratch& shared, double y, const double* w) {
    OnlineGradientScratch& scratch = own(shared);
    const Kernels& kernel = kernels();
    const auto& rows = scratch.rows;
    sweep(scratch.threads, layout.stride, rows.size(), [&](std::size_t from, std::size_t to) {
        kernel.gradient_step(scratch.s.data(), w, y, scratch.norm2, sum_sq_.data(), norm2_.data(), scale_.data(),
                             scratch.c.data(), from, to);
        kernel.add_rows(rows.data(), scratch.values.data(), rows.size(), scratch.c.data(), from, to);
        rescale(from, to);
    });
}

double OnlineGradientBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    OnlineGradientScratch& scratch = own(shared);
    if (!(w > 0.0)) return scratch.h[i];
    for (unsigned t = 0; t < times; ++t) {
        sum_sq_[i] += w * w * scratch.norm2;
        if (!(sum_sq_[i] > kSmallestSquare)) break;
        const double step = std::sqrt(2.0 / sum_sq_[i]) * (w * y);
        scratch.c[i] += step / scale_[i];
        double grown = norm2_[i] + 2.0 * step * scratch.s[i] + step * (step * scratch.norm2);
        scratch.s[i] += step * scratch.norm2;
        if (grown > 1.0) {
            const double length = std::sqrt(grown);
            scale_[i] /= length;
            scratch.s[i] /= length;
            grown = 1.0;
        }
        norm2_[i] = grown;
    }
    return std::clamp(scratch.s[i], -1.0, 1.0);
}

void OnlineGradientBank::finish(Scratch& shared) {
    OnlineGradientScratch& scratch = own(shared);
    const auto& rows = scratch.rows;
    sweep(scratch.threads, layout.stride, rows.size(), [&](std::size_t from, std::size_t to) {
        kernels().add_rows(rows.data(), scratch.values.data(), rows.size(), scratch.c.data(), from, to);
        rescale(from, to);
    });
    std::fill(scratch.c.begin(), scratch.c.end(), 0.0);
}

void OnlineGradientBank::forget(std::size_t i) {
    v_.fill_column(i, 0.0);
    scale_[i] = 1.0;
    norm2_[i] = sum_sq_[i] = 0.0;
}

void OnlineGradientBank::rescale(std::size_t from, std::size_t to) {
    if (*std::min_element(scale_.data() + from, scale_.data() + to) >= kSmallestScale) return;
    for (std::size_t i = from; i < std::min(to, layout.learners); ++i)
        if (scale_[i] < kSmallestScale) {
            for (std::size_t r = 0; r < v_.rows(); ++r) v_.row(r)[i] *= scale_[i];
            scale_[i] = 1.0;
        }
}

void OnlineGradientBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.table("coordinates", v_, layout.learners, ids.size() + offset_, Archive::kLargestCoordinate);
    archive.numbers("scales", scale_.data(), layout.learners, 1e-3 * kSmallestScale, 1.0);
    archive.numbers("squared_norms", norm2_.data(), layout.learners, -Archive::kLargest, 1.0);
    archive.sums("squared_weights", sum_sq_.data(), layout.learners);
}

std::unique_ptr<Bank> OnlineGradientBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<OnlineGradientBank>(learners, Normalise::from(p));
}

}  // namespace onlineboost
