#include "boosters/tracking_stack.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {

constexpr double kFarAhead = 600.0;    // the posterior is 0 or 1 there, and its odds times any before it are finite
constexpr double kMostCounted = 1e15;  // of a loaded state: a share of half a step still counts beside them

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
    v_ = 0.5;
    steps_ = 0.0;
}

double TrackingStack::probability(const double* logits) const {
    const double q = said(still_, logits);
    return walk_ > 0.0 ? (1.0 - v_) * q + v_ * said(moving_, logits) : q;
}

void TrackingStack::learn(const double* logits, double y, double s) {
    if (walk_ > 0.0) {
        const double q = said(still_, logits), other = said(moving_, logits);
        const double ahead =
            s * (math::log_fixed(y > 0.0 ? other : 1.0 - other) - math::log_fixed(y > 0.0 ? q : 1.0 - q));
        const double odds = v_ / (1.0 - v_) * math::exp_fixed(std::clamp(ahead, -kFarAhead, kFarAhead));
        steps_ += 1.0;
        v_ = (steps_ * (odds / (1.0 + odds)) + 0.5) / (steps_ + 1.0);
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
    std::vector<double> weights, steps;
    for (TrackingStack* one : stacks) {
        still.push_back(&one->still_);
        moving.push_back(&one->moving_);
        weights.push_back(one->v_);
        steps.push_back(one->steps_);
    }
    LogitStack::serialise(archive, still);
    if (stacks[0]->walk_ <= 0.0) return;
    PrefixedArchive prefixed(archive, "moving.");
    Archive& named = prefixed;
    LogitStack::serialise(named, moving);
    named.numbers("stack_weight", weights.data(), weights.size(), 0.0, 1.0);
    named.numbers("stack_steps", steps.data(), steps.size(), 0.0, kMostCounted);
    for (std::size_t g = 0; g < stacks.size(); ++g) {
        Archive::check(weights[g] > 0.0 && weights[g] < 1.0, "moving.stack_weight");
        stacks[g]->v_ = weights[g];
        stacks[g]->steps_ = steps[g];
    }
}

}  // namespace onlineboost
