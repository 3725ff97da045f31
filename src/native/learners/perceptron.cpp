#include "learners/perceptron.hpp"

#include <algorithm>
#include <cmath>

#include "engine/crew.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kInterceptId = ~std::uint64_t{0};
constexpr double kLongRow = 1.0 + 1e-9;  // a squared length that only a row without unit norm has
}  // namespace

PerceptronBank::PerceptronBank(std::size_t learners, Normalise normalise, bool random_start, LaneSeeds seeds,
                               double width)
    : BankWith(learners), normalise_(normalise), random_start_(random_start), seeds_(seeds),
      start_scale_(std::sqrt(width)), u_(layout.stride), offset_(normalise.intercept ? 1 : 0), norm2_(layout.stride),
      inv_(layout.stride), used_(layout.stride) {
    if (offset_ == 1) {
        double* row = u_.append();
        started_.push_back(kInterceptId);
        start_row(kInterceptId, row);
        for (std::size_t i = 0; i < layout.learners; ++i) norm2_[i] += row[i] * row[i];
    }
    refresh_inverse();
}

void PerceptronBank::start_row(std::uint64_t feature, double* row) const {
    if (!random_start_) return;
    for (std::size_t i = 0; i < layout.learners; ++i) row[i] = seeds_.start(i, feature) / start_scale_;
}

void PerceptronBank::refresh_inverse() {
    for (std::size_t i = 0; i < layout.stride; ++i) inv_[i] = 1.0 / std::sqrt(std::max(norm2_[i], 1.0));
}

// The rows of the features; one that is not alive yet counts with its start, exactly as if it came to life now.
void PerceptronBank::gather(PerceptronScratch& scratch) const {
    auto& rows = scratch.rows;
    const Row& row = *scratch.row;
    rows.resize(row.size() + offset_);
    auto& self = const_cast<PerceptronBank&>(*this);  // rows are written by update only
    if (offset_ == 1) rows[0] = self.u_.row(0);
    if (row.met) {
        self.u_.find(row.slots, offset_, rows.data() + offset_);
        scratch.unmet = 0;
        return;
    }
    std::size_t unmet = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (const std::int32_t slot = row.slots[k]; slot != Features::kUnseen) {
            rows[k + offset_] = self.u_.row(static_cast<std::size_t>(slot) + offset_);
            continue;
        }
        if (unmet == scratch.fresh.size()) scratch.fresh.emplace_back(layout.stride);
        Vector& fresh = scratch.fresh[unmet++];
        start_row(row.ids[k], fresh.data());
        rows[k + offset_] = fresh.data();
    }
    scratch.unmet = unmet;
}

void PerceptronBank::score(Scratch& shared) const {
    PerceptronScratch& scratch = own(shared);
    normalise_.apply(*scratch.row, scratch);
    gather(scratch);
    const double* inverse = inv_.data();
    if (scratch.unmet > 0) {
        std::copy(norm2_.begin(), norm2_.end(), scratch.inv.begin());
        for (std::size_t k = 0; k < scratch.unmet; ++k)
            for (std::size_t i = 0; i < layout.learners; ++i)
                scratch.inv[i] += scratch.fresh[k][i] * scratch.fresh[k][i];
        for (double& v : scratch.inv) v = 1.0 / std::sqrt(std::max(v, 1.0));
        inverse = scratch.inv.data();
    }
    const auto& rows = scratch.rows;
    sweep(scratch.threads, used_, rows.size(), [&](std::size_t from, std::size_t to) {
        kernels().linear_score(rows.data(), scratch.values.data(), rows.size(), inverse, scratch.s.data(),
                               scratch.h.data(), from, to);
        if (scratch.norm2 > kLongRow)
            for (std::size_t i = from; i < to; ++i) scratch.h[i] = std::clamp(scratch.h[i], -1.0, 1.0);
    });
}

void PerceptronBank::make_room(Scratch&, std::span<const FeatureId> fresh) {
    if (fresh.empty()) return;
    u_.make_room(u_.rows() + fresh.size());
    onlineboost::make_room(started_, started_.size() + fresh.size());
}

void PerceptronBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    if (from == ids.size()) return;
    for (std::size_t slot = from; slot < ids.size(); ++slot) {
        double* row = u_.append();
        started_.push_back(ids[slot]);
        start_row(ids[slot], row);
        for (std::size_t i = 0; i < layout.learners; ++i) norm2_[i] += row[i] * row[i];
    }
    refresh_inverse();
    gather(own(scratch));
}

void PerceptronBank::update(Scratch& shared, double y, const double* w) {
    PerceptronScratch& scratch = own(shared);
    sweep(scratch.threads, used_, scratch.rows.size(),
          [&](std::size_t from, std::size_t to) { teach(scratch, y, w, from, to); });
}

void PerceptronBank::teach(PerceptronScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    const auto& rows = scratch.rows;
    kernels().perceptron_update(rows.data(), scratch.values.data(), rows.size(), scratch.s.data(), w, y, scratch.norm2,
                                norm2_.data(), inv_.data(), from, to);
}

double PerceptronBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    PerceptronScratch& scratch = own(shared);
    // The score and the norm after an update follow from those before it; the coordinates wait for finish().
    const double step = w * y;
    if (step == 0.0) return scratch.h[i];
    for (unsigned t = 0; t < times && y * scratch.s[i] <= 0.0; ++t) {
        norm2_[i] += 2.0 * step * scratch.s[i] + step * step * scratch.norm2;
        scratch.s[i] += step * scratch.norm2;
        scratch.c[i] += step;
    }
    inv_[i] = 1.0 / std::sqrt(std::max(norm2_[i], 1.0));
    return std::clamp(scratch.s[i] * inv_[i], -1.0, 1.0);
}

void PerceptronBank::finish(Scratch& shared) {
    PerceptronScratch& scratch = own(shared);
    const auto& rows = scratch.rows;
    sweep(scratch.threads, layout.stride, rows.size(), [&](std::size_t from, std::size_t to) {
        kernels().add_rows(rows.data(), scratch.values.data(), rows.size(), scratch.c.data(), from, to);
    });
    std::fill(scratch.c.begin(), scratch.c.end(), 0.0);
}

void PerceptronBank::forget(std::size_t i) {
    norm2_[i] = 0.0;
    for (std::size_t r = 0; r < u_.rows(); ++r) {
        const double start = random_start_ ? seeds_.start(i, started_[r]) / start_scale_ : 0.0;
        u_.row(r)[i] = start;
        norm2_[i] += start * start;
    }
    inv_[i] = 1.0 / std::sqrt(std::max(norm2_[i], 1.0));
}

void PerceptronBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.table("coordinates", u_, layout.learners, ids.size() + offset_, Archive::kLargestCoordinate);
    archive.numbers("squared_norms", norm2_.data(), layout.learners);
    if (archive.loading()) started_.insert(started_.end(), ids.begin(), ids.end());
    refresh_inverse();
}

std::unique_ptr<Bank> PerceptronBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<PerceptronBank>(learners, Normalise::from(p), p.text("init") == "random",
                                            LaneSeeds::from(p), p.number("width"));
}

}  // namespace onlineboost
