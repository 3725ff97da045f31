#include "learners/hoeffding_tree.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

// Room of a node and of half a leaf, twice over, since vectors double. A tree of n nodes has (n + 1) / 2 leaves.
constexpr std::size_t kNodeBytes = 2 * (sizeof(Tree::Node) + 104);
static_assert(sizeof(Tree::Leaf) <= 208);
constexpr double kLog2 = 0.69314718055994531;
constexpr double kRounding = 1e-9;  // a share of a class that is not more than this comes from the order of additions
constexpr double kLarge = 0x1p400, kSmall = 0x1p-400;

}  // namespace

HoeffdingTreeBank::HoeffdingTreeBank(std::size_t learners, Options options)
    : Bank(learners), options_(options), cut_(~std::uint64_t{0}), trees_(learners), nodes_(learners) {
    if (options_.share < 1.0) cut_ = static_cast<std::uint64_t>(options_.share * 0x1p64);
    if (options_.resample > 0.0) {
        double p = math::exp_fixed(-options_.resample), cumulated = p;
        for (unsigned k = 1; k <= 1000; ++k) {
            poisson_.push_back(cumulated);
            p *= options_.resample / k;
            cumulated += p;
        }
    }
    for (std::size_t cells = 0; cells <= options_.bins; ++cells) pseudo_.push_back(1.0 / static_cast<double>(cells + 1));
    for (std::size_t i = 0; i < learners; ++i) {
        trees_[i].nodes.emplace_back();
        trees_[i].leaves.emplace_back();
        begin(i, trees_[i].leaves[0], 0, 0);
    }
}

void HoeffdingTreeBank::begin(std::size_t i, Tree::Leaf& leaf, std::uint32_t node, std::uint32_t depth) const {
    leaf.node = node;
    leaf.depth = depth;
    leaf.key = hash64(options_.seed, Purpose::kFeatures, i, options_.per_tree ? 0 : node);
}

bool HoeffdingTreeBank::can_split(const Tree& tree, const Tree::Leaf& leaf) const {
    return leaf.depth < options_.max_depth && tree.leaves.size() < options_.max_leaves &&
           fixed_bytes() + 2 * kNodeBytes <= options_.max_bytes / 2;
}

bool HoeffdingTreeBank::wants_statistics(const Tree& tree, const Tree::Leaf& leaf) const {
    return options_.leaf != LeafRule::kMajority || can_split(tree, leaf);
}

std::size_t HoeffdingTreeBank::fixed_bytes() const { return nodes_ * kNodeBytes; }

// The values that some node tests, out of the row; all others are 0.
void HoeffdingTreeBank::spread(Scratch& scratch) const {
    for (const std::int32_t t : scratch.tested) scratch.spread[static_cast<std::size_t>(t)] = 0.0;
    scratch.tested.clear();
    if (scratch.spread.size() < tests_.size()) scratch.spread.resize(tests_.size(), 0.0);
    for (std::size_t k = 0; k < scratch.row.size(); ++k) {
        const std::int32_t slot = scratch.row.slots[k];
        if (slot == Features::kUnseen) continue;
        const std::int32_t t = test_of_slot_[static_cast<std::size_t>(slot)];
        if (t < 0) continue;
        scratch.spread[static_cast<std::size_t>(t)] = scratch.row.raw[k];
        scratch.tested.push_back(t);
    }
}

// Where the score notes what the update looks up again; majority leaves look up nothing for a score.
std::int32_t* HoeffdingTreeBank::found(Scratch& scratch, std::size_t i) const {
    return options_.leaf == LeafRule::kMajority ? nullptr : scratch.found.data() + i * scratch.row.size();
}

void HoeffdingTreeBank::score(Scratch& scratch) const {
    spread(scratch);
    scratch.places.resize(layout.learners);
    for (std::size_t i = 0; i < layout.learners; ++i) {
        scratch.places[i] = trees_[i].find(scratch.spread.data());
        __builtin_prefetch(&trees_[i].leaves[scratch.places[i]]);
    }
    if (options_.leaf != LeafRule::kMajority) scratch.found.resize(layout.learners * scratch.row.size());
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const Judged judged = judge(trees_[i].leaves[scratch.places[i]], scratch.row, found(scratch, i));
        scratch.s[i] = judged.bayes;
        scratch.h[i] = judged.chosen;
    }
}

HoeffdingTreeBank::Judged HoeffdingTreeBank::judge(const Tree::Leaf& leaf, const Row& row, std::int32_t* found) const {
    const double majority = leaf.majority();
    if (options_.leaf == LeafRule::kMajority) return {0.0, majority};
    const double bayes = leaf.active ? naive_bayes(leaf, row, found) : majority;
    const bool chosen = options_.leaf == LeafRule::kNaiveBayes || leaf.right[1] > leaf.right[0];
    return {bayes, chosen ? bayes : majority};
}

// Over the features that the row has: one without them costs nothing and says nothing. A cell of M + 1, the absence being one of
// them, has the chance (weight + 1 / (M + 1)) / (weight of the class + 1). Notes in `found` where the features are.
double HoeffdingTreeBank::naive_bayes(const Tree::Leaf& leaf, const Row& row, std::int32_t* found) const {
    const double minus = leaf.weight(0), plus = leaf.weight(1);
    const bool both = minus > kSmall && plus > kSmall;
    double up = plus, down = minus, logs = 0.0;
    const double of_minus = leaf.own[0] + 1.0, of_plus = leaf.own[1] + 1.0;
    const auto& features = leaf.statistics.features();
    for (std::size_t k = 0; k < row.size(); ++k) {
        found[k] = row.slots[k] == Features::kUnseen ? -1 : leaf.statistics.find(row.slots[k]);
        if (found[k] < 0) continue;
        const LeafStatistics::Feature& feature = features[static_cast<std::size_t>(found[k])];
        const double* weights = leaf.statistics.weights(feature, row.raw[k]);
        const double pseudo = pseudo_[feature.cells];
        up *= (weights[1] + pseudo) * of_minus;
        down *= (weights[0] + pseudo) * of_plus;
        // Neither may overflow or vanish: they are scaled together, or, where they are too far apart, kept as a logarithm.
        if (both && (up > kLarge || down > kLarge || up < kSmall || down < kSmall)) {
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
    if (!both) return leaf.majority();
    return logs == 0.0 ? (up - down) / (up + down) : math::tanh_half(logs + (math::log_fixed(up) - math::log_fixed(down)));
}

// Features that appeared can be tested later only, but Naive Bayes and the statistics take them at once.
void HoeffdingTreeBank::meet(Scratch&, const std::vector<FeatureId>& ids, std::size_t) { test_of_slot_.resize(ids.size(), -1); }

unsigned HoeffdingTreeBank::draw(std::size_t i) const {
    if (poisson_.empty()) return 1;
    const double u = uniform(hash64(options_.seed, Purpose::kResample, i, rounds_));
    unsigned k = 0;
    while (k < poisson_.size() && u > poisson_[k]) ++k;
    return k;
}

void HoeffdingTreeBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) learn(scratch, i, y, w[i] * draw(i));
    end_round();
}

double HoeffdingTreeBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    const double weight = w * times;
    if (!(weight > 0.0)) return scratch.h[i];
    learn(scratch, i, y, weight * draw(i));
    spread(scratch);
    const Tree::Leaf& leaf = trees_[i].leaves[trees_[i].find(scratch.spread.data())];
    return judge(leaf, scratch.row, found(scratch, i)).chosen;
}

void HoeffdingTreeBank::finish(Scratch&) { end_round(); }

void HoeffdingTreeBank::learn(Scratch& scratch, std::size_t i, double y, double w) {
    if (!(w > 0.0)) return;
    const int c = y > 0.0 ? 1 : 0;
    const std::uint32_t place = scratch.places[i];
    Tree::Leaf& leaf = trees_[i].leaves[place];
    if (options_.leaf == LeafRule::kAdaptive) {
        if (leaf.weight(c) > leaf.weight(1 - c)) leaf.right[0] += w;
        if (y * scratch.s[i] > 0.0) leaf.right[1] += w;
    }
    if (!leaf.active) {
        leaf.before[c] += w;
        return;
    }
    leaf.own[c] += w;
    observe(leaf, scratch.row, found(scratch, i), c, w);
    if (leaf.total() - leaf.tried >= options_.grace) attempt(i, place);
}

// `found` may be null: then the features are looked up.
void HoeffdingTreeBank::observe(Tree::Leaf& leaf, const Row& row, const std::int32_t* found, int c, double w) {
    LeafStatistics& statistics = leaf.statistics;
    const std::size_t before = statistics.bytes();
    const std::size_t rest = fixed_bytes() + statistics_bytes_ - before;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const std::int32_t index = found ? found[k] : statistics.find(row.slots[k]);
        if (index >= 0 && statistics.learn_known(index, row.raw[k], c, w, options_.bins)) continue;
        if (index < 0 && mix64(leaf.key + kGolden * (std::uint64_t{row.ids[k]} + 1)) > cut_) continue;
        const std::size_t used = rest + statistics.bytes();
        const std::size_t left = options_.max_bytes > used ? options_.max_bytes - used : 0;
        if (!statistics.learn(index, row.slots[k], row.raw[k], c, w, options_.bins, left)) overflow_ = true;
    }
    statistics_bytes_ += statistics.bytes() - before;
}

void HoeffdingTreeBank::attempt(std::size_t i, std::uint32_t place) {
    Tree::Leaf& leaf = trees_[i].leaves[place];
    leaf.tried = leaf.total();
    if (!can_split(trees_[i], leaf)) {
        if (!wants_statistics(trees_[i], leaf)) drop(leaf);
        return;
    }
    const double odds = math::log_fixed(1.0 / options_.delta) / leaf.total();
    const double most = impurity(options_.criterion, leaf.own);  // no gain can be larger
    if (options_.rule == Rule::kEvidence) {
        const double least = options_.criterion == Criterion::kGain ? odds / kLog2 : 2.0 * odds * most;
        if (most <= least) return;
        const Split found = best_split(leaf.statistics, leaf.own, options_.criterion);
        if (found.slot >= 0 && found.gain > least) split(i, place, found);
        return;
    }
    const double bound = std::sqrt(0.5 * odds);
    const bool tied = bound < options_.tie;
    if (!tied && most <= bound) return;
    const Split found = best_split(leaf.statistics, leaf.own, options_.criterion);
    if (found.slot >= 0 && (tied || found.gain - found.second > bound)) split(i, place, found);
}

void HoeffdingTreeBank::split(std::size_t i, std::uint32_t place, const Split& found) {
    Tree& tree = trees_[i];
    std::int32_t& test = test_of_slot_[static_cast<std::size_t>(found.slot)];
    if (test < 0) {
        test = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(found.slot);
    }
    const auto first = static_cast<std::uint32_t>(tree.nodes.size());
    const auto other = static_cast<std::uint32_t>(tree.leaves.size());
    const Tree::Leaf old = std::move(tree.leaves[place]);
    statistics_bytes_ -= old.statistics.bytes();
    tree.nodes[old.node] = {test, first, found.threshold};
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(place), 0, 0.0});
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(other), 0, 0.0});
    nodes_ += 2;
    tree.leaves.emplace_back();
    Tree::Leaf& left = tree.leaves[place] = Tree::Leaf();
    Tree::Leaf& right = tree.leaves[other];
    // All the weight of the leaf is passed on; what came before its statistics is divided as they are.
    for (int c = 0; c < 2; ++c) {
        double share = old.own[c] > 0.0 ? found.left[c] / old.own[c] : 0.5;
        if (share < kRounding) share = 0.0;
        if (share > 1.0 - kRounding) share = 1.0;
        left.before[c] = old.weight(c) * share;
        right.before[c] = old.weight(c) - left.before[c];
    }
    begin(i, left, first, old.depth + 1);
    begin(i, right, first + 1, old.depth + 1);
    for (Tree::Leaf* leaf : {&left, &right})
        leaf->active = wants_statistics(tree, *leaf);
}

}  // namespace onlineboost
