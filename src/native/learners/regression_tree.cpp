#include "learners/regression_tree.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

namespace {

constexpr double kRounding = 1e-9;    // a variance below this share of the squares comes from rounding
constexpr double kLargestSum = 1e37;  // above what examples sum up to
constexpr double kInherited = 1e41;   // and what a thousand cells of that size hand on
constexpr double kLargestSquare = 1e74;

// Pairs are G = sum w r and H = sum w; `more` holds the sums since the statistics began of (w r)^2, w^2 r, w^2 and 1.
enum More { kSquares, kMixed, kWeights, kCount };

}  // namespace

RegressionTreeBank::RegressionTreeBank(std::size_t learners, Growth growth, Options options)
    : TreeBank(learners, growth), options_(options), least_(2.0 * math::log_fixed(1.0 / growth.delta)),
      spare_(options.lines ? learners : 0) {}

double RegressionTreeBank::mean(const Tree::Leaf& leaf) const {
    const double h = leaf.sum(1) + options_.lambda;
    return h > 0.0 ? leaf.sum(0) / h : 0.0;
}

double RegressionTreeBank::output(const Tree::Leaf& leaf, const TreeScratch& scratch) const {
    const bool line = !leaf.line.empty() && leaf.line[0] < 0.0;
    return std::clamp(line ? mean(leaf) + along(leaf, scratch) : mean(leaf), -1.0, 1.0);
}

void RegressionTreeBank::score(Scratch& shared) const {
    TreeScratch& scratch = own(shared);
    locate(scratch);
    if (options_.lines) standardise(scratch);
    for (std::size_t i = 0; i < layout.learners; ++i)
        scratch.h[i] = output(trees_[i].leaves[scratch.places[i]], scratch);
}

void RegressionTreeBank::update(Scratch& scratch, double y, const double* w) { regress(scratch, y, w, w); }

void RegressionTreeBank::regress(Scratch& scratch, double y, const double* pull, const double* w) {
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) learn(own(scratch), i, y * pull[i], w[i]);
    finish(scratch);
}

double RegressionTreeBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    TreeScratch& scratch = own(shared);
    const double weight = w * times;
    if (!(weight > 0.0)) return scratch.h[i];
    learn(scratch, i, y * weight, weight);
    spread(scratch);
    return output(trees_[i].leaves[trees_[i].find(scratch.spread.data())], scratch);
}

void RegressionTreeBank::learn(TreeScratch& scratch, std::size_t i, double g, double w) {
    const std::uint32_t place = scratch.places[i];
    Tree::Leaf& leaf = trees_[i].leaves[place];
    const double add[2] = {g, w};
    if (options_.lines) learn_line(leaf, scratch, g, w);
    if (!leaf.active) {
        leaf.before[0] += g;
        leaf.before[1] += w;
        return;
    }
    leaf.own[0] += g;
    leaf.own[1] += w;
    leaf.more[kSquares] += g * g;
    leaf.more[kMixed] += g * w;
    leaf.more[kWeights] += w * w;
    leaf.more[kCount] += 1.0;
    observe(leaf, *scratch.row, targets(scratch, i), add);
    if (leaf.more[kCount] - leaf.tried >= growth_.grace) attempt(i, place);
}

// If a test says nothing of the target, its gain has the mean V / H with V = sum w^2 (r - mean)^2, and gain H / V is
// nearly chi-squared of one degree.
void RegressionTreeBank::attempt(std::size_t i, std::uint32_t place) {
    Tree::Leaf& leaf = trees_[i].leaves[place];
    leaf.tried = leaf.more[kCount];
    if (!may_split(i, place)) return;
    const double mean = leaf.own[0] / leaf.own[1];
    const double v = leaf.more[kSquares] - mean * (2.0 * leaf.more[kMixed] - mean * leaf.more[kWeights]);
    const double variance = std::max(v, kRounding * leaf.more[kSquares]);
    if (!(variance > 0.0)) return;
    const Split found = best_split(leaf.statistics, leaf.own,
                                   GradientJudge(leaf.own, options_.lambda, leaf.own[1] / variance), indicators_);
    if (found.slot < 0 || !(found.gain > least_)) return;
    const double share = found.left[1] / leaf.own[1];
    std::vector<double> line = std::move(leaf.line);
    split(i, place, found);
    if (!line.empty()) divide_line(i, place, std::move(line), share);
}

// The more weight, the more a split can gain.
double RegressionTreeBank::promise(const Tree::Leaf& leaf) const { return leaf.sum(1); }

// All that the leaf summed up is passed on; what came before its statistics goes with the weight.
void RegressionTreeBank::divide(const Tree::Leaf& old, const Split& found, Tree::Leaf& left, Tree::Leaf& right) const {
    const double share = found.left[1] / old.own[1];
    for (int c = 0; c < 2; ++c) {
        left.before[c] = found.left[c] + old.before[c] * share;
        right.before[c] = old.sum(c) - left.before[c];
    }
}

void RegressionTreeBank::restart(Tree::Leaf& leaf, bool keep) const {
    TreeBank::restart(leaf, keep);
    std::fill_n(leaf.more, 4, 0.0);
}

void RegressionTreeBank::serialise_sums(Archive& archive, const std::vector<Tree::Leaf*>& leaves) {
    const auto field = [&](const char* name, std::size_t count, auto member, double low, double high) {
        std::vector<double> numbers;
        for (const Tree::Leaf* leaf : leaves) numbers.insert(numbers.end(), member(*leaf), member(*leaf) + count);
        archive.numbers(name, numbers.data(), numbers.size(), low, high);
        if (archive.loading())
            for (std::size_t k = 0; k < leaves.size(); ++k)
                std::copy_n(numbers.data() + k * count, count, const_cast<double*>(member(*leaves[k])));
    };
    field("leaf_before", 2, [](const Tree::Leaf& leaf) { return leaf.before; }, -kInherited, kInherited);
    field("leaf_own", 2, [](const Tree::Leaf& leaf) { return leaf.own; }, -kLargestSum, kLargestSum);
    field("leaf_squares", 4, [](const Tree::Leaf& leaf) { return leaf.more; }, -kLargestSquare, kLargestSquare);
    field("leaf_tried", 1, [](const Tree::Leaf& leaf) { return &leaf.tried; }, 0.0, kLargestSum);
    if (options_.lines) serialise_lines(archive, leaves);
    if (!archive.loading()) return;
    for (const Tree::Leaf* leaf : leaves) {
        require(leaf->before[1] >= 0.0, "leaf_before");
        require(leaf->own[1] >= 0.0, "leaf_own");
        require(leaf->more[kSquares] >= 0.0 && leaf->more[kWeights] >= 0.0 && leaf->more[kCount] >= leaf->tried,
                "leaf_squares");
        require(leaf->own[1] > 0.0 || leaf->more[kCount] == 0.0, "leaf_own");
    }
}

void RegressionTreeBank::serialise_cells(Archive& archive, std::vector<double>& pairs) const {
    archive.numbers("cell_sums", pairs.data(), pairs.size(), -kLargestSum, kLargestSum);
    if (!archive.loading()) return;
    for (std::size_t k = 1; k < pairs.size(); k += 2) require(pairs[k] >= 0.0, "cell_sums");
}

std::unique_ptr<Bank> RegressionTreeBank::build(const Parameters& p, std::size_t learners) {
    const bool lines = p.has("leaf") && p.choice<int>("leaf", {"mean", "adaptive"}) != 0;
    return std::make_unique<RegressionTreeBank>(learners, Growth::from(p), Options{p.number("lambda"), lines});
}

}  // namespace onlineboost
