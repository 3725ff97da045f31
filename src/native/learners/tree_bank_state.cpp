// The state of a bank of trees as flat arrays. Loading checks all of them: every index is in range, nodes form trees,
// sizes agree.
#include "learners/tree_bank.hpp"
#include "learners/tree_nodes.hpp"

namespace onlineboost {

void TreeBank::require(bool condition, const char* field) { require_trees(condition, field); }

void TreeBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.counter("tree_rounds", rounds_);
    std::uint64_t flag = short_ ? 1 : 0;
    archive.counter("tree_memory_short", flag);
    require(flag <= 1, "tree_memory_short");
    short_ = flag != 0;
    serialise_nodes(archive, ids.size());
    if (archive.loading()) find_indicators(ids, 0);
    std::vector<Tree::Leaf*> leaves;
    for (Tree& tree : trees_)
        for (Tree::Leaf& leaf : tree.leaves) leaves.push_back(&leaf);
    for (Tree& tree : trees_)
        for (Tree::Leaf& split : tree.splits) leaves.push_back(&split);
    serialise_sums(archive, leaves);
    serialise_statistics(archive, leaves, ids.size());
}

void TreeBank::serialise_nodes(Archive& archive, std::size_t slots) {
    std::vector<std::int64_t> tests(tests_.begin(), tests_.end());
    archive.integers("tree_tests", tests);
    TreeNodes nodes;
    nodes.serialise(archive, trees_);
    if (!archive.loading()) return;

    tests_.clear();
    test_of_slot_.assign(slots, -1);
    left_test_of_slot_.assign(slots, -1);
    for (const std::int64_t test : tests) {
        auto& made = test < 0 ? left_test_of_slot_ : test_of_slot_;
        const auto slot = static_cast<std::size_t>(test < 0 ? -1 - test : test);
        require(slot < slots && made[slot] < 0, "tree_tests");
        made[slot] = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(static_cast<std::int32_t>(test));
        left_tests_ |= test < 0;
    }
    nodes_ = nodes.restore(trees_, tests_.size(), [this](std::size_t i, Tree::Leaf& leaf, auto node, auto depth) {
        begin(i, leaf, node, depth);
    });
    if (reexamines())
        for (std::size_t i = 0; i < trees_.size(); ++i) restore_splits(i);
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
