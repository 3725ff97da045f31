#include "boosters/operating_point.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

void OperatingPoint::set_positive(double label) {
    if (label == positive_) return;
    positive_ = label;
    choose();
}

void OperatingPoint::learn(double p, double y, double s) {
    if (!chooses()) return;
    const double odds = std::max(p, 1e-300) / std::max(1.0 - p, 1e-300);
    const double logit = std::clamp(math::log_fixed(odds), -kLargestLogit, kLargestLogit);
    const double place = (logit + kLargestLogit) / (2.0 * kLargestLogit) * static_cast<double>(kBins);
    const std::size_t bin = std::min(static_cast<std::size_t>(place), kBins - 1), c = y > 0.0 ? 1 : 0;
    counts_[2 * bin + c] += s;
    seen_[c] += 1.0;
    choose();
}

void OperatingPoint::choose() {
    odds_ = 1.0;
    if (!chooses() || std::min(seen_[0], seen_[1]) < kFewest) return;
    double total[2] = {0.0, 0.0}, above[2] = {0.0, 0.0};
    for (std::size_t k = 0; k < counts_.size(); ++k) total[k % 2] += counts_[k];
    double best = -1.0;
    std::size_t cut = kBins / 2;
    // Rows in bins at or above the cut are said to be +1. Of equal cuts the one that is nearest to 1/2.
    for (std::size_t bin = kBins - 1; bin > 0; --bin) {
        for (std::size_t c = 0; c < 2; ++c) above[c] += counts_[2 * bin + c];
        const double right[2] = {total[0] - above[0], above[1]};
        const int c = positive_ > 0.0 ? 1 : 0;
        const double said = c == 1 ? above[0] + above[1] : total[0] + total[1] - above[0] - above[1];
        const double value = metric_ == Metric::kF1 ? 2.0 * right[c] / (said + total[c])
                                                    : 0.5 * (right[0] / total[0] + right[1] / total[1]);
        const auto far = [](std::size_t k) { return k > kBins / 2 ? k - kBins / 2 : kBins / 2 - k; };
        if (value > best + 1e-12 || (value > best - 1e-12 && far(bin) < far(cut))) {
            best = std::max(best, value);
            cut = bin;
        }
    }
    const double logit = (2.0 * static_cast<double>(cut) / static_cast<double>(kBins) - 1.0) * kLargestLogit;
    odds_ = math::exp_fixed(-logit);
}

double OperatingPoint::weight(double said, double label) const {
    const std::size_t c = label > 0.0 ? 1 : 0;
    double sum = 0.0;
    for (std::size_t bin = 0; bin < kBins; ++bin)
        if ((bin >= kBins / 2) == (said > 0.0)) sum += counts_[2 * bin + c];
    return sum;
}

void OperatingPoint::serialise(Archive& archive) {
    if (!chooses()) return;
    archive.sums("operating_counts", counts_.data(), counts_.size());
    archive.sums("operating_examples", seen_, 2);
    if (!archive.loading()) return;
    for (std::size_t c = 0; c < 2; ++c) {
        double sum = 0.0;
        for (std::size_t bin = 0; bin < kBins; ++bin) sum += counts_[2 * bin + c];
        Archive::check((seen_[c] > 0.0) == (sum > 0.0), "operating_examples");
    }
    choose();
}

}  // namespace onlineboost
