// A margin f in [-1, 1] as a probability: (1 + f) / 2 if it was trained as one, else what a calibration makes of it.
// Which of the two is right Bayes' rule decides: the weight of each is exp(-its log-loss so far), so the log-loss is
// that of the better one but for ln 2 in all.
#pragma once
#include <algorithm>

#include "engine/implicit_step.hpp"
#include "engine/math.hpp"

namespace onlineboost {

struct ProbabilityPair {
    double plain = 0.5, calibrated = 0.5, p = 0.5;

    ProbabilityPair() = default;
    // `losses` are those of the plain and of the calibrated ones.
    ProbabilityPair(double vote, double from_calibration, const double losses[2])
        : plain(within(0.5 + 0.5 * vote)), calibrated(within(from_calibration)) {
        const double weight = sigmoid(std::clamp(losses[1] - losses[0], -700.0, 700.0));
        p = weight * plain + (1.0 - weight) * calibrated;
    }
    void learn(double losses[2], double y, double w) const {
        losses[0] -= w * math::log_fixed(y > 0.0 ? plain : 1.0 - plain);
        losses[1] -= w * math::log_fixed(y > 0.0 ? calibrated : 1.0 - calibrated);
    }

   private:
    static constexpr double kSmallest = 1e-6;
    static double within(double p) { return std::clamp(p, kSmallest, 1.0 - kSmallest); }
};

}  // namespace onlineboost
