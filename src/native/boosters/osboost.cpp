#include "boosters/osboost.hpp"

#include <algorithm>

namespace onlineboost {

void OSBoost::see(Scratch& scratch) const {
    const double scale = smooth_.margin_scale();
    if (scale == 1.0) return;
    for (std::size_t i = 0; i < smooth_.learners(); ++i) scratch.h[i] = std::clamp(scale * scratch.h[i], -1.0, 1.0);
}

void OSBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    smooth_.vote().learn(scratch, y, s, vote, rounds);
    smooth_.count(y * vote, s);
    smooth_.weigh(scratch, y, s);
    bank.update(scratch, y, scratch.weights.data());
    smooth_.watch(bank, scratch, y, y * vote, rounds);
}

std::unique_ptr<Booster> OSBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<OSBoost>(p, learners);
}

}  // namespace onlineboost
