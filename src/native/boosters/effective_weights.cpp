#include "boosters/effective_weights.hpp"

namespace onlineboost {

double EffectiveWeights::odds(bool balanced) const {
    const auto& [minus, plus] = classes_;
    if (!(minus.count > 0.0 && plus.count > 0.0)) return 1.0;
    const double weights = (plus.squares / plus.sum) / (minus.squares / minus.sum);
    return balanced ? weights * (minus.count / plus.count) : weights;
}

void EffectiveWeights::serialise(Archive& archive) {
    double values[6];
    for (std::size_t c = 0; c < 2; ++c) {
        values[3 * c] = classes_[c].sum;
        values[3 * c + 1] = classes_[c].squares;
        values[3 * c + 2] = classes_[c].count;
    }
    archive.sums("class_weight_sums", values, 6);
    if (!archive.loading()) return;
    for (std::size_t c = 0; c < 2; ++c) {
        classes_[c] = {values[3 * c], values[3 * c + 1], values[3 * c + 2]};
        const auto& [sum, squares, count] = classes_[c];
        const bool none = sum == 0.0 && squares == 0.0 && count == 0.0;
        Archive::check(none || (sum >= 1e-100 && squares >= 1e-200 && count >= 1.0), "class_weight_sums");
    }
}

}  // namespace onlineboost
