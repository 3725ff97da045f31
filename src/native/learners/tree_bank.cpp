#include "learners/tree_bank.hpp"

#include <algorithm>
#include <limits>

#include "engine/missing.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

// Room of a node and of half a leaf, twice over, since vectors double. A tree of n nodes has (n + 1) / 2 leaves.
constexpr std::size_t kWalks = 8;
constexpr std::size_t kHalfLeaf = 104, kNodeBytes = 2 * (sizeof(Tree::Node) + kHalfLeaf);
static_assert(sizeof(Tree::Leaf) <= 2 * kHalfLeaf);

}  // namespace

TreeBank::Growth TreeBank::Growth::from(const Parameters& p) {
    return {p.number("grace"),     p.number("delta"),
            p.count("bins"),       p.number("share"),
            p.flag("per_tree"),    p.count("max_depth"),
            p.count("max_leaves"), p.count("max_bytes"),
            p.whole("seed"),       p.has("reexamine") ? p.number("reexamine") : 0.0};
}

TreeBank::TreeBank(std::size_t learners, Growth growth)
    : BankWith(learners), growth_(growth), trees_(learners), cut_(~std::uint64_t{0}), nodes_(learners) {
    if (growth_.share < 1.0) cut_ = static_cast<std::uint64_t>(growth_.share * 0x1p64);
    for (std::size_t i = 0; i < learners; ++i) {
        trees_[i].nodes.emplace_back();
        trees_[i].leaves.emplace_back();
        begin(i, trees_[i].leaves[0], 0, 0);
    }
}

void TreeBank::forget(std::size_t i) {
    Tree& tree = trees_[i];
    for (const auto* records : {&tree.leaves, &tree.splits})
        for (const Tree::Leaf& leaf : *records) statistics_bytes_ -= leaf.statistics.bytes();
    for (const Tree::Leaf& leaf : tree.leaves) line_bytes_ -= Tree::Leaf::line_bytes(leaf.line.size());
    tree.splits.clear();
    nodes_ -= tree.nodes.size() - 1;
    tree.nodes.resize(1);
    tree.nodes[0] = {};
    tree.leaves.resize(1);
    tree.leaves[0] = {};
    begin(i, tree.leaves[0], 0, 0);
}

void TreeBank::begin(std::size_t i, Tree::Leaf& leaf, std::uint32_t node, std::uint32_t depth) const {
    leaf.node = node;
    leaf.depth = depth;
    leaf.key = hash64(growth_.seed, Purpose::kFeatures, i, growth_.per_tree ? 0 : node);
}

// Where splits are replaced, nodes move: then the features of a leaf follow from the way to it.
void TreeBank::begin_below(std::size_t i, const Tree::Leaf& parent, std::size_t side, Tree::Leaf& leaf,
                           std::uint32_t node) const {
    begin(i, leaf, node, parent.depth + 1);
    if (reexamines()) leaf.key = growth_.per_tree ? parent.key : hash64(parent.key, Purpose::kFeatures, side, 0);
}

bool TreeBank::can_split(const Tree& tree, const Tree::Leaf& leaf) const {
    return leaf.depth < growth_.max_depth && tree.leaves.size() < growth_.max_leaves &&
           spares(2 * node_bytes() + Tree::Leaf::line_bytes(leaf.line.size()));
}

bool TreeBank::wants_statistics(const Tree& tree, const Tree::Leaf& leaf) const {
    return predicts_by_statistics() || can_split(tree, leaf);
}

std::size_t TreeBank::node_bytes() const { return kNodeBytes + (reexamines() ? 2 * kHalfLeaf : 0); }

std::size_t TreeBank::fixed_bytes() const { return nodes_ * node_bytes() + line_bytes_; }

// The values that some node tests, out of the row; all others are 0. A missing one is on the side of every threshold
// that its test was made for.
void TreeBank::spread(TreeScratch& scratch) const {
    const Row& row = *scratch.row;
    for (const std::int32_t t : scratch.tested) scratch.spread[static_cast<std::size_t>(t)] = 0.0;
    scratch.tested.clear();
    scratch.tested.reserve(2 * row.size());  // before anything is spread that it does not list
    if (scratch.spread.size() < tests_.size()) scratch.spread.resize(tests_.size(), 0.0);
    for (std::size_t k = 0; k < row.size(); ++k) {
        const std::int32_t slot = row.slots[k];
        if (slot == Features::kUnseen) continue;
        const std::int32_t t = test_of_slot_[static_cast<std::size_t>(slot)];
        if (t < 0) continue;
        scratch.spread[static_cast<std::size_t>(t)] = row.raw[k];
        scratch.tested.push_back(t);
    }
    if (left_tests_ || !row.gaps.empty()) spread_gaps(scratch);
}

void TreeBank::spread_gaps(TreeScratch& scratch) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Row& row = *scratch.row;
    auto gap = row.gaps.begin();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const bool missing = gap != row.gaps.end() && *gap == k;
        gap += missing ? 1 : 0;
        if (row.slots[k] == Features::kUnseen) continue;
        const auto slot = static_cast<std::size_t>(row.slots[k]);
        if (const std::int32_t t = left_test_of_slot_[slot]; t >= 0) {
            scratch.spread[static_cast<std::size_t>(t)] = missing ? -infinity : row.raw[k];
            scratch.tested.push_back(t);
        }
        if (missing && test_of_slot_[slot] >= 0)
            scratch.spread[static_cast<std::size_t>(test_of_slot_[slot])] = infinity;
    }
}

void TreeBank::locate(TreeScratch& scratch) const {
    spread(scratch);
    scratch.places.resize(layout.learners);
    scratch.found.resize(layout.learners * scratch.row->size());
    // Several trees at a time: while one walk waits for memory the others go on.
    const double* x = scratch.spread.data();
    const Tree::Node* at[kWalks];
    for (std::size_t from = 0; from < layout.learners; from += kWalks) {
        const std::size_t walks = std::min(kWalks, layout.learners - from);
        for (std::size_t k = 0; k < walks; ++k) at[k] = trees_[from + k].nodes.data();
        for (bool inside = true; inside;) {
            inside = false;
            for (std::size_t k = 0; k < walks; ++k) {
                if (at[k]->test < 0) continue;
                at[k] = trees_[from + k].nodes.data() + trees_[from + k].next(*at[k], x);
                inside = true;
            }
        }
        for (std::size_t k = 0; k < walks; ++k) {
            scratch.places[from + k] = static_cast<std::uint32_t>(-1 - at[k]->test);
            const auto* leaf = reinterpret_cast<const char*>(&trees_[from + k].leaves[scratch.places[from + k]]);
            for (std::size_t byte = 0; byte < sizeof(Tree::Leaf); byte += 64) __builtin_prefetch(leaf + byte);
        }
    }
}

// Features that appeared can be tested later only, but the statistics take them at once.
void TreeBank::meet(Scratch&, const std::vector<FeatureId>& ids, std::size_t from) {
    test_of_slot_.resize(ids.size(), -1);
    left_test_of_slot_.resize(ids.size(), -1);
    find_indicators(ids, from);
}

void TreeBank::find_indicators(const std::vector<FeatureId>& ids, std::size_t from) {
    indicators_.resize(ids.size(), -1);
    for (std::size_t slot = from; slot < ids.size(); ++slot) {
        if (ids[slot] < kIndicators) continue;
        const auto base = std::find(ids.begin(), ids.end(), indicator_of(ids[slot]));  // it is its own inverse
        if (base != ids.end())
            indicators_[static_cast<std::size_t>(base - ids.begin())] = static_cast<std::int32_t>(slot);
    }
}

void TreeBank::finish(Scratch&) { end_round(); }

void TreeBank::observe(Tree::Leaf& leaf, const Row& row, const LeafStatistics::Target* targets, const double add[2]) {
    LeafStatistics& statistics = leaf.statistics;
    const std::size_t before = statistics.bytes();
    const std::size_t rest = fixed_bytes() + statistics_bytes_ - before;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const LeafStatistics::Target target = targets[k];
        if (target >= 0) {
            statistics.learn_known(target, add);
            continue;
        }
        if (target == LeafStatistics::kRefused) continue;
        const std::int32_t index = target == LeafStatistics::kAbsent ? -1 : LeafStatistics::index_of(target);
        const std::size_t used = rest + statistics.bytes();
        const std::size_t left = growth_.max_bytes > used ? growth_.max_bytes - used : 0;
        if (!statistics.learn(index, row.slots[k], row.raw[k], add, growth_.bins, left)) overflow_ = true;
    }
    statistics_bytes_ += statistics.bytes() - before;
}

bool TreeBank::may_split(std::size_t i, std::uint32_t place) {
    Tree::Leaf& leaf = trees_[i].leaves[place];
    if (can_split(trees_[i], leaf)) return true;
    if (!wants_statistics(trees_[i], leaf)) drop(leaf);
    return false;
}

std::int32_t TreeBank::number_of_test(const Split& found) {
    auto& made = found.missing_left ? left_test_of_slot_ : test_of_slot_;
    std::int32_t& test = made[static_cast<std::size_t>(found.slot)];
    if (test < 0) {
        test = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(found.missing_left ? -1 - found.slot : found.slot);
        left_tests_ |= found.missing_left;
    }
    return test;
}

void TreeBank::split(std::size_t i, std::uint32_t place, const Split& found) {
    branch(i, std::move(trees_[i].leaves[place]), place, found);
}

// Its node gets two leaves: one takes the place, the other comes last.
void TreeBank::branch(std::size_t i, Tree::Leaf old, std::uint32_t place, const Split& found) {
    Tree& tree = trees_[i];
    const auto first = static_cast<std::uint32_t>(tree.nodes.size());
    const auto other = static_cast<std::uint32_t>(tree.leaves.size());
    tree.nodes[old.node] = {number_of_test(found), first, found.threshold};
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(place), 0, 0.0});
    tree.nodes.push_back({-1 - static_cast<std::int32_t>(other), 0, 0.0});
    nodes_ += 2;
    tree.leaves.emplace_back();
    Tree::Leaf& left = tree.leaves[place] = Tree::Leaf();
    Tree::Leaf& right = tree.leaves[other];
    divide(old, found, left, right);
    begin_below(i, old, 0, left, first);
    begin_below(i, old, 1, right, first + 1);
    for (Tree::Leaf* leaf : {&left, &right}) leaf->active = wants_statistics(tree, *leaf);
    if (reexamines())
        tree.splits.push_back(std::move(old));
    else
        statistics_bytes_ -= old.statistics.bytes();
}

}  // namespace onlineboost
