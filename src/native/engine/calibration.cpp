#include "engine/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace onlineboost {

namespace {
constexpr double kForgetting = 0.9995;
constexpr double kLargestVarianceA = 400.0, kLargestVarianceB = 1.0;  // forgetting never widens beyond the prior
}  // namespace

void Calibration::learn(double f, double y, double s) {
    const double target = y > 0.0 ? 1.0 : 0.0;
    const double va = paa_ * f + pab_;
    const double vb = pab_ * f + pbb_;
    const double spread = f * va + vb;  // variance of a f + b
    const double score = a_ * f + b_;
    // Implicit step: find e = s (target - sigmoid(score + spread e)); decreasing in e, so Newton from the explicit end is safe.
    double e = s * (target - sigmoid(score));
    double low = std::min(e, 0.0), high = std::max(e, 0.0);
    for (int i = 0; i < 4; ++i) {
        const double p = sigmoid(score + spread * e);
        const double miss = s * (target - p) - e;
        (miss > 0.0 ? low : high) = e;
        e += miss / (1.0 + s * spread * p * (1.0 - p));
        if (!(e >= low && e <= high)) e = 0.5 * (low + high);
    }
    a_ += va * e;
    b_ += vb * e;
    const double p = sigmoid(score + spread * e);
    const double gain = s * p * (1.0 - p) / (1.0 + s * p * (1.0 - p) * spread);
    paa_ = std::min((paa_ - gain * va * va) / kForgetting, kLargestVarianceA);
    pbb_ = std::min((pbb_ - gain * vb * vb) / kForgetting, kLargestVarianceB);
    pab_ = (pab_ - gain * va * vb) / kForgetting;
    const double bound = 0.999 * std::sqrt(paa_ * pbb_);
    pab_ = std::clamp(pab_, -bound, bound);
}

void Calibration::serialise(Archive& archive) {
    double* fields[] = {&a_, &b_, &paa_, &pab_, &pbb_};
    double values[5];
    for (int i = 0; i < 5; ++i) values[i] = *fields[i];
    archive.numbers("calibration", values, 5);
    for (int i = 0; i < 5; ++i) *fields[i] = values[i];
}

}  // namespace onlineboost
