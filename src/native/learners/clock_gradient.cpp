#include "learners/clock_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "learners/wrapper.hpp"

namespace onlineboost {

ClockGradientBank::ClockGradientBank(std::size_t learners, Normalise normalise)
    : Bank(learners), inner_(learners * kLevels, normalise), p_(learners * kLevels * kRates), mix_(learners * kLevels),
      clock_(learners), largest_(learners, 1.0), blocks_(learners * kLevels) {
    for (std::size_t i = 0; i < learners; ++i) {
        for (std::size_t k = 0; k < kLevels; ++k) enter(i, k, 0.0);
        mix(i);
    }
}

// The prior of a block of a level, for each rate.
void ClockGradientBank::enter(std::size_t i, std::size_t level, double block) {
    const double k = static_cast<double>(level);
    const double share = 1.0 / ((block + 1.0) * (block + 2.0) * ((k + 1.0) * (k + 2.0)));
    blocks_[i * kLevels + level] = block;
    double* p = p_.data() + (i * kLevels + level) * kRates;
    for (std::size_t j = 0; j < kRates; ++j) {
        const double n = static_cast<double>(j + 1);
        p[j] = share / (n * (n + 1.0));
    }
}

void ClockGradientBank::mix(std::size_t i) {
    for (std::size_t k = i * kLevels; k < (i + 1) * kLevels; ++k) {
        double sum = 0.0, rate = 0.5;
        for (std::size_t j = 0; j < kRates; ++j, rate *= 0.5) sum += p_[k * kRates + j] * rate;
        mix_[k] = sum;
    }
}

double ClockGradientBank::output(const Scratch& inner, std::size_t i) const {
    double gained = 0.0, total = 0.0;
    for (std::size_t k = i * kLevels; k < (i + 1) * kLevels; ++k) {
        gained += mix_[k] * inner.h[k];
        total += mix_[k];
    }
    return std::clamp(gained / total, -1.0, 1.0);
}

// p <- p (1 + rate rho), rho = w y (h_k - h) / 2; then the clock goes on.
void ClockGradientBank::weigh(const Scratch& inner, std::size_t i, double y, double w, double h) {
    largest_[i] = std::max(largest_[i], w);
    const double part = w / largest_[i];
    for (std::size_t k = i * kLevels; k < (i + 1) * kLevels; ++k) {
        const double rho = part * y * (inner.h[k] - h) / 2.0;
        double rate = 0.5;
        for (std::size_t j = 0; j < kRates; ++j, rate *= 0.5) p_[k * kRates + j] *= 1.0 + rate * rho;
    }
    clock_[i] += part;
    mix(i);
}

void ClockGradientBank::restart(std::size_t i) {
    bool any = false;
    double length = 1.0;
    for (std::size_t k = 0; k < kLevels; ++k, length *= 2.0) {
        const double block = std::floor(clock_[i] / length);
        if (block == blocks_[i * kLevels + k]) break;  // longer blocks end only where shorter ones do
        inner_.forget(i * kLevels + k);
        enter(i, k, block);
        any = true;
    }
    if (any) mix(i);
}

void ClockGradientBank::forget(std::size_t i) {
    clock_[i] = 0.0;
    largest_[i] = 1.0;
    for (std::size_t k = 0; k < kLevels; ++k) {
        inner_.forget(i * kLevels + k);
        enter(i, k, 0.0);
    }
    mix(i);
}

void ClockGradientBank::score(Scratch& shared) const {
    ClockGradientScratch& scratch = own(shared);
    scratch.inner->row = scratch.row;
    scratch.inner->threads = scratch.threads;
    inner_.score(*scratch.inner);
    for (std::size_t i = 0; i < layout.learners; ++i) scratch.h[i] = output(*scratch.inner, i);
}

void ClockGradientBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    inner_.make_room(*own(scratch).inner, fresh);
}

void ClockGradientBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    inner_.meet(*own(scratch).inner, ids, from);
}

void ClockGradientBank::update(Scratch& shared, double y, const double* w) {
    ClockGradientScratch& scratch = own(shared);
    for (std::size_t i = 0; i < layout.learners; ++i) {
        if (w[i] > 0.0) weigh(*scratch.inner, i, y, w[i], output(*scratch.inner, i));
        std::fill_n(scratch.w.begin() + static_cast<std::ptrdiff_t>(i * kLevels), kLevels, w[i]);
    }
    inner_.update(*scratch.inner, y, scratch.w.data());
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) restart(i);
}

double ClockGradientBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    ClockGradientScratch& scratch = own(shared);
    if (!(w > 0.0) || times == 0) return scratch.h[i];
    for (unsigned t = 0; t < times; ++t) {
        weigh(*scratch.inner, i, y, w, output(*scratch.inner, i));
        for (std::size_t k = i * kLevels; k < (i + 1) * kLevels; ++k)
            scratch.inner->h[k] = inner_.step(*scratch.inner, k, y, w, 1);
    }
    return output(*scratch.inner, i);
}

void ClockGradientBank::finish(Scratch& shared) {
    inner_.finish(*own(shared).inner);
    for (std::size_t i = 0; i < layout.learners; ++i) restart(i);
}

void ClockGradientBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    PrefixedArchive named(archive, "levels.");
    inner_.serialise(named, ids);
    archive.numbers("level_weights", p_.data(), p_.size(), 0.0, 2.0);  // they sum to at most 1, but for rounding
    archive.sums("clocks", clock_.data(), clock_.size());
    archive.numbers("largest_weights", largest_.data(), largest_.size(), 1.0, Archive::kLargest);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < layout.learners; ++i) {
        double length = 1.0;
        for (std::size_t k = 0; k < kLevels; ++k, length *= 2.0)
            blocks_[i * kLevels + k] = std::floor(clock_[i] / length);
        mix(i);
        double total = 0.0;
        for (std::size_t k = i * kLevels; k < (i + 1) * kLevels; ++k) total += mix_[k];
        Archive::check(total > 0.0, "level_weights");
    }
}

std::unique_ptr<Bank> ClockGradientBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<ClockGradientBank>(learners, Normalise::from(p));
}

}  // namespace onlineboost
