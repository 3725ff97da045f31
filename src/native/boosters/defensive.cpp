#include "boosters/defensive.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace onlineboost {

void Defensive::Walk::gain(double g) {
    const double eta = 1.0 / std::sqrt(4.0 + squares);
    at = std::clamp(at + eta * g, -1.0, 1.0);
    path += eta * g * g;
    squares += g * g;
}

void Defensive::Walk::serialise(Archive& archive, const std::string& name) {
    archive.numbers(name, &at, 1, -1.0, 1.0);
    archive.sum(name + "_squares", squares);
    archive.sum(name + "_path", path);
}

// Where a + b p is 0, or else the end of [-1, 1] at which its sign makes (a + b p)(y - p) <= 0 for both labels.
double Defensive::vote(Scratch& scratch) const {
    const double a = 0.5 * (1.0 + lambda_.at) * scratch.h[0], b = 0.5 * (1.0 - lambda_.at) * theta_.at;
    if (std::abs(a) > std::abs(b)) return a > 0.0 ? 1.0 : -1.0;
    return b != 0.0 ? -a / b : 0.0;
}

void Defensive::learn(Bank& bank, Scratch& scratch, double y, double s, double p) {
    const double h = scratch.h[0], r = y - p;
    lambda_.gain(0.5 * s * (h * r - theta_.at * p * r));
    theta_.gain(s * p * r);
    learner_gain_ += s * h * r;
    forecast_gain_ += s * p * r;
    squares_ += s * r * r;
    count_ += s;
    const double weight = s * std::abs(r);  // r has the sign of y
    scratch.weights[0] = weight < kNegligible ? 0.0 : weight;
    bank.update(scratch, y, scratch.weights.data());
}

void Defensive::serialise(Archive& archive) {
    lambda_.serialise(archive, "lambda");
    theta_.serialise(archive, "theta");
    archive.number("learner_gain", learner_gain_);
    archive.number("forecast_gain", forecast_gain_);
    archive.sum("squared_error", squares_);
    archive.sum("count", count_);
}

}  // namespace onlineboost
