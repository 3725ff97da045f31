#include "boosters/tracking_stack.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {

double said(const LogitStack& stack, const double* logits) {
    constexpr double most = TrackingStack::kLargestLogit;
    return sigmoid(std::clamp(stack.score(logits), -most, most));
}

}  // namespace

TrackingStack::TrackingStack(std::size_t families, double variance, double walk)
    : walk_(walk), still_(families, variance), moving_(families, variance) {}

void TrackingStack::reset() {
    still_.reset();
    moving_.reset();
    share_.reset();
}

double TrackingStack::probability(const double* logits) const {
    const double q = said(still_, logits);
    return walk_ > 0.0 ? share_.mix(q, said(moving_, logits)) : q;
}

void TrackingStack::learn(const double* logits, double y, double s) {
    if (walk_ > 0.0) {
        const double q = said(still_, logits), other = said(moving_, logits);
        share_.learn(y > 0.0 ? q : 1.0 - q, y > 0.0 ? other : 1.0 - other, s);
        moving_.learn(logits, moving_.score(logits), y, s);
        moving_.widen(walk_ * std::min(s, 1.0));
    }
    still_.learn(logits, still_.score(logits), y, s);
}

void TrackingStack::drop(std::size_t k) {
    still_.drop(k);
    moving_.drop(k);
}

void TrackingStack::serialise(Archive& archive, std::vector<TrackingStack*> stacks) {
    std::vector<LogitStack*> still, moving;
    std::vector<StackShare*> shares;
    for (TrackingStack* one : stacks) {
        still.push_back(&one->still_);
        moving.push_back(&one->moving_);
        shares.push_back(&one->share_);
    }
    LogitStack::serialise(archive, still);
    if (stacks[0]->walk_ <= 0.0) return;
    PrefixedArchive named(archive, "moving.");
    LogitStack::serialise(named, moving);
    StackShare::serialise(named, shares);
}

}  // namespace onlineboost
