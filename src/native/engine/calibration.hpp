// Online calibration: P(+1 | margin f) = 1 / (1 + exp(-(a f/r + b))), learned from margins taken before each update.
//
// r is the running root mean square of the margins, so that one prior serves boosters whose margins are small and ones
// whose margins are all near +-1. (a, b) follow a Bayesian recursion for logistic regression (extended Kalman filter
// with an implicit step), with a little forgetting, because the booster is itself still learning. Odd in the label:
// swapping the classes swaps the sign of b and nothing else. Without an intercept b is 0 for good, and a margin of 0
// stands for 1/2.
#pragma once
#include <cmath>

#include "engine/archive.hpp"
#include "engine/implicit_step.hpp"

namespace onlineboost {

class Calibration {
   public:
    explicit Calibration(bool intercept = true) : intercept_(intercept), pbb_(intercept ? kVarianceB : 0.0) {}

    // A margin f as the present parameters see it: x = f / r, score = a x + b, and its sigmoid.
    struct Place {
        double x, score, p;
    };
    Place place(double f) const {
        const double x = f / scale(), score = a_ * x + b_;
        return {x, score, sigmoid(score)};
    }
    double probability(const Place& at) const {
        return a_ > kSmallestSlope ? at.p : sigmoid(kSmallestSlope * at.x + b_);
    }
    // `at` is place(f).
    void learn(const Place& at, double f, double y, double s);
    void serialise(Archive& archive);
    // As if the classes were swapped.
    void mirror() {
        b_ = -b_;
        pab_ = -pab_;
    }

   private:
    // Chosen on nine of the paper's data sets times seven models; the mean log-loss is flat around them (within 1 %).
    static constexpr double kVarianceA = 4.0, kVarianceB = 0.25, kForgetting = 0.999;
    static constexpr double kSmallestScale = 1e-9;  // for margins that are all 0
    static constexpr double kSmallestSlope = 1e-3;  // keeps probabilities in the order of the margins

    // What a state may hold.
    static constexpr double kLargestParameter = 1e100, kSmallestWeight = 1e-300;

    double scale() const { return std::sqrt(squares_ / weight_) + kSmallestScale; }

    bool intercept_;
    double a_ = 1.0, b_ = 0.0;
    double paa_ = kVarianceA, pab_ = 0.0, pbb_;  // covariance
    double squares_ = 0.25, weight_ = 1.0;       // of the margins; starts as one margin of 1/2
    bool bisects_ = true;                        // where weights are above 1; not in models of older files
};

}  // namespace onlineboost
