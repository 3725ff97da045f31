#include "boosters/one_vs_rest.hpp"

namespace onlineboost {

void OneVsRest::decide(const std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins,
                       double* decisions, double* probabilities) const {
    for (std::size_t k = 0; k < heard.size(); ++k) {
        const Ensemble& ensemble = classes[k].ensemble;
        const double p = ensemble.probability(margins[k], ensemble.place(margins[k]));
        decisions[k] = classes[k].sign * margins[k];
        probabilities[k] = classes[k].sign > 0.0 ? p : 1.0 - p;
    }
    normalise(probabilities, heard.size());
}

void OneVsRest::learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins,
                      std::size_t label, double s) {
    for (std::size_t k = 0; k < heard.size(); ++k) {
        Ensemble& ensemble = classes[k].ensemble;
        ensemble.learn(*heard[k], margins[k], ensemble.place(margins[k]),
                       k == label ? classes[k].sign : -classes[k].sign, s);
    }
}

}  // namespace onlineboost
