// Online calibration: P(+1 | margin f) = 1 / (1 + exp(-(a f + b))), learned from margins taken before each update.
//
// A Bayesian recursion for two-parameter logistic regression (extended Kalman filter with an implicit step): the state is the
// estimate (a, b) and its covariance. A little forgetting follows a booster that is itself still learning.
// Odd in the label: swapping the classes swaps the sign of b and nothing else.
#pragma once
#include "engine/archive.hpp"
#include "engine/math.hpp"

namespace onlineboost {

class Calibration {
   public:
    double probability(double f) const { return sigmoid(slope() * f + b_); }
    void learn(double f, double y, double s);
    void serialise(Archive& archive);

   private:
    static constexpr double kSmallestSlope = 1e-3;  // keeps probabilities in the order of the margins
    static double sigmoid(double v) { return 0.5 + 0.5 * math::tanh_half(v); }
    double slope() const { return a_ > kSmallestSlope ? a_ : kSmallestSlope; }

    double a_ = 2.0, b_ = 0.0;
    double paa_ = 400.0, pab_ = 0.0, pbb_ = 1.0;
};

}  // namespace onlineboost
