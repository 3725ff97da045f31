// One Bayesian step of logistic regression along a direction, as calibration and the mixture take it.
#pragma once
#include <algorithm>

#include "engine/math.hpp"

namespace onlineboost {

inline double sigmoid(double v) { return 0.5 + 0.5 * math::tanh_half(v); }

// A score that is normal with mean `score` and variance `spread` meets a label, `target` 0 or 1, of weight s.
struct ImplicitStep {
    double e;     // the mean of what the score is made of moves by e times its covariance with the score
    double gain;  // and its covariance loses gain times the square of that
};

// e = s (target - sigmoid(score + spread e)) has one root between 0 and the explicit step; Newton, kept inside. The
// slope of e less the right side is at least 1 and its curvature at most s spread^2 / 10.3, so a Newton step that
// starts `miss` below or above ends within s spread^2 miss^2 / 20.7 of the root. Where the spread is large Newton may
// go to and fro: with `bisect`, every other step halves the interval once there were eight. Calibrations of
// weights up to 1 do without, and those of older files: models go on as they began.
inline ImplicitStep implicit_step(double score, double p_before, double spread, double target, double s, bool bisect) {
    constexpr double kTolerance = 1e-9;  // as a share of the weight
    double e = s * (target - p_before);
    double low = std::min(e, 0.0), high = std::max(e, 0.0);
    for (int i = 0; i < 100; ++i) {
        const double p = sigmoid(score + spread * e);
        const double miss = s * (target - p) - e;
        (miss > 0.0 ? low : high) = e;
        e += miss / (1.0 + s * spread * p * (1.0 - p));
        if (!(e >= low && e <= high) || (bisect && i >= 8 && i % 2 == 0))
            e = 0.5 * (low + high);
        else if ((spread * miss) * (spread * miss) <= 20.7 * kTolerance)
            break;
    }
    const double p = target - e / s;  // at the root, the sigmoid
    const double curvature = s * p * (1.0 - p);
    return {e, curvature / (1.0 + curvature * spread)};
}

}  // namespace onlineboost
