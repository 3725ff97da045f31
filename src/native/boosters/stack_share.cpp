#include "boosters/stack_share.hpp"

#include <algorithm>

#include "engine/math.hpp"

namespace onlineboost {

namespace {
constexpr double kFarAhead = 600.0;    // the posterior is 0 or 1 there, and its odds times any before it are finite
constexpr double kMostCounted = 1e15;  // of a loaded state: a share of half a step still counts beside them
}  // namespace

void StackShare::learn(double q, double other, double s) {
    const double ahead = s * (math::log_fixed(other) - math::log_fixed(q));
    const double odds = v_ / (1.0 - v_) * math::exp_fixed(std::clamp(ahead, -kFarAhead, kFarAhead));
    steps_ += 1.0;
    v_ = (steps_ * (odds / (1.0 + odds)) + 0.5) / (steps_ + 1.0);
}

void StackShare::serialise(Archive& archive, const std::vector<StackShare*>& shares) {
    std::vector<double> weights, steps;
    for (const StackShare* one : shares) {
        weights.push_back(one->v_);
        steps.push_back(one->steps_);
    }
    archive.numbers("stack_weight", weights.data(), weights.size(), 0.0, 1.0);
    archive.numbers("stack_steps", steps.data(), steps.size(), 0.0, kMostCounted);
    for (std::size_t g = 0; g < shares.size(); ++g) {
        Archive::check(weights[g] > 0.0 && weights[g] < 1.0, "moving.stack_weight");
        shares[g]->v_ = weights[g];
        shares[g]->steps_ = steps[g];
    }
}

}  // namespace onlineboost
