// Which test divides a leaf of many classes best, and when it is good enough.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"
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

// What it must be more than to be worth a split, times n, of the best test: its gain, or with Hoeffding's bound by how
// much it exceeds the second best.
double ClassTreeBank::least_gain(const std::vector<double>& weights, std::size_t classes, double n,
                                 double whole) const {
    const double log = math::log_fixed(1.0 / growth_.delta);
    const bool gini = options_.criterion == Criterion::kGini;
    if (options_.rule == HoeffdingTreeBank::Rule::kHoeffding) {
        const double range = gini ? 1.0 : math::log_fixed(static_cast<double>(classes));
        const double bound = std::sqrt(0.5 * log / n);
        return bound < options_.tie ? -1.0 : n * range * bound;
    }
    const auto degrees = static_cast<double>(classes) - 2.0;
    if (!gini) return log + 0.5 * degrees + std::sqrt(degrees * log);
    const double most = *std::max_element(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(classes));
    const double g = whole / n, a = std::min(g, most / n), rest = g - a;
    return 2.0 * a * log + rest + 2.0 * std::sqrt(rest * a * log);
}

// The gains of the tests whose weights on the left are in own.lefts, times n. Tests lie side by side, and classes are
// added one after the other.
void ClassTreeBank::find_gains(Own& own, std::size_t classes, std::size_t tests, double n, double whole) const {
    const std::size_t stride = own.stride;
    double *l = own.sums.data(), *l2 = l + stride, *r = l2 + stride, *r2 = r + stride;
    kernels().class_sums(own.lefts.data(), stride, own.own.data(), classes, l, l2, r, r2, tests);
    for (std::size_t t = 0; t < tests; ++t) {
        double& gain = own.gains[t];
        if (std::min(l[t], r[t]) < kLeastBranch * n) {
            gain = 0.0;
        } else if (options_.criterion == Criterion::kGini) {
            gain = whole - (l[t] - l2[t] / l[t]) - (r[t] - r2[t] / r[t]);
        } else {
            for (std::size_t c = 0; c < classes; ++c) {
                own.left[c] = own.lefts[c * stride + t];
                own.other[c] = std::max(own.own[c] - own.left[c], 0.0);
            }
            gain = whole - impurity(own.left, classes, l[t]) - impurity(own.other, classes, r[t]);
        }
    }
}

// All tests on a feature, in ascending order of their thresholds; gives how many.
std::size_t ClassTreeBank::list_tests(const ClassLeaf& seen, const ClassLeaf::Feature& feature, Own& own) const {
    constexpr double above_zero = std::numeric_limits<double>::min();  // x < above_zero: x is not positive
    const std::size_t wide = ClassLeaf::padded(seen.classes()), stride = own.stride;
    double *zero = own.zero.data(), *left = own.left.data(), *lefts = own.lefts.data();
    std::copy_n(own.own.begin(), wide, zero);
    std::fill_n(left, wide, 0.0);
    // Four classes at a time; beyond the leaf's all is 0.
    const auto fours = [wide](auto task) {
        for (std::size_t c = 0; c < wide; c += 4)
            for (std::size_t j = c; j < c + 4; ++j) task(j);
    };
    const auto add = [&](std::size_t k, double sign, double* to) {
        if (!feature.has_rows()) {
            to[seen.one(feature, k).c] += sign * static_cast<double>(seen.one(feature, k).weight);
            return;
        }
        const float* weights = seen.row(feature, k);
        fours([=](std::size_t c) { to[c] += sign * static_cast<double>(weights[c]); });
    };
    for (std::size_t k = 0; k < feature.cells; ++k) add(k, -1.0, zero);
    fours([&](std::size_t c) { zero[c] = zero[c] > kRounding * own.own[c] ? zero[c] : 0.0; });
    std::size_t tests = 0;
    const auto test = [&](double threshold) {
        own.thresholds[tests] = threshold;
        fours([=](std::size_t c) { lefts[c * stride + tests] = left[c]; });
        ++tests;
    };
    bool zero_passed = false;
    for (std::size_t k = 0; k <= feature.cells; ++k) {
        const bool last = k == feature.cells;
        const double border = last ? 0.0 : seen.border(feature, k);
        if (!zero_passed && (last || border > 0.0)) {
            if (k > 0) test(0.0);
            fours([=](std::size_t c) { left[c] += zero[c]; });
            if (!last) test(above_zero);
            zero_passed = true;
        } else if (k > 0 && !last) {
            test(border);
        }
        if (last) break;
        add(k, 1.0, left);
    }
    return tests;
}

ClassTreeBank::Test ClassTreeBank::best_test(const Leaf& leaf, Own& own, double n, double whole) const {
    const ClassLeaf& seen = leaf.seen;
    const std::size_t classes = seen.classes();
    const double tie = 1e-10 * n;
    Test best;
    for (const ClassLeaf::Feature& feature : seen.features()) {
        if (&feature != &seen.features().back()) seen.fetch_rows(*(&feature + 1));
        const std::size_t tests = list_tests(seen, feature, own);
        find_gains(own, classes, tests, n, whole);
        Test found;
        std::size_t at = tests;
        for (std::size_t t = 0; t < tests; ++t) {
            if (!(own.gains[t] > found.gain + tie)) continue;
            found.gain = own.gains[t];
            found.threshold = own.thresholds[t];
            if (found.gain > best.gain + tie) at = t;
        }
        if (at < tests) {
            for (std::size_t c = 0; c < classes; ++c) own.best_left[c] = own.lefts[c * own.stride + at];
            found.second = best.gain;
            found.slot = feature.slot;
            best = found;
        } else {
            best.second = std::max(best.second, found.gain);
        }
    }
    return best;
}

void ClassTreeBank::attempt(Own& own, std::size_t i, std::uint32_t place) {
    Leaf& leaf = trees_[i].leaves[place];
    leaf.tried = leaf.seen.total();
    if (!can_split(trees_[i], leaf)) {
        if (!wants_statistics(trees_[i], leaf)) drop(leaf);
        return;
    }
    const std::size_t classes = leaf.seen.classes();
    std::size_t present = 0;
    std::fill(own.own.begin(), own.own.end(), 0.0);
    for (std::size_t c = 0; c < classes; ++c) present += (own.own[c] = leaf.seen.own(c)) > 0.0 ? 1 : 0;
    if (present < 2) return;
    const double n = leaf.tried, whole = impurity(own.own, classes, n);
    const double least = least_gain(own.own, classes, n, whole);
    if (whole * (1.0 + kRounding) <= least) return;  // no gain can be larger
    const Test found = best_test(leaf, own, n, whole);
    const bool hoeffding = options_.rule == HoeffdingTreeBank::Rule::kHoeffding;
    if (found.slot >= 0 && (hoeffding ? found.gain - found.second : found.gain) > least) split(own, i, place, found);
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
    left.seen = std::exchange(tree.spare[0], {});
    right.seen = std::exchange(tree.spare[1], {});
    tree.spare_classes = 0;
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
