#include "learners/split.hpp"

#include <algorithm>

#include "engine/math.hpp"

namespace onlineboost {

namespace {

constexpr double kLeastBranch = 0.01;  // share of the leaf's weight that either side must have
constexpr double kTie = 1e-10;         // a later test must be better by more than this
constexpr double kAboveZero = 2.2250738585072014e-308;  // the least normal number: x < kAboveZero asks whether x is not positive
constexpr double kLog2 = 0.69314718055994531;

double entropy_term(double x) { return x > 1e-300 ? x * math::log_fixed(x) : 0.0; }

// Total weight times impurity, up to the factor ln 2 of the entropy.
double scaled(Criterion criterion, double a, double b) {
    const double n = a + b;
    if (!(n > 0.0)) return 0.0;
    if (criterion == Criterion::kGini) return 4.0 * a * (b / n);
    return entropy_term(n) - (entropy_term(a) + entropy_term(b));
}

struct Search {
    Criterion criterion;
    const double* own;
    double n, whole;
    Split* best;  // of one feature

    void test(double threshold, const double left[2]) const {
        const double right[2] = {std::max(own[0] - left[0], 0.0), std::max(own[1] - left[1], 0.0)};
        const double branch = std::min(left[0] + left[1], right[0] + right[1]);
        if (branch < kLeastBranch * n) return;
        const double apart = scaled(criterion, left[0], left[1]) + scaled(criterion, right[0], right[1]);
        const double gain = (whole - apart) / (criterion == Criterion::kGain ? n * kLog2 : n);
        if (gain > best->gain + kTie) {
            best->gain = gain;
            best->threshold = threshold;
            best->left[0] = left[0];
            best->left[1] = left[1];
        }
    }
};

}  // namespace

double impurity(Criterion criterion, const double own[2]) {
    const double n = own[0] + own[1];
    if (!(n > 0.0)) return 0.0;
    return scaled(criterion, own[0], own[1]) / (criterion == Criterion::kGain ? n * kLog2 : n);
}

Split best_split(const LeafStatistics& statistics, const double own[2], Criterion criterion) {
    Split best;
    const double n = own[0] + own[1];
    const double whole = scaled(criterion, own[0], own[1]);
    for (const LeafStatistics::Feature& feature : statistics.features()) {
        const LeafStatistics::Cells cells = statistics.cells(feature);
        double zero[2] = {own[0], own[1]};
        for (std::size_t k = 0; k < cells.count; ++k)
            for (int c = 0; c < 2; ++c) zero[c] -= cells.weights[2 * k + static_cast<std::size_t>(c)];
        Split found;
        const Search search{criterion, own, n, whole, &found};
        double left[2] = {0.0, 0.0};
        bool zero_passed = false;
        for (std::size_t k = 0; k <= cells.count; ++k) {
            if (!zero_passed && (k == cells.count || cells.borders[k] > 0.0)) {
                if (k > 0) search.test(0.0, left);
                for (int c = 0; c < 2; ++c) left[c] += std::max(zero[c], 0.0);
                if (k < cells.count) search.test(kAboveZero, left);
                zero_passed = true;
            } else if (k > 0 && k < cells.count) {
                search.test(cells.borders[k], left);
            }
            if (k == cells.count) break;
            for (int c = 0; c < 2; ++c) left[c] += cells.weights[2 * k + static_cast<std::size_t>(c)];
        }
        if (found.gain > best.gain + kTie) {
            found.second = best.gain;
            found.slot = feature.slot;
            best = found;
        } else {
            best.second = std::max(best.second, found.gain);
        }
    }
    return best;
}

}  // namespace onlineboost
