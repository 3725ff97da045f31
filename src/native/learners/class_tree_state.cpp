// The state of a bank of trees of many classes as flat arrays. Loading checks all of them: every index is in range,
// nodes form trees, sizes agree.
#include "learners/class_tree_bank.hpp"
#include "learners/tree_nodes.hpp"

namespace onlineboost {

namespace {

constexpr double kLargestWeight = 1e37;

}  // namespace

void ClassTreeBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    if (archive.loading()) classes_ = classes;
    serialise_nodes(archive, ids.size());
    serialise_leaves(archive, ids.size());
}

void ClassTreeBank::serialise_nodes(Archive& archive, std::size_t slots) {
    archive.counter("tree_rounds", rounds_);
    std::uint64_t flag = short_ ? 1 : 0;
    archive.counter("tree_memory_short", flag);
    require_trees(flag <= 1, "tree_memory_short");
    short_ = flag != 0;
    std::vector<std::int64_t> tests(tests_.begin(), tests_.end());
    archive.integers("tree_tests", tests);
    TreeNodes nodes;
    nodes.serialise(archive, trees_);
    if (!archive.loading()) return;

    tests_.clear();
    test_of_slot_.assign(slots, -1);
    for (const std::int64_t slot : tests) {
        require_trees(
            slot >= 0 && static_cast<std::size_t>(slot) < slots && test_of_slot_[static_cast<std::size_t>(slot)] < 0,
            "tree_tests");
        test_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(tests_.size());
        tests_.push_back(static_cast<std::int32_t>(slot));
    }
    nodes_ = nodes.restore(trees_, tests_.size(),
                           [this](std::size_t i, Leaf& leaf, auto node, auto depth) { begin(i, leaf, node, depth); });
}

std::vector<ClassTreeBank::Leaf*> ClassTreeBank::all_leaves() {
    std::vector<Leaf*> leaves;
    for (Tree& tree : trees_)
        for (Leaf& leaf : tree.leaves) leaves.push_back(&leaf);
    return leaves;
}

// Of each leaf its classes, with the weights before and since the statistics began; what its two rules got right, and
// when a split was last tried.
void ClassTreeBank::serialise_leaves(Archive& archive, std::size_t slots) {
    const auto leaves = all_leaves();
    std::vector<std::int64_t> counts, classes;
    std::vector<double> weights, rights;
    for (const Leaf* leaf : leaves) {
        counts.push_back(static_cast<std::int64_t>(leaf->seen.classes()));
        for (std::size_t c = 0; c < leaf->seen.classes(); ++c) {
            classes.push_back(leaf->seen.id(c));
            weights.insert(weights.end(), {leaf->seen.before(c), leaf->seen.own(c)});
        }
        rights.insert(rights.end(), {leaf->right[0], leaf->right[1], leaf->tried});
    }
    archive.integers("leaf_classes", counts);
    archive.integers("class_numbers", classes);
    if (archive.loading()) {
        require_trees(counts.size() == leaves.size(), "leaf_classes");
        weights.resize(2 * classes.size());
    }
    archive.numbers("class_weights", weights.data(), weights.size(), 0.0, kLargestWeight);
    archive.numbers("leaf_rights", rights.data(), rights.size(), 0.0, kLargestWeight);
    if (archive.loading()) {
        std::size_t at = 0;
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            Leaf& leaf = *leaves[k];
            require_trees(counts[k] >= 0 && static_cast<std::size_t>(counts[k]) <= classes.size() - at, "leaf_classes");
            for (std::int64_t c = 0; c < counts[k]; ++c, ++at) {
                require_trees(classes[at] >= 0 && static_cast<std::size_t>(classes[at]) < classes_, "class_numbers");
                const auto id = static_cast<std::uint32_t>(classes[at]);
                require_trees(leaf.seen.find_class(id) == leaf.seen.classes(), "class_numbers");
                leaf.seen.add_class(id, weights[2 * at], weights[2 * at + 1]);
            }
            leaf.right[0] = rights[3 * k];
            leaf.right[1] = rights[3 * k + 1];
            leaf.tried = rights[3 * k + 2];
            require_trees(leaf.seen.weight() <= kLargestWeight && leaf.tried <= leaf.seen.total(), "leaf_rights");
        }
        require_trees(at == classes.size(), "leaf_classes");
    }
    serialise_cells(archive, slots);
}

// A leaf without statistics has -1 features. A cell has a weight for each class of its leaf.
void ClassTreeBank::serialise_cells(Archive& archive, std::size_t slots) {
    const auto leaves = all_leaves();
    std::vector<std::int64_t> counts, features, cells;
    std::vector<double> borders, weights;
    for (const Leaf* leaf : leaves) {
        counts.push_back(leaf->active ? static_cast<std::int64_t>(leaf->seen.features().size()) : -1);
        for (const ClassLeaf::Feature& feature : leaf->seen.features()) {
            features.push_back(feature.slot);
            cells.push_back(feature.cells);
            for (std::size_t k = 0; k < feature.cells; ++k) {
                borders.push_back(leaf->seen.border(feature, k));
                for (std::size_t c = 0; c < leaf->seen.classes(); ++c)
                    weights.push_back(leaf->seen.weight(feature, k, c));
            }
        }
    }
    archive.integers("leaf_features", counts);
    archive.integers("feature_slots", features);
    archive.integers("feature_cells", cells);
    if (archive.loading()) {
        require_trees(counts.size() == leaves.size(), "leaf_features");
        require_trees(cells.size() == features.size(), "feature_cells");
        std::size_t f = 0, all = 0, numbers = 0;
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            require_trees(
                counts[k] >= -1 && (counts[k] < 0 || static_cast<std::size_t>(counts[k]) <= features.size() - f),
                "leaf_features");
            for (std::int64_t j = 0; j < counts[k]; ++j, ++f) {
                require_trees(cells[f] >= 1 && static_cast<std::size_t>(cells[f]) <= growth_.bins, "feature_cells");
                all += static_cast<std::size_t>(cells[f]);
                numbers += static_cast<std::size_t>(cells[f]) * leaves[k]->seen.classes();
            }
        }
        require_trees(f == features.size(), "leaf_features");
        borders.resize(all);
        weights.resize(numbers);
    }
    archive.numbers("cell_borders", borders.data(), borders.size());
    archive.numbers("cell_weights", weights.data(), weights.size(), 0.0, kLargestWeight);
    if (!archive.loading()) return;

    std::size_t f = 0, cell = 0, number = 0;
    statistics_bytes_ = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        Leaf& leaf = *leaves[k];
        leaf.active = counts[k] >= 0;
        for (std::int64_t j = 0; j < counts[k]; ++j, ++f) {
            require_trees(features[f] >= 0 && static_cast<std::size_t>(features[f]) < slots, "feature_slots");
            const auto size = static_cast<std::size_t>(cells[f]);
            for (std::size_t b = cell; b < cell + size; ++b)
                require_trees(borders[b] != 0.0 && (b == cell || borders[b - 1] < borders[b]), "cell_borders");
            require_trees(leaf.seen.restore(static_cast<std::int32_t>(features[f]), &borders[cell],
                                            weights.data() + number, size, growth_.bins),
                          "feature_slots");
            cell += size;
            number += size * leaf.seen.classes();
        }
        statistics_bytes_ += leaf.seen.bytes();
    }
}

// Two classes: seven numbers per leaf, and pairs of -1 and +1 in the cells.
void ClassTreeBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    constexpr std::size_t kNumbers = 7;
    serialise_nodes(archive, ids.size());
    classes_ = 2;
    const auto leaves = all_leaves();
    std::vector<double> numbers(kNumbers * leaves.size());
    archive.numbers("leaf_weights", numbers.data(), numbers.size(), 0.0, kLargestWeight);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        const double* from = numbers.data() + k * kNumbers;
        Leaf& leaf = *leaves[k];
        leaf.seen.add_class(1, from[0], from[2]);
        leaf.seen.add_class(0, from[1], from[3]);
        leaf.right[0] = from[4];
        leaf.right[1] = from[5];
        leaf.tried = from[6];
    }
    serialise_cells(archive, ids.size());
}

}  // namespace onlineboost
