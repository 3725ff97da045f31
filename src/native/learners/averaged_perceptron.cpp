#include "learners/averaged_perceptron.hpp"

#include <algorithm>
#include <cmath>

#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestClock = 1e30,
                 kLargestTimed = 1e170;  // 2^50 weights of 1e15, and the steps that they are multiplied with
}

AveragedPerceptronBank::AveragedPerceptronBank(std::size_t learners, Normalise normalise, Options options)
    : LinearBank(learners, normalise), options_(options), v_(layout.stride), clock_(layout.stride), uu_(layout.stride),
      uv_(layout.stride), vv_(layout.stride) {
    options_.width = std::sqrt(options.width);
    tables_.push_back(&v_);
    open();
}

bool AveragedPerceptronBank::start(std::uint64_t feature, double* row) const {
    if (!options_.random_start) return false;
    for (std::size_t i = 0; i < layout.learners; ++i) row[i] = options_.seeds.start(i, feature) / options_.width;
    return true;
}

void AveragedPerceptronBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    LinearBank::make_room(scratch, fresh);
    onlineboost::make_room(started_, started_.size() + fresh.size());
}

void AveragedPerceptronBank::begin(std::uint64_t feature) {
    started_.push_back(feature);
    const double* row = u_.row(u_.rows() - 1);
    for (std::size_t i = 0; i < layout.learners; ++i) uu_[i] += row[i] * row[i];
}

void AveragedPerceptronBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    const auto& rows = scratch.rows[1];
    if (is_sweep(from, to)) {
        kernels().linear_score(rows.data(), scratch.values.data(), rows.size(), scratch.s.data(), scratch.q.data(), h,
                               from, to);
    } else {
        for (std::size_t i = from; i < to; ++i) {
            scratch.q[i] = 0.0;
            for (std::size_t k = 0; k < rows.size(); ++k) scratch.q[i] += rows[k][i] * scratch.values[k];
        }
    }
    const double* uu = uu_.data();
    if (scratch.unmet > 0) {  // counted as if it came to life now
        std::copy(uu_.begin(), uu_.end(), scratch.inv.begin());
        for (std::size_t k = 0; k < scratch.unmet; ++k)
            for (std::size_t i = 0; i < layout.learners; ++i)
                scratch.inv[i] += scratch.fresh[k][i] * scratch.fresh[k][i];
        uu = scratch.inv.data();
    }
    kernels().averaged_output(scratch.s.data(), scratch.q.data(), clock_.data(), uu, uv_.data(), vv_.data(), h, from,
                              to);
}

void AveragedPerceptronBank::learn(LinearScratch& scratch, double y, const double* w, std::size_t from,
                                   std::size_t to) {
    double* back = scratch.inv.data();
    kernels().averaged_step(scratch.s.data(), scratch.q.data(), w, y, scratch.norm2, options_.rounds, clock_.data(),
                            uu_.data(), uv_.data(), vv_.data(), scratch.c.data(), back, from, to);
    const auto& values = scratch.values;
    if (is_sweep(from, to)) {
        kernels().add_rows(scratch.rows[0].data(), values.data(), values.size(), scratch.c.data(), from, to);
        kernels().add_rows(scratch.rows[1].data(), values.data(), values.size(), back, from, to);
        return;
    }
    for (std::size_t i = from; i < to; ++i)
        for (std::size_t k = 0; k < values.size(); ++k) {
            scratch.rows[0][k][i] += scratch.c[i] * values[k];
            scratch.rows[1][k][i] += back[i] * values[k];
        }
}

void AveragedPerceptronBank::forget(std::size_t i) {
    LinearBank::forget(i);
    clock_[i] = uu_[i] = uv_[i] = vv_[i] = 0.0;
    if (!options_.random_start) return;
    for (std::size_t r = 0; r < u_.rows(); ++r) {
        const double start = options_.seeds.start(i, started_[r]) / options_.width;
        u_.row(r)[i] = start;
        uu_[i] += start * start;
    }
}

void AveragedPerceptronBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.table("coordinates", u_, layout.learners, ids.size() + offset_, Archive::kLargestCoordinate);
    archive.table("timed_steps", v_, layout.learners, ids.size() + offset_, kLargestTimed);
    archive.numbers("clocks", clock_.data(), layout.learners, 0.0, kLargestClock);
    archive.numbers("squared_norms", uu_.data(), layout.learners);
    archive.numbers("products", uv_.data(), layout.learners);
    archive.numbers("timed_norms", vv_.data(), layout.learners);
    if (archive.loading()) started_.insert(started_.end(), ids.begin(), ids.end());
}

std::unique_ptr<Bank> AveragedPerceptronBank::build(const Parameters& p, std::size_t learners) {
    const Options options{p.flag("rounds"), p.text("init") == "random", LaneSeeds::from(p), p.number("width")};
    return std::make_unique<AveragedPerceptronBank>(learners, Normalise::from(p), options);
}

}  // namespace onlineboost
