#include "engine/calibration.hpp"

#include <algorithm>

namespace onlineboost {

void Calibration::learn(const Place& at, double f, double y, double s) {
    const double target = y > 0.0 ? 1.0 : 0.0;
    const double x = at.x;
    const double va = paa_ * x + pab_;
    const double vb = pab_ * x + pbb_;
    const double spread = x * va + vb;  // variance of a x + b
    const auto [e, gain] = implicit_step(at.score, at.p, spread, target, s, bisects_ && s > 1.0);
    a_ += va * e;
    b_ += vb * e;
    // Forgetting never widens the covariance beyond the prior.
    paa_ = std::clamp((paa_ - gain * va * va) / kForgetting, 0.0, kVarianceA);  // rounding may pass 0
    pbb_ = std::clamp((pbb_ - gain * vb * vb) / kForgetting, 0.0, kVarianceB);
    const double bound = 0.999 * std::sqrt(paa_ * pbb_);
    pab_ = std::clamp((pab_ - gain * va * vb) / kForgetting, -bound, bound);
    squares_ = kForgetting * squares_ + s * f * f;
    weight_ = kForgetting * weight_ + s;
}

void Calibration::serialise(Archive& archive) {
    double* fields[] = {&a_, &b_, &paa_, &pab_, &pbb_, &squares_, &weight_};
    double values[7];
    for (int i = 0; i < 7; ++i) values[i] = *fields[i];
    archive.numbers("calibration", values, 7);
    for (int i = 0; i < 7; ++i) *fields[i] = values[i];
    if (!archive.loading() || archive.has("calibration_bisects")) {
        std::uint64_t bisects = bisects_ ? 1 : 0;
        archive.counter("calibration_bisects", bisects);
        Archive::check(bisects <= 1, "calibration_bisects");
        bisects_ = bisects == 1;
    } else {
        bisects_ = false;
    }
    if (!archive.loading()) return;
    const bool usable = std::abs(a_) <= kLargestParameter && std::abs(b_) <= kLargestParameter && paa_ >= 0.0 &&
                        paa_ <= kVarianceA && pbb_ >= 0.0 && pbb_ <= kVarianceB && pab_ * pab_ <= paa_ * pbb_ &&
                        squares_ >= 0.0 && weight_ >= kSmallestWeight && squares_ <= weight_ &&
                        (intercept_ || (b_ == 0.0 && pab_ == 0.0 && pbb_ == 0.0));
    Archive::check(usable, "calibration");
}

}  // namespace onlineboost
