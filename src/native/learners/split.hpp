// Which test would divide a leaf best (Domingos & Hulten, KDD 2000). What "best" means is a judge's, one for classes
// and one for gradients: gain(left), where left is the pair of sums that goes left, and repair(rest), which undoes the
// rounding of differences.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "learners/leaf_statistics.hpp"

namespace onlineboost {

// Rows with x < threshold go left.
struct Split {
    double gain = 0.0;    // of the best test
    double second = 0.0;  // of the best test on any other feature; not splitting at all counts as a feature of gain 0
    std::int32_t slot = -1;
    double threshold = 0.0;
    double left[2] = {0.0, 0.0};  // what goes left
    bool missing_left = false;    // whether rows without a value of the feature do
};

constexpr double kLeastBranch = 0.01;  // share of the leaf's weight that either side must have

enum class Criterion { kGain, kGini };

// In [0, 1]: entropy in bits, or four times the product of the class shares.
double impurity(Criterion criterion, const double own[2]);

// Pairs are the weights of -1 and of +1; the gain is the decrease of impurity.
class ClassJudge {
   public:
    ClassJudge(Criterion criterion, const double own[2]);
    double gain(const double left[2]) const;
    void repair(double rest[2]) const {
        for (int c = 0; c < 2; ++c) rest[c] = std::max(rest[c], 0.0);
    }

   private:
    Criterion criterion_;
    const double* own_;
    double n_, whole_;
};

// Pairs are the sums G of gradients and H of their weights; the gain is the decrease of -G^2 / (H + lambda), times
// `scale`.
class GradientJudge {
   public:
    GradientJudge(const double own[2], double lambda, double scale)
        : own_(own), lambda_(lambda), scale_(scale), whole_(score(own)) {}
    double gain(const double left[2]) const {
        const double right[2] = {own_[0] - left[0], own_[1] - left[1]};
        if (std::min(left[1], right[1]) < kLeastBranch * own_[1]) return 0.0;
        return (score(left) + score(right) - whole_) * scale_;
    }
    void repair(double rest[2]) const {
        if (!(rest[1] > kRounding * own_[1])) rest[0] = rest[1] = 0.0;
    }

   private:
    static constexpr double kRounding = 1e-9;
    double score(const double pair[2]) const { return pair[0] * (pair[0] / (pair[1] + lambda_)); }

    const double* own_;
    double lambda_, scale_, whole_;
};

// The weight of the rows of a leaf without a value of a feature, and of those in which it is 0; whether any lack it.
struct Elsewhere {
    double missing[2] = {0.0, 0.0};
    double zero[2];
    bool known;
};

template <class Judge>
Elsewhere elsewhere(const LeafStatistics& statistics, const double own[2], const Judge& judge,
                    const std::vector<std::int32_t>& indicators, const LeafStatistics::Feature& feature) {
    const LeafStatistics::Cells cells = statistics.cells(feature);
    Elsewhere found;
    std::copy_n(own, 2, found.zero);
    for (std::size_t k = 0; k < cells.count; ++k)
        for (std::size_t c = 0; c < 2; ++c) found.zero[c] -= cells.weights[2 * k + c];
    const std::int32_t indicator = indicators[static_cast<std::size_t>(feature.slot)];
    const std::int32_t known = indicator < 0 ? -1 : statistics.find(indicator);
    found.known = known >= 0;
    if (found.known) {
        const LeafStatistics::Cells absent = statistics.cells(statistics.features()[static_cast<std::size_t>(known)]);
        for (std::size_t k = 0; k < absent.count; ++k)
            for (std::size_t c = 0; c < 2; ++c) found.missing[c] += absent.weights[2 * k + c];
        for (int c = 0; c < 2; ++c) found.zero[c] -= found.missing[c];
    }
    judge.repair(found.zero);
    return found;
}

// The gain of a test whose threshold is a border of its feature's cells, or beside 0.
template <class Judge>
double gain_of(const Split& test, const LeafStatistics& statistics, const double own[2], const Judge& judge,
               const std::vector<std::int32_t>& indicators) {
    const std::int32_t index = statistics.find(test.slot);
    if (index < 0) return 0.0;
    const LeafStatistics::Feature& feature = statistics.features()[static_cast<std::size_t>(index)];
    const LeafStatistics::Cells cells = statistics.cells(feature);
    const Elsewhere rest = elsewhere(statistics, own, judge, indicators, feature);
    double left[2] = {0.0, 0.0};
    for (std::size_t c = 0; c < 2; ++c) {
        if (test.threshold > 0.0) left[c] += rest.zero[c];
        if (test.missing_left) left[c] += rest.missing[c];
        for (std::size_t k = 0; k < cells.count && cells.borders[k] < test.threshold; ++k)
            left[c] += cells.weights[2 * k + c];
    }
    return judge.gain(left);
}

// The best test on the features of a leaf that holds the pair `own`. Rows where a feature is missing are those with the
// feature indicators[slot], -1 where there is none; they go to the side that gains more, and right if neither does.
template <class Judge>
Split best_split(const LeafStatistics& statistics, const double own[2], const Judge& judge,
                 const std::vector<std::int32_t>& indicators) {
    constexpr double tie = 1e-10;                                      // a later test must be better by more than this
    constexpr double above_zero = std::numeric_limits<double>::min();  // x < above_zero asks whether x is not positive
    Split best;
    for (const LeafStatistics::Feature& feature : statistics.features()) {
        const LeafStatistics::Cells cells = statistics.cells(feature);
        const Elsewhere rest = elsewhere(statistics, own, judge, indicators, feature);
        Split found;
        double left[2] = {0.0, 0.0};
        const auto consider = [&](double threshold, const double pair[2], bool missing_left) {
            const double gain = judge.gain(pair);
            if (!(gain > found.gain + tie)) return;
            found.gain = gain;
            found.threshold = threshold;
            found.missing_left = missing_left;
            std::copy_n(pair, 2, found.left);
        };
        const auto test = [&](double threshold) {
            consider(threshold, left, false);
            if (!rest.known) return;
            const double more[2] = {left[0] + rest.missing[0], left[1] + rest.missing[1]};
            consider(threshold, more, true);
        };
        bool zero_passed = false;
        for (std::size_t k = 0; k <= cells.count; ++k) {
            if (!zero_passed && (k == cells.count || cells.borders[k] > 0.0)) {
                if (k > 0) test(0.0);
                for (int c = 0; c < 2; ++c) left[c] += rest.zero[c];
                if (k < cells.count) test(above_zero);
                zero_passed = true;
            } else if (k > 0 && k < cells.count) {
                test(cells.borders[k]);
            }
            if (k == cells.count) break;
            for (std::size_t c = 0; c < 2; ++c) left[c] += cells.weights[2 * k + c];
        }
        if (found.gain > best.gain + tie) {
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
