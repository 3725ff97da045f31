#include "learners/split.hpp"

#include "engine/math.hpp"

namespace onlineboost {

namespace {

constexpr double kLog2 = 0.69314718055994531;

double entropy_term(double x) { return x > 1e-300 ? x * math::log_fixed(x) : 0.0; }

// Total weight times impurity, up to the factor ln 2 of the entropy.
double scaled(Criterion criterion, double a, double b) {
    const double n = a + b;
    if (!(n > 0.0)) return 0.0;
    if (criterion == Criterion::kGini) return 4.0 * a * (b / n);
    return entropy_term(n) - (entropy_term(a) + entropy_term(b));
}

}  // namespace

double impurity(Criterion criterion, const double own[2]) {
    const double n = own[0] + own[1];
    if (!(n > 0.0)) return 0.0;
    return scaled(criterion, own[0], own[1]) / (criterion == Criterion::kGain ? n * kLog2 : n);
}

ClassJudge::ClassJudge(Criterion criterion, const double own[2])
    : criterion_(criterion), own_(own), n_(own[0] + own[1]), whole_(scaled(criterion, own[0], own[1])) {}

double ClassJudge::gain(const double left[2]) const {
    const double right[2] = {std::max(own_[0] - left[0], 0.0), std::max(own_[1] - left[1], 0.0)};
    const double branch = std::min(left[0] + left[1], right[0] + right[1]);
    if (branch < kLeastBranch * n_) return 0.0;
    const double apart = scaled(criterion_, left[0], left[1]) + scaled(criterion_, right[0], right[1]);
    return (whole_ - apart) / (criterion_ == Criterion::kGain ? n_ * kLog2 : n_);
}

}  // namespace onlineboost
