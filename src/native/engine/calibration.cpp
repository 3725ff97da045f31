#include "engine/calibration.hpp"

#include <algorithm>

namespace onlineboost {

void Calibration::learn(const Place& at, double f, double y, double s) {
    const double target = y > 0.0 ? 1.0 : 0.0;
    const double x = at.x;
    const double va = paa_ * x + pab_;
    const double vb = pab_ * x + pbb_;
    const double spread = x * va + vb;  // variance of a x + b
    // Implicit step: e = s (target - sigmoid(score + spread e)) has one root between 0 and the explicit step; Newton, kept inside.
    // The slope of e less the right side is at least 1 and its curvature at most s spread^2 / 10.3, so a Newton step that starts `miss`
    // below or above ends within s spread^2 miss^2 / 20.7 of the root.
    double e = s * (target - at.p);
    double low = std::min(e, 0.0), high = std::max(e, 0.0);
    for (int i = 0; i < 100; ++i) {
        const double p = sigmoid(at.score + spread * e);
        const double miss = s * (target - p) - e;
        (miss > 0.0 ? low : high) = e;
        e += miss / (1.0 + s * spread * p * (1.0 - p));
        if (!(e >= low && e <= high))
            e = 0.5 * (low + high);
        else if ((spread * miss) * (spread * miss) <= 20.7 * kTolerance)
            break;
    }
    a_ += va * e;
    b_ += vb * e;
    const double p = target - e / s;  // at the root, the sigmoid
    const double gain = s * p * (1.0 - p) / (1.0 + s * p * (1.0 - p) * spread);
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
    if (!archive.loading()) return;
    const bool usable = std::abs(a_) <= kLargestParameter && std::abs(b_) <= kLargestParameter && paa_ >= 0.0 && paa_ <= kVarianceA &&
                        pbb_ >= 0.0 && pbb_ <= kVarianceB && pab_ * pab_ <= paa_ * pbb_ && squares_ >= 0.0 && weight_ >= kSmallestWeight &&
                        squares_ <= weight_;
    Archive::check(usable, "calibration");
}

}  // namespace onlineboost
