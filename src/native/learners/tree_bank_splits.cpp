// Splits that are re-examined (Manapragada, Webb & Salehi, KDD 2018): they go on learning, and may get another test.
#include <algorithm>

#include "learners/tree_bank.hpp"

namespace onlineboost {

// What the splits on the ways of the row need to learn it.
void TreeBank::make_room_on_paths(TreeScratch& scratch) {
    const Row& row = *scratch.row;
    scratch.path.clear();
    scratch.path_ends.clear();
    for (Tree& tree : trees_) {
        onlineboost::make_room(tree.splits, tree.splits.size() + 1);
        onlineboost::make_room(moved_, tree.splits.size());
        const Tree::Node* node = tree.nodes.data();
        while (node->test >= 0) {
            const std::size_t split = Tree::split_of(node->left);
            if (tree.splits[split].active) scratch.path.push_back(static_cast<std::uint32_t>(split));
            node = tree.nodes.data() + tree.next(*node, scratch.spread.data());
        }
        scratch.path_ends.push_back(scratch.path.size());
    }
    scratch.found_on_path.resize(scratch.path.size() * row.size());
    for (std::size_t i = 0, k = 0; i < trees_.size(); ++i)
        for (; k < scratch.path_ends[i]; ++k) {
            Tree::Leaf& split = trees_[i].splits[scratch.path[k]];
            LeafStatistics::Target* at = path_targets(scratch, k);
            for (std::size_t j = 0; j < row.size(); ++j)
                at[j] =
                    row.slots[j] == Features::kUnseen ? LeafStatistics::kAbsent : split.statistics.find(row.slots[j]);
            for (std::size_t j = 0; j < row.size(); ++j)
                if (at[j] >= 0) at[j] = split.statistics.target(at[j], row.raw[j], growth_.bins);
            make_room(row, at, split);
        }
}

Split TreeBank::test_of(std::size_t i, const Tree::Leaf& split) const {
    const Tree::Node& node = trees_[i].nodes[split.node];
    const std::int32_t test = tests_[static_cast<std::size_t>(node.test)];
    Split found;
    found.missing_left = test < 0;
    found.slot = test < 0 ? -1 - test : test;
    found.threshold = node.threshold;
    return found;
}

// The others keep their order.
void TreeBank::replace(std::size_t i, std::size_t replaced, const Split& found) {
    constexpr std::uint32_t gone = ~std::uint32_t{0};
    Tree& tree = trees_[i];
    moved_.resize(tree.splits.size());
    std::uint32_t kept = 0;
    for (std::size_t k = 0; k < moved_.size(); ++k) {
        const std::uint32_t node = tree.splits[k].node;
        const bool goes = k == replaced || (node > 0 && moved_[Tree::split_of(node)] == gone);
        moved_[k] = goes ? gone : kept++;
    }
    const auto goes = [&](std::uint32_t node) { return node > 0 && moved_[Tree::split_of(node)] == gone; };
    const auto moved = [&](std::uint32_t node) {
        return node == 0 ? 0 : Tree::first_child(moved_[Tree::split_of(node)]) + (node - 1) % 2;
    };
    std::uint32_t leaves = 0;
    for (Tree::Leaf& leaf : tree.leaves) {
        if (goes(leaf.node)) {
            statistics_bytes_ -= leaf.statistics.bytes();
            continue;
        }
        tree.nodes[leaf.node].test = -1 - static_cast<std::int32_t>(leaves);
        leaf.node = moved(leaf.node);
        if (&tree.leaves[leaves] != &leaf) tree.leaves[leaves] = std::move(leaf);
        ++leaves;
    }
    Tree::Leaf again = std::move(tree.splits[replaced]);
    again.node = moved(again.node);
    for (std::size_t k = 0; k < moved_.size(); ++k)
        if (moved_[k] != gone) tree.nodes[tree.splits[k].node].left = Tree::first_child(moved_[k]);
    for (std::size_t k = 0; k < moved_.size(); ++k) {
        Tree::Leaf& split = tree.splits[k];
        if (moved_[k] == gone) {
            if (k != replaced) statistics_bytes_ -= split.statistics.bytes();
            continue;
        }
        split.node = moved(split.node);
        if (moved_[k] == k) continue;
        std::copy_n(&tree.nodes[Tree::first_child(k)], 2, &tree.nodes[Tree::first_child(moved_[k])]);
        tree.splits[moved_[k]] = std::move(split);
    }
    nodes_ -= 2 * (tree.splits.size() - kept);
    tree.splits.resize(kept);
    tree.nodes.resize(1 + 2 * kept);
    tree.leaves.resize(leaves);
    tree.leaves.emplace_back();
    branch(i, std::move(again), leaves, found);
}

// The records of a tree from a file: what follows from the nodes, whose children are in pairs.
void TreeBank::restore_splits(std::size_t i) {
    Tree& tree = trees_[i];
    tree.splits.assign(tree.nodes.size() / 2, {});
    begin(i, tree.splits.empty() ? tree.leaves[0] : tree.splits[Tree::split_of(tree.nodes[0].left)], 0, 0);
    for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
        const Tree::Node node = tree.nodes[n];
        if (node.test < 0) continue;
        const Tree::Leaf& parent = tree.splits[Tree::split_of(node.left)];
        for (std::uint32_t side = 0; side < 2; ++side) {
            const Tree::Node& child = tree.nodes[node.left + side];
            Tree::Leaf& record = child.test < 0 ? tree.leaves[static_cast<std::size_t>(-1 - child.test)]
                                                : tree.splits[Tree::split_of(child.left)];
            begin_below(i, parent, side, record, node.left + side);
        }
    }
}

}  // namespace onlineboost
