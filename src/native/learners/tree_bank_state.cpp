// The state of a bank of trees as flat arrays. Loading checks all of them: every index is in range, nodes form trees,
// sizes agree.
#include <stdexcept>
#include <string>

#include "learners/tree_bank.hpp"

namespace onlineboost {

void TreeBank::require(bool condition, const char* field) {
    if (!condition) throw std::invalid_argument(std::string("state field '") + field + "' does not describe trees");
}

void TreeBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.counter("tree_rounds", rounds_);
    std::uint64_t flag = short_ ? 1 : 0;
    archive.counter("tree_memory_short", flag);
    require(flag <= 1, "tree_memory_short");
    short_ = flag != 0;
    serialise_nodes(archive, ids.size());
    std::vector<Tree::Leaf*> leaves;
    for (Tree& tree : trees_)
        for (Tree::Leaf& leaf : tree.leaves) leaves.push_back(&leaf);
    serialise_sums(archive, leaves);
    serialise_statistics(archive, leaves, ids.size());
}

void TreeBank::serialise_nodes(Archive& archive, std::size_t slots) {
    std::vector<std::int64_t> tests(tests_.begin(), tests_.end()), sizes, node_tests, lefts;
    std::vector<double> thresholds;
    for (const Tree& tree : trees_) {
        sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
        for (const Tree::Node& node : tree.nodes) {
            node_tests.push_back(node.test);
            lefts.push_back(node.left);
            thresholds.push_back(node.threshold);
        }
    }
    archive.integers("tree_tests", tests);
    archive.integers("tree_sizes", sizes);
    archive.integers("node_tests", node_tests);
    archive.integers("node_lefts", lefts);
    thresholds.resize(node_tests.size());
    archive.numbers("node_thresholds", thresholds.data(), thresholds.size());
    if (!archive.loading()) return;

    tests_.clear();
    test_of_slot_.assign(slots, -1);
    for (const std::int64_t slot : tests) {
        require(
            slot >= 0 && static_cast<std::size_t>(slot) < slots && test_of_slot_[static_cast<std::size_t>(slot)] < 0,
            "tree_tests");
        test_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(static_cast<std::int32_t>(slot));
    }
    require(sizes.size() == trees_.size(), "tree_sizes");
    require(lefts.size() == node_tests.size(), "node_lefts");
    std::size_t from = 0;
    for (std::size_t i = 0; i < trees_.size(); ++i) {
        const auto size = static_cast<std::size_t>(sizes[i]);
        require(sizes[i] > 0 && size % 2 == 1 && size <= node_tests.size() - from && size < (std::size_t{1} << 31),
                "tree_sizes");
        Tree& tree = trees_[i];
        tree.nodes.assign(size, {});
        tree.leaves.clear();
        tree.leaves.resize((size + 1) / 2);
        // A node's children follow it and have one parent each: so all nodes hang below the first, and depths are found
        // in one walk.
        std::vector<std::uint32_t> depth(size, 0);
        std::vector<bool> has_leaf(tree.leaves.size(), false);
        std::size_t expected = 1;
        std::vector<bool> reached(size, false);
        reached[0] = true;
        for (std::size_t n = 0; n < size; ++n) {
            const std::int64_t test = node_tests[from + n], left = lefts[from + n];
            if (test < 0) {
                require(test >= -static_cast<std::int64_t>(tree.leaves.size()) && left == 0, "node_tests");
                const auto leaf = static_cast<std::size_t>(-1 - test);
                require(!has_leaf[leaf], "node_tests");
                has_leaf[leaf] = true;
                begin(i, tree.leaves[leaf], static_cast<std::uint32_t>(n), depth[n]);
            } else {
                require(static_cast<std::size_t>(test) < tests_.size(), "node_tests");
                require(left > static_cast<std::int64_t>(n) && static_cast<std::size_t>(left) + 1 < size, "node_lefts");
                for (const std::size_t child : {static_cast<std::size_t>(left), static_cast<std::size_t>(left) + 1}) {
                    require(!reached[child], "node_lefts");
                    reached[child] = true;
                    depth[child] = depth[n] + 1;
                    ++expected;
                }
            }
            tree.nodes[n] = {static_cast<std::int32_t>(test), static_cast<std::uint32_t>(left), thresholds[from + n]};
        }
        require(expected == size, "node_lefts");
        from += size;
    }
    require(from == node_tests.size(), "tree_sizes");
    nodes_ = from;
}

// A leaf without statistics has -1 features.
void TreeBank::serialise_statistics(Archive& archive, const std::vector<Tree::Leaf*>& leaves, std::size_t slots) {
    std::vector<std::int64_t> counts, features, cells;
    std::vector<double> borders, weights;
    for (const Tree::Leaf* leaf : leaves) {
        counts.push_back(leaf->active ? static_cast<std::int64_t>(leaf->statistics.features().size()) : -1);
        for (const LeafStatistics::Feature& feature : leaf->statistics.features()) {
            const LeafStatistics::Cells of = leaf->statistics.cells(feature);
            features.push_back(feature.slot);
            cells.push_back(static_cast<std::int64_t>(of.count));
            borders.insert(borders.end(), of.borders, of.borders + of.count);
            weights.insert(weights.end(), of.weights, of.weights + 2 * of.count);
        }
    }
    archive.integers("leaf_features", counts);
    archive.integers("feature_slots", features);
    archive.integers("feature_cells", cells);
    if (archive.loading()) {
        require(counts.size() == leaves.size(), "leaf_features");
        require(cells.size() == features.size(), "feature_cells");
        std::size_t total = 0;
        for (const std::int64_t count : cells) {
            require(count >= 1 && static_cast<std::size_t>(count) <= growth_.bins, "feature_cells");
            total += static_cast<std::size_t>(count);
        }
        borders.resize(total);
        weights.resize(2 * total);
    }
    archive.numbers("cell_borders", borders.data(), borders.size());
    serialise_cells(archive, weights);
    if (!archive.loading()) return;

    std::size_t f = 0, cell = 0;
    statistics_bytes_ = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        Tree::Leaf& leaf = *leaves[k];
        require(counts[k] >= -1 && (counts[k] < 0 || static_cast<std::size_t>(counts[k]) <= features.size() - f),
                "leaf_features");
        leaf.active = counts[k] >= 0;
        for (std::int64_t j = 0; j < counts[k]; ++j, ++f) {
            require(features[f] >= 0 && static_cast<std::size_t>(features[f]) < slots, "feature_slots");
            const auto size = static_cast<std::size_t>(cells[f]);
            for (std::size_t b = cell; b < cell + size; ++b)
                require(borders[b] != 0.0 && (b == cell || borders[b - 1] < borders[b]), "cell_borders");
            require(leaf.statistics.restore(static_cast<std::int32_t>(features[f]), &borders[cell], &weights[2 * cell],
                                            size, growth_.bins),
                    "feature_slots");
            cell += size;
        }
        statistics_bytes_ += leaf.statistics.bytes();
    }
    require(f == features.size(), "leaf_features");
}

}  // namespace onlineboost
