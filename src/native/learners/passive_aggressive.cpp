#include "learners/passive_aggressive.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"

namespace onlineboost {

PassiveAggressiveBank::PassiveAggressiveBank(std::size_t learners, Normalise normalise, double price, bool soft)
    : LinearBank(learners, normalise), price_(price), soft_(soft) {
    open();
}

void PassiveAggressiveBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < to; ++i) h[i] = std::clamp(scratch.s[i], -1.0, 1.0);
}

void PassiveAggressiveBank::learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
        const double loss = 1.0 - y * scratch.s[i], price = price_ * w[i];
        double tau = 0.0;
        if (w[i] > 0.0 && loss > 0.0 && scratch.norm2 > 0.0)
            tau = soft_ ? loss / (scratch.norm2 + 0.5 / price) : std::min(price, loss / scratch.norm2);
        scratch.c[i] = tau * y;
    }
    kernels().add_rows(scratch.rows[0].data(), scratch.values.data(), scratch.values.size(), scratch.c.data(), from,
                       to);
}

void PassiveAggressiveBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.table("coordinates", u_, layout.learners, ids.size() + offset_, Archive::kLargestCoordinate);
}

std::unique_ptr<Bank> PassiveAggressiveBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<PassiveAggressiveBank>(learners, Normalise::from(p), p.number("first"), p.flag("soft"));
}

}  // namespace onlineboost
