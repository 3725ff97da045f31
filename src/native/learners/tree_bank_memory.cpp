// How a bank of trees keeps within its bytes: the least promising leaves go without statistics.
#include <algorithm>
#include <tuple>

#include "engine/random.hpp"
#include "learners/tree_bank.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kReviewEvery = 4096;  // rounds, once memory has been short
}  // namespace

// One split at most for each tree, and a review at the end of the round.
void TreeBank::make_room(Scratch& shared, std::span<const FeatureId> fresh) {
    TreeScratch& scratch = own(shared);
    const Row& row = *scratch.row;
    for (auto* table : {&test_of_slot_, &left_test_of_slot_, &indicators_})
        onlineboost::make_room(*table, table->size() + fresh.size());
    onlineboost::make_room(tests_, tests_.size() + trees_.size());
    onlineboost::make_room(scratch.spread, tests_.size() + trees_.size());
    onlineboost::make_room(candidates_, nodes_ / 2 + 2 * trees_.size());
    if (reexamines()) make_room_on_paths(scratch);
    const bool noted = predicts_by_statistics();
    const std::size_t stages = noted ? 0 : 2;
    for (std::size_t turn = 0; turn < trees_.size() + stages * kAhead; ++turn) {
        const auto at_stage = [&](std::size_t stage) { return turn - stage * kAhead; };
        if (!noted && at_stage(0) < trees_.size()) leaf_of(scratch, at_stage(0)).statistics.fetch(row.slots);
        if (!noted && at_stage(1) < trees_.size()) find_features(scratch, at_stage(1));
        const std::size_t i = at_stage(stages);
        if (i >= trees_.size()) continue;
        Tree& tree = trees_[i];
        if (!tree.leaves[scratch.places[i]].active) continue;
        if (tree.leaves.size() < growth_.max_leaves) {
            onlineboost::make_room(tree.nodes, tree.nodes.size() + 2);
            onlineboost::make_room(tree.leaves, tree.leaves.size() + 1);
        }
        Tree::Leaf& leaf = tree.leaves[scratch.places[i]];
        LeafStatistics::Target* at = targets(scratch, i);
        for (std::size_t k = 0; !noted && k < row.size(); ++k)
            if (at[k] >= 0) at[k] = leaf.statistics.target(at[k], row.raw[k], growth_.bins);
        make_room(row, at, leaf);
    }
}

// Which feature of the leaf of tree i each value belongs to, in the place of its target.
void TreeBank::find_features(TreeScratch& scratch, std::size_t i) const {
    const Row& row = *scratch.row;
    const LeafStatistics& statistics = leaf_of(scratch, i).statistics;
    LeafStatistics::Target* found = targets(scratch, i);
    for (std::size_t k = 0; k < row.size(); ++k) {
        found[k] = row.slots[k] == Features::kUnseen ? LeafStatistics::kAbsent : statistics.find(row.slots[k]);
        if (found[k] >= 0) statistics.fetch_borders(found[k]);
    }
    for (const std::uint32_t k : row.gaps) found[k] = LeafStatistics::kRefused;
}

void TreeBank::make_room(const Row& row, LeafStatistics::Target* targets, Tree::Leaf& leaf) const {
    const std::size_t size = row.size();
    for (const std::uint32_t k : row.gaps) targets[k] = LeafStatistics::kRefused;
    LeafStatistics::Target any = 0;
    for (std::size_t k = 0; k < size; ++k) any |= targets[k];
    if (any >= 0) return;
    std::size_t features = 0, widened = 0;
    const LeafStatistics::Feature* known = leaf.statistics.features().data();
    for (std::size_t k = 0; k < size; ++k) {
        if (targets[k] >= 0 || targets[k] == LeafStatistics::kRefused) continue;
        if (targets[k] != LeafStatistics::kAbsent) {
            const LeafStatistics::Feature& feature =
                known[static_cast<std::size_t>(LeafStatistics::index_of(targets[k]))];
            widened += feature.cells == feature.room ? 1 : 0;
        } else if (mix64(leaf.key + kGolden * (std::uint64_t{row.ids[k]} + 1)) > cut_) {
            targets[k] = LeafStatistics::kRefused;
        } else {
            ++features;
        }
    }
    if (features + widened > 0) leaf.statistics.make_room(features, widened, growth_.bins, growth_.max_bytes);
}

void TreeBank::end_round() {
    ++rounds_;
    if (!overflow_ && !(short_ && rounds_ % kReviewEvery == 0)) return;
    overflow_ = false;
    short_ = true;
    review();
}

void TreeBank::drop(Tree::Leaf& leaf) {
    statistics_bytes_ -= leaf.statistics.bytes();
    restart(leaf, false);
}

void TreeBank::restart(Tree::Leaf& leaf, bool keep) const {
    for (int c = 0; c < 2; ++c) {
        leaf.before[c] += leaf.own[c];
        leaf.own[c] = 0.0;
    }
    leaf.tried = 0.0;
    leaf.active = keep;
    leaf.statistics.clear();
}

// Splits give up theirs. Statistics go to the leaves of most promise, as long as half of the free bytes last; what a
// leaf without statistics would take is guessed from those that have some.
void TreeBank::review() {
    candidates_.clear();
    std::size_t active = 0;
    for (Tree& tree : trees_)
        for (Tree::Leaf& split : tree.splits)
            if (split.active) drop(split);
    for (std::size_t i = 0; i < trees_.size(); ++i)
        for (std::size_t k = 0; k < trees_[i].leaves.size(); ++k) {
            Tree::Leaf& leaf = trees_[i].leaves[k];
            if (wants_statistics(trees_[i], leaf)) {
                candidates_.push_back({promise(leaf), i, k});
                if (leaf.active) ++active;
            } else if (leaf.active) {
                drop(leaf);
            }
        }
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(-a.promise, a.tree, a.leaf) < std::tuple(-b.promise, b.tree, b.leaf);
    });
    const std::size_t usual = active > 0 ? statistics_bytes_ / active : 0;
    const std::size_t budget = (growth_.max_bytes - std::min(fixed_bytes(), growth_.max_bytes)) / 2;
    std::size_t used = 0;
    for (const Candidate& candidate : candidates_) {
        Tree::Leaf& leaf = trees_[candidate.tree].leaves[candidate.leaf];
        const std::size_t cost = leaf.active ? leaf.statistics.bytes() : usual;
        const bool keep = used + cost <= budget;
        if (keep) used += cost;
        if (leaf.active && !keep) drop(leaf);
        if (!leaf.active && keep) restart(leaf, true);
    }
}

}  // namespace onlineboost
