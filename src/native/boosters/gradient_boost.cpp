#include "boosters/gradient_boost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

double GradientBoost::vote(Scratch& scratch) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) sum += scratch.h[i];
    return sum / static_cast<double>(learners_);
}

// The loss is log(1 + exp(-2 y f)) / 2: its gradient has the size u = 1 / (1 + exp(2 y f)), its curvature is 2 u (1 -
// u).
void GradientBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double) {
    double f = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) {
        const double v = 2.0 * y * f;
        const double e = math::exp_fixed(v > 0.0 ? -v : v);
        const double large = 1.0 / (1.0 + e), small = e / (1.0 + e);
        const double u = v > 0.0 ? small : large, rest = v > 0.0 ? large : small;
        const double w = options_.newton ? u * std::max(2.0 * rest, kLeastCurvature) : 1.0;
        const bool taught = s * u >= kNegligible;
        scratch.weights[i] = taught ? s * u : 0.0;
        scratch.room[i] = taught ? s * w : 0.0;
        f += options_.rate * scratch.h[i];
    }
    bank.regress(scratch, y, scratch.weights.data(), scratch.room.data());
}

std::unique_ptr<Booster> GradientBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<GradientBoost>(learners, Options{p.number("rate"), p.flag("newton")});
}

}  // namespace onlineboost
