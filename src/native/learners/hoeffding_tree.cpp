#include "learners/hoeffding_tree.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

constexpr double kLog2 = 0.69314718055994531;
constexpr double kRounding = 1e-9;  // a share of a class that is not more than this comes from the order of additions
constexpr double kLarge = 0x1p400, kSmall = 0x1p-400;
constexpr double kLargestWeight = 1e37;  // above what examples sum up to; products of two such numbers are taken

// Pairs are the weights of -1 and of +1; `more` begins with the weights that majority and Naive Bayes predicted
// correctly.

double total(const Tree::Leaf& leaf) { return leaf.own[0] + leaf.own[1]; }

// h = 2 p(+1) - 1 by the class weights.
double majority_of(const Tree::Leaf& leaf) {
    const double minus = leaf.sum(0), plus = leaf.sum(1), n = minus + plus;
    return n > 0.0 ? (plus - minus) / n : 0.0;
}

}  // namespace

HoeffdingTreeBank::HoeffdingTreeBank(std::size_t learners, Growth growth, Options options)
    : TreeBank(learners, growth), options_(options) {
    if (options_.resample > 0.0) {
        double p = math::exp_fixed(-options_.resample), cumulated = p;
        for (unsigned k = 1; k <= 1000; ++k) {
            poisson_.push_back(cumulated);
            p *= options_.resample / k;
            cumulated += p;
        }
    }
    for (std::size_t cells = 0; cells <= growth_.bins; ++cells) pseudo_.push_back(1.0 / static_cast<double>(cells + 1));
}

// Leaves lie anywhere in memory, which is asked for a few trees ahead.
void HoeffdingTreeBank::score(Scratch& shared) const {
    TreeScratch& scratch = own(shared);
    locate(scratch);
    const std::size_t size = scratch.row->size(), learners = layout.learners;
    scratch.bayes.resize(learners);
    scratch.cells.resize(learners * size);
    scratch.counts.resize(learners);
    const bool bayes = predicts_by_statistics();
    const std::size_t stages = bayes ? 3 : 0;
    for (std::size_t i = 0; i < learners + stages * kAhead; ++i) {
        // The tree that has come to this stage; out of range where there is none.
        const auto at = [&](std::size_t stage) { return i - stage * kAhead; };
        if (bayes) {
            if (at(0) < learners) leaf_of(scratch, at(0)).statistics.fetch(scratch.row->slots);
            if (at(1) < learners) find_features(scratch, at(1));
            if (at(2) < learners) find_cells(scratch, at(2));
        }
        if (at(stages) >= learners) continue;
        const Judged judged = judge(scratch, at(stages));
        scratch.bayes[at(stages)] = judged.bayes;
        scratch.h[at(stages)] = judged.chosen;
    }
}

void HoeffdingTreeBank::find_cells(TreeScratch& scratch, std::size_t i) const {
    const Row& row = *scratch.row;
    const LeafStatistics& statistics = leaf_of(scratch, i).statistics;
    LeafStatistics::Target* found = targets(scratch, i);
    CountedCell* cell = scratch.cells.data() + i * row.size();
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (found[k] < 0) continue;
        const LeafStatistics::Feature& feature = statistics.features()[static_cast<std::size_t>(found[k])];
        const double* weights = statistics.weights(feature, row.raw[k]);
        __builtin_prefetch(weights);
        found[k] = statistics.target(found[k], feature, row.raw[k], weights, growth_.bins);
        *cell++ = {weights, pseudo_[feature.cells]};
    }
    scratch.counts[i] = static_cast<std::uint32_t>(cell - (scratch.cells.data() + i * row.size()));
}

HoeffdingTreeBank::Judged HoeffdingTreeBank::judge(const TreeScratch& scratch, std::size_t i) const {
    const Tree::Leaf& leaf = leaf_of(scratch, i);
    const double majority = majority_of(leaf);
    if (options_.leaf == LeafRule::kMajority) return {0.0, majority};
    const double bayes =
        leaf.active ? naive_bayes(leaf, {scratch.cells.data() + i * scratch.row->size(), scratch.counts[i]}) : majority;
    const bool chosen = options_.leaf == LeafRule::kNaiveBayes || leaf.more[1] > leaf.more[0];
    return {bayes, chosen ? bayes : majority};
}

// Over the features that the row has: one without them costs nothing and says nothing. A cell of M + 1, the absence
// being one of them, has the chance (weight + 1 / (M + 1)) / (weight of the class + 1).
double HoeffdingTreeBank::naive_bayes(const Tree::Leaf& leaf, std::span<const CountedCell> cells) const {
    const double minus = leaf.sum(0), plus = leaf.sum(1);
    if (!(minus > kSmall && plus > kSmall)) return majority_of(leaf);
    double up = plus, down = minus, logs = 0.0;
    const double of_minus = leaf.own[0] + 1.0, of_plus = leaf.own[1] + 1.0;
    for (const CountedCell& cell : cells) {
        up *= (cell.pair[1] + cell.pseudo) * of_minus;
        down *= (cell.pair[0] + cell.pseudo) * of_plus;
        // Neither may overflow or vanish: they are scaled together, or, where they are too far apart, kept as a
        // logarithm.
        if (up > kLarge || down > kLarge || up < kSmall || down < kSmall) {
            const double scale = up > 1.0 && down > 1.0 ? kSmall : up < 1.0 && down < 1.0 ? kLarge : 0.0;
            const double scaled_up = up * scale, scaled_down = down * scale;
            if (std::min(scaled_up, scaled_down) > kSmall && std::max(scaled_up, scaled_down) < kLarge) {
                up = scaled_up;
                down = scaled_down;
            } else {
                logs += math::log_fixed(up) - math::log_fixed(down);
                up = down = 1.0;
            }
        }
    }
    return logs == 0.0 ? (up - down) / (up + down)
                       : math::tanh_half(logs + (math::log_fixed(up) - math::log_fixed(down)));
}

unsigned HoeffdingTreeBank::draw(std::size_t i) const {
    if (poisson_.empty()) return 1;
    const double u = uniform(hash64(growth_.seed, Purpose::kResample, i, rounds_));
    unsigned k = 0;
    while (k < poisson_.size() && u > poisson_[k]) ++k;
    return k;
}

void HoeffdingTreeBank::update(Scratch& shared, double y, const double* w) {
    TreeScratch& scratch = own(shared);
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) learn(scratch, i, y, w[i] * draw(i));
    end_round();
}

double HoeffdingTreeBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    TreeScratch& scratch = own(shared);
    const double weight = w * times;
    if (!(weight > 0.0)) return scratch.h[i];
    learn(scratch, i, y, weight * draw(i));
    spread(scratch);
    scratch.places[i] = trees_[i].find(scratch.spread.data());
    if (predicts_by_statistics()) {
        find_features(scratch, i);
        find_cells(scratch, i);
    }
    return judge(scratch, i).chosen;
}

void HoeffdingTreeBank::learn(TreeScratch& scratch, std::size_t i, double y, double w) {
    if (!(w > 0.0)) return;
    const int c = y > 0.0 ? 1 : 0;
    const double add[2] = {c == 0 ? w : 0.0, c == 1 ? w : 0.0};
    if (reexamines() && learn_path(scratch, i, c, add)) return;
    const std::uint32_t place = scratch.places[i];
    Tree::Leaf& leaf = trees_[i].leaves[place];
    if (options_.leaf == LeafRule::kAdaptive) {
        if (leaf.sum(c) > leaf.sum(1 - c)) leaf.more[0] += w;
        if (y * scratch.bayes[i] > 0.0) leaf.more[1] += w;
    }
    if (!leaf.active) {
        leaf.before[c] += w;
        return;
    }
    leaf.own[c] += w;
    observe(leaf, *scratch.row, targets(scratch, i), add);
    if (total(leaf) - leaf.tried >= growth_.grace) attempt(i, place);
}

void HoeffdingTreeBank::attempt(std::size_t i, std::uint32_t place) {
    Tree::Leaf& leaf = trees_[i].leaves[place];
    leaf.tried = total(leaf);
    if (!may_split(i, place)) return;
    const double odds = math::log_fixed(1.0 / growth_.delta) / total(leaf);
    const double most = impurity(options_.criterion, leaf.own);  // no gain can be larger
    if (options_.rule == Rule::kEvidence) {
        const double least = options_.criterion == Criterion::kGain ? odds / kLog2 : 2.0 * odds * most;
        if (most <= least) return;
        const Split found =
            best_split(leaf.statistics, leaf.own, ClassJudge(options_.criterion, leaf.own), indicators_);
        if (found.slot >= 0 && found.gain > least) split(i, place, found);
        return;
    }
    const double bound = std::sqrt(0.5 * odds);
    const bool tied = bound < options_.tie;
    if (!tied && most <= bound) return;
    const Split found = best_split(leaf.statistics, leaf.own, ClassJudge(options_.criterion, leaf.own), indicators_);
    if (found.slot >= 0 && (tied || found.gain - found.second > bound)) split(i, place, found);
}

// The splits above the leaf learn the row, from the root on. If one is replaced, the new leaves have it from there.
bool HoeffdingTreeBank::learn_path(TreeScratch& scratch, std::size_t i, int c, const double add[2]) {
    for (std::size_t k = i > 0 ? scratch.path_ends[i - 1] : 0; k < scratch.path_ends[i]; ++k) {
        const std::size_t split = scratch.path[k];
        Tree::Leaf& record = trees_[i].splits[split];
        record.own[c] += add[c];
        observe(record, *scratch.row, path_targets(scratch, k), add);
        if (total(record) - record.tried >= growth_.reexamine && reexamine(i, split)) return true;
    }
    return false;
}

// Two tests are compared by Hoeffding's bound, whatever the rule: the difference of their gains does not tend to 0 as
// that of a test by chance does.
bool HoeffdingTreeBank::reexamine(std::size_t i, std::size_t split) {
    Tree::Leaf& record = trees_[i].splits[split];
    record.tried = total(record);
    const double bound = std::sqrt(0.5 * (math::log_fixed(1.0 / growth_.delta) / total(record)));
    if (impurity(options_.criterion, record.own) <= bound) return false;
    const ClassJudge judge(options_.criterion, record.own);
    const Split found = best_split(record.statistics, record.own, judge, indicators_);
    const Split test = test_of(i, record);
    if (found.slot < 0 || found.slot == test.slot) return false;
    if (!(found.gain - gain_of(test, record.statistics, record.own, judge, indicators_) > bound)) return false;
    replace(i, split, found);
    return true;
}

double HoeffdingTreeBank::promise(const Tree::Leaf& leaf) const { return std::min(leaf.sum(0), leaf.sum(1)); }

// All the weight of the leaf is passed on; what came before its statistics is divided as they are.
void HoeffdingTreeBank::divide(const Tree::Leaf& old, const Split& found, Tree::Leaf& left, Tree::Leaf& right) const {
    for (int c = 0; c < 2; ++c) {
        double share = old.own[c] > 0.0 ? found.left[c] / old.own[c] : 0.5;
        if (share < kRounding) share = 0.0;
        if (share > 1.0 - kRounding) share = 1.0;
        left.before[c] = old.sum(c) * share;
        right.before[c] = old.sum(c) - left.before[c];
    }
}

void HoeffdingTreeBank::serialise_sums(Archive& archive, const std::vector<Tree::Leaf*>& leaves) {
    constexpr std::size_t kNumbers = 7;
    std::vector<double> numbers;
    for (const Tree::Leaf* leaf : leaves)
        numbers.insert(numbers.end(), {leaf->before[0], leaf->before[1], leaf->own[0], leaf->own[1], leaf->more[0],
                                       leaf->more[1], leaf->tried});
    archive.numbers("leaf_weights", numbers.data(), numbers.size(), 0.0, kLargestWeight);
    if (!archive.loading()) return;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        const double* from = numbers.data() + k * kNumbers;
        Tree::Leaf& leaf = *leaves[k];
        for (std::size_t c = 0; c < 2; ++c) {
            leaf.before[c] = from[c];
            leaf.own[c] = from[2 + c];
            leaf.more[c] = from[4 + c];
        }
        leaf.tried = from[6];
        const double heavier = std::max(leaf.sum(0), leaf.sum(1));  // a split hands it on as one number
        require(heavier <= kLargestWeight && leaf.tried <= total(leaf), "leaf_weights");
    }
}

void HoeffdingTreeBank::serialise_cells(Archive& archive, std::vector<double>& pairs) const {
    archive.numbers("cell_weights", pairs.data(), pairs.size(), 0.0, kLargestWeight);
}

HoeffdingTreeBank::Options HoeffdingTreeBank::Options::from(const Parameters& p) {
    return {p.choice<LeafRule>("leaf", {"majority", "naive_bayes", "adaptive"}),
            p.choice<Criterion>("criterion", {"gain", "gini"}), p.choice<Rule>("rule", {"hoeffding", "evidence"}),
            p.number("tie"), p.number("resample")};
}

std::unique_ptr<Bank> HoeffdingTreeBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<HoeffdingTreeBank>(learners, Growth::from(p), Options::from(p));
}

}  // namespace onlineboost
