// The nodes of a bank of trees as flat arrays, for any kind of leaf. Loading checks that they form trees.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

inline void require_trees(bool condition, const char* field) {
    if (!condition) throw std::invalid_argument(std::string("state field '") + field + "' does not describe trees");
}

struct TreeNodes {
    std::vector<std::int64_t> sizes, tests, lefts;
    std::vector<double> thresholds;

    template <class Trees>
    void serialise(Archive& archive, const Trees& trees) {
        for (const auto& tree : trees) {
            sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
            for (const auto& node : tree.nodes) {
                tests.push_back(node.test);
                lefts.push_back(node.left);
                thresholds.push_back(node.threshold);
            }
        }
        archive.integers("tree_sizes", sizes);
        archive.integers("node_tests", tests);
        archive.integers("node_lefts", lefts);
        thresholds.resize(tests.size());
        archive.numbers("node_thresholds", thresholds.data(), thresholds.size());
    }

    // Makes the trees, with leaves that begin(tree, leaf, node, depth) starts. The number of nodes.
    template <class Trees, class Begin>
    std::size_t restore(Trees& trees, std::size_t known_tests, const Begin& begin) const {
        require_trees(sizes.size() == trees.size(), "tree_sizes");
        require_trees(lefts.size() == tests.size(), "node_lefts");
        std::size_t from = 0;
        for (std::size_t i = 0; i < trees.size(); ++i) {
            const auto size = static_cast<std::size_t>(sizes[i]);
            require_trees(sizes[i] > 0 && size % 2 == 1 && size <= tests.size() - from && size < (std::size_t{1} << 31),
                          "tree_sizes");
            restore_one(trees[i], from, size, known_tests,
                        [&](auto& leaf, std::uint32_t node, std::uint32_t depth) { begin(i, leaf, node, depth); });
            from += size;
        }
        require_trees(from == tests.size(), "tree_sizes");
        return from;
    }

   private:
    // A node's children follow it and have one parent each: so all nodes hang below the first, and depths are found in
    // one walk.
    template <class Tree, class Begin>
    void restore_one(Tree& tree, std::size_t from, std::size_t size, std::size_t known_tests,
                     const Begin& begin) const {
        tree.nodes.assign(size, {});
        tree.leaves.clear();
        tree.leaves.resize((size + 1) / 2);
        std::vector<std::uint32_t> depth(size, 0);
        std::vector<bool> has_leaf(tree.leaves.size(), false), reached(size, false);
        reached[0] = true;
        for (std::size_t n = 0; n < size; ++n) {
            const std::int64_t test = tests[from + n], left = lefts[from + n];
            require_trees(reached[n], "node_lefts");
            if (test < 0) {
                require_trees(test >= -static_cast<std::int64_t>(tree.leaves.size()) && left == 0, "node_tests");
                const auto leaf = static_cast<std::size_t>(-1 - test);
                require_trees(!has_leaf[leaf], "node_tests");
                has_leaf[leaf] = true;
                begin(tree.leaves[leaf], static_cast<std::uint32_t>(n), depth[n]);
            } else {
                require_trees(static_cast<std::size_t>(test) < known_tests, "node_tests");
                require_trees(left > static_cast<std::int64_t>(n) && static_cast<std::size_t>(left) + 1 < size,
                              "node_lefts");
                for (const auto child : {static_cast<std::size_t>(left), static_cast<std::size_t>(left) + 1}) {
                    require_trees(!reached[child], "node_lefts");
                    reached[child] = true;
                    depth[child] = depth[n] + 1;
                }
            }
            tree.nodes[n] = {static_cast<std::int32_t>(test), static_cast<std::uint32_t>(left), thresholds[from + n]};
        }
    }
};

}  // namespace onlineboost
