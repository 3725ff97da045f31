// Which test divides a leaf of many classes best, and when it is good enough.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math.hpp"
#include "learners/class_tree_bank.hpp"

namespace onlineboost {

namespace {

constexpr double kRounding = 1e-6;  // cells are summed in single precision

double entropy_term(double x) { return x > 1e-300 ? x * math::log_fixed(x) : 0.0; }

}  // namespace

// Of weights that sum to n: 1 - sum p^2, or the entropy in nats; times n.
double ClassTreeBank::impurity(const std::vector<double>& weights, std::size_t classes, double n) const {
    if (!(n > 0.0)) return 0.0;
    double sum = 0.0;
    if (options_.criterion == Criterion::kGini) {
        for (std::size_t c = 0; c < classes; ++c) sum += weights[c] * weights[c];
        return n - sum / n;
    }
    for (std::size_t c = 0; c < classes; ++c) sum += entropy_term(weights[c]);
    return entropy_term(n) - sum;
}

// Of the test that sends own.left to the left, times n.
double ClassTreeBank::gain_of(Own& own, std::size_t classes, double n, double whole) const {
    const double *all = own.own.data(), *left = own.left.data();
    double* other = own.other.data();
    double sums[4] = {};  // weight and squares on the left and on the right
    for (std::size_t c = 0; c < classes; ++c) {
        const double l = left[c], r = std::max(all[c] - l, 0.0);
        other[c] = r;
        sums[0] += l;
        sums[1] += l * l;
        sums[2] += r;
        sums[3] += r * r;
    }
    if (std::min(sums[0], sums[2]) < kLeastBranch * n) return 0.0;
    if (options_.criterion == Criterion::kGini)
        return whole - (sums[0] - sums[1] / sums[0]) - (sums[2] - sums[3] / sums[2]);
    return whole - impurity(own.left, classes, sums[0]) - impurity(own.other, classes, sums[2]);
}

ClassTreeBank::Test ClassTreeBank::best_test(const Leaf& leaf, Own& own) const {
    constexpr double above_zero = std::numeric_limits<double>::min();  // x < above_zero: x is not positive
    const ClassLeaf& seen = leaf.seen;
    const std::size_t classes = seen.classes();
    double n = 0.0;
    for (std::size_t c = 0; c < classes; ++c) n += own.own[c] = seen.own(c);
    const double whole = impurity(own.own, classes, n), tie = 1e-10 * n;
    Test best;
    for (const ClassLeaf::Feature& feature : seen.features()) {
        std::copy_n(own.own.begin(), classes, own.zero.begin());
        std::fill_n(own.left.begin(), classes, 0.0);
        for (std::size_t k = 0; k < feature.cells; ++k) {
            const float* weights = seen.weights(feature.start + k);
            for (std::size_t c = 0; c < classes; ++c) own.zero[c] -= static_cast<double>(weights[c]);
        }
        for (std::size_t c = 0; c < classes; ++c)
            own.zero[c] = own.zero[c] > kRounding * own.own[c] ? own.zero[c] : 0.0;
        Test found;
        bool better = false;
        const auto test = [&](double threshold) {
            const double gain = gain_of(own, classes, n, whole);
            if (!(gain > found.gain + tie)) return;
            found.gain = gain;
            found.threshold = threshold;
            if (gain > best.gain + tie) {
                better = true;
                std::copy_n(own.left.begin(), classes, own.best_left.begin());
            }
        };
        bool zero_passed = false;
        for (std::size_t k = 0; k <= feature.cells; ++k) {
            const bool last = k == feature.cells;
            const double border = last ? 0.0 : seen.border(feature.start + k);
            if (!zero_passed && (last || border > 0.0)) {
                if (k > 0) test(0.0);
                for (std::size_t c = 0; c < classes; ++c) own.left[c] += own.zero[c];
                if (!last) test(above_zero);
                zero_passed = true;
            } else if (k > 0 && !last) {
                test(border);
            }
            if (last) break;
            for (std::size_t c = 0; c < classes; ++c)
                own.left[c] += static_cast<double>(seen.weights(feature.start + k)[c]);
        }
        if (better) {
            found.second = best.gain;
            found.slot = feature.slot;
            best = found;
        } else {
            best.second = std::max(best.second, found.gain);
        }
    }
    return best;
}

// The test's gains are times n.
bool ClassTreeBank::worth(const Leaf& leaf, const Test& test, Own& own) const {
    if (test.slot < 0) return false;
    const std::size_t classes = leaf.seen.classes();
    const double n = leaf.seen.total(), log = math::log_fixed(1.0 / growth_.delta);
    const auto degrees = static_cast<double>(classes) - 2.0;
    const bool gini = options_.criterion == Criterion::kGini;
    if (options_.rule == HoeffdingTreeBank::Rule::kHoeffding) {
        const double range = gini ? 1.0 : math::log_fixed(static_cast<double>(classes));
        const double bound = std::sqrt(0.5 * log / n);
        return bound < options_.tie || test.gain - test.second > n * range * bound;
    }
    if (!gini) return test.gain > log + 0.5 * degrees + std::sqrt(degrees * log);
    double most = 0.0;
    for (std::size_t c = 0; c < classes; ++c) most = std::max(most, leaf.seen.own(c));
    const double g = impurity(own.own, classes, n) / n, a = std::min(g, most / n), rest = g - a;
    return test.gain > 2.0 * a * log + rest + 2.0 * std::sqrt(rest * a * log);
}

void ClassTreeBank::attempt(Own& own, std::size_t i, std::uint32_t place) {
    Leaf& leaf = trees_[i].leaves[place];
    leaf.tried = leaf.seen.total();
    if (!can_split(trees_[i], leaf)) {
        if (!wants_statistics(trees_[i], leaf)) drop(leaf);
        return;
    }
    std::size_t present = 0;
    for (std::size_t c = 0; c < leaf.seen.classes(); ++c) present += leaf.seen.own(c) > 0.0 ? 1 : 0;
    if (present < 2) return;
    const Test found = best_test(leaf, own);
    if (worth(leaf, found, own)) split(own, i, place, found);
}

// All the weight of the leaf is passed on; what came before its statistics is divided as they are.
void ClassTreeBank::split(Own& own, std::size_t i, std::uint32_t place, const Test& found) {
    Tree& tree = trees_[i];
    std::int32_t& test = test_of_slot_[static_cast<std::size_t>(found.slot)];
    if (test < 0) {
        test = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(found.slot);
    }
    const auto first = static_cast<std::uint32_t>(tree.nodes.size());
    const auto other = static_cast<std::uint32_t>(tree.leaves.size());
    const Leaf old = std::move(tree.leaves[place]);
    statistics_bytes_ -= old.seen.bytes();
    tree.nodes[old.node] = {test, first, found.threshold};
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(place), 0, 0.0});
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(other), 0, 0.0});
    nodes_ += 2;
    tree.leaves.emplace_back();
    Leaf& left = tree.leaves[place] = Leaf();
    Leaf& right = tree.leaves[other];
    left.seen = std::move(tree.spare[0]);
    right.seen = std::move(tree.spare[1]);
    for (std::size_t c = 0; c < old.seen.classes(); ++c) {
        double share = old.seen.own(c) > 0.0 ? own.best_left[c] / old.seen.own(c) : 0.5;
        if (share < kRounding) share = 0.0;
        if (share > 1.0 - kRounding) share = 1.0;
        const double goes_left = old.seen.sum(c) * share;
        if (goes_left > 0.0) left.seen.add_class(old.seen.id(c), goes_left);
        if (old.seen.sum(c) - goes_left > 0.0) right.seen.add_class(old.seen.id(c), old.seen.sum(c) - goes_left);
    }
    begin(i, left, first, old.depth + 1);
    begin(i, right, first + 1, old.depth + 1);
    for (Leaf* leaf : {&left, &right}) {
        leaf->active = wants_statistics(tree, *leaf);
        statistics_bytes_ += leaf->seen.bytes();
    }
}

}  // namespace onlineboost
