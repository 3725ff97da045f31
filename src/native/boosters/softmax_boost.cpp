#include "boosters/softmax_boost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

double SoftmaxBoost::mean(const Scratch& heard) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) sum += heard.h[i];
    return heard.sign * (sum / static_cast<double>(learners_));
}

void SoftmaxBoost::decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double*, double* decisions,
                          double* probabilities) const {
    for (std::size_t k = 0; k < heard.size(); ++k) {
        decisions[k] = std::clamp(mean(*heard[k]), -1.0, 1.0);  // rounding may pass 1
        probabilities[k] = probability(k, *heard[k], decisions[k]);
    }
    normalise(probabilities, heard.size());
}

void SoftmaxBoost::make_room(const Scratches& heard, std::size_t) {
    sums_.assign(heard.size(), 0.0);
    odds_.assign(heard.size(), 0.0);
    margins_.assign(heard.size(), 0.0);
    for (Scratch* one : heard) one->room.resize(one->weights.size());
}

// Of two classes with the sums f and -f these are the residuals of GradientBoost.
void SoftmaxBoost::learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double*, std::size_t label,
                         double s) {
    const std::size_t count = heard.size();
    for (std::size_t k = 0; k < count; ++k) {
        margins_[k] = std::clamp(mean(*heard[k]), -1.0, 1.0);
        calibrate(k, *heard[k], margins_[k], k == label ? 1.0 : -1.0, s);
    }
    for (std::size_t i = 0; i < learners_; ++i) {
        const double most = *std::max_element(sums_.begin(), sums_.end());
        double total = 0.0;
        for (std::size_t k = 0; k < count; ++k) total += odds_[k] = math::exp_fixed(sums_[k] - most);
        double others = 0.0;
        for (std::size_t k = 0; k < count; ++k) others += k == label ? 0.0 : odds_[k];
        for (std::size_t k = 0; k < count; ++k) {
            Scratch& one = *heard[k];
            const double u = (k == label ? others : odds_[k]) / total;
            const double w = options_.newton ? u * std::max(2.0 * (1.0 - u), GradientBoost::kLeastCurvature) : 1.0;
            const bool taught = s * u >= kNegligible;
            one.weights[i] = taught ? s * u : 0.0;
            one.room[i] = taught ? s * w : 0.0;
            sums_[k] += options_.rate * one.sign * one.h[i];
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        Scratch& one = *heard[k];
        classes[k].ensemble.bank().regress(one, k == label ? one.sign : -one.sign, one.weights.data(), one.room.data());
    }
}

std::unique_ptr<ClassBooster> SoftmaxBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<SoftmaxBoost>(learners, GradientBoost::Options{p.number("rate"), p.flag("newton")});
}

}  // namespace onlineboost
