#include "boosters/binary_relevance.hpp"

namespace onlineboost {

void BinaryRelevance::decide(const Places& places, const LabelScratches&, const double* margins, double* decisions,
                             double* probabilities) const {
    for (std::size_t k = 0; k < places.size(); ++k) {
        const Ensemble& ensemble = places[k].ensemble;
        const double p = ensemble.probability(margins[k], ensemble.place(margins[k]));
        decisions[k] = places[k].sign * margins[k];
        probabilities[k] = places[k].sign > 0.0 ? p : 1.0 - p;
    }
}

void BinaryRelevance::learn(Places& places, const LabelScratches& heard, const double* margins, const Present& present,
                            double s) {
    for (std::size_t k = 0; k < places.size(); ++k) {
        Ensemble& ensemble = places[k].ensemble;
        ensemble.learn(*heard[k], margins[k], ensemble.place(margins[k]), present[k] ? places[k].sign : -places[k].sign,
                       s);
    }
}

}  // namespace onlineboost
