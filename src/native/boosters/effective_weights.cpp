#include "boosters/effective_weights.hpp"

#include <limits>

namespace onlineboost {

double EffectiveWeights::odds(bool balanced) const {
    const Class &minus = classes_[0], &plus = classes_[1];
    if (!complete()) return 1.0;
    const double weights = (plus.squares / plus.sum) / (minus.squares / minus.sum);
    return balanced ? weights * (minus.count / plus.count) : weights;
}

void EffectiveWeights::weigh(const double* f, bool balanced, double* p) const {
    double largest = 0.0, smallest = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        const auto& [sum, squares, count] = classes_[c];
        p[c] = count > 0.0 ? squares / sum / (balanced ? count : 1.0) : 0.0;
        largest = std::max(largest, p[c]);
        smallest = std::min(smallest, p[c]);
    }
    if (!(largest > smallest && smallest > 0.0)) {
        std::copy_n(f, classes_.size(), p);
        return;
    }
    double total = 0.0;
    for (std::size_t c = 0; c < classes_.size(); ++c)
        total += p[c] = f[c] * std::max(p[c] / largest, 1.0 / kLargestOdds);
    for (std::size_t c = 0; c < classes_.size(); ++c) p[c] /= total;
}

void EffectiveWeights::serialise(Archive& archive, std::size_t classes) {
    if (archive.loading()) classes_.assign(classes, {});
    std::vector<double> values;
    for (const auto& [sum, squares, count] : classes_) values.insert(values.end(), {sum, squares, count});
    archive.sums("class_weight_sums", values.data(), values.size());
    if (!archive.loading()) return;
    for (std::size_t c = 0; c < classes; ++c) {
        classes_[c] = {values[3 * c], values[3 * c + 1], values[3 * c + 2]};
        const auto& [sum, squares, count] = classes_[c];
        const bool none = sum == 0.0 && squares == 0.0 && count == 0.0;
        Archive::check(none || (sum >= 1e-100 && squares >= 1e-200 && count >= 1.0), "class_weight_sums");
    }
}

}  // namespace onlineboost
