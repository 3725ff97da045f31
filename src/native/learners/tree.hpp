// One decision tree: nodes in one array, children after their parent, and a record per leaf.
#pragma once
#include <cstdint>
#include <vector>

#include "learners/leaf_statistics.hpp"

namespace onlineboost {

struct Tree {
    struct Node {
        std::int32_t test = -1;  // which value decides; -1 - k: the node is leaf k
        std::uint32_t left = 0;  // x < threshold goes to node `left`, anything else to the next
        double threshold = 0.0;
    };
    // What the pairs are is the bank's: weights of -1 and of +1, or sums of gradients and of their weights.
    struct Leaf {
        double before[2] = {0.0, 0.0};  // from before the statistics began
        double own[2] = {0.0, 0.0};     // since
        double more[4] = {};            // further sums of the bank
        double tried = 0.0;             // how much was seen when a split was last considered
        std::uint64_t key = 0;          // source of the random choice of features
        std::uint32_t node = 0;
        std::uint32_t depth = 0;
        bool active = true;  // keeps statistics
        LeafStatistics statistics;
        std::vector<double> line;  // a linear model, where the bank has one

        double sum(int c) const { return before[c] + own[c]; }
        // What a line of so many numbers counts: twice what it takes, since vectors double.
        static std::size_t line_bytes(std::size_t numbers) { return 2 * numbers * sizeof(double); }
    };

    std::vector<Node> nodes;
    std::vector<Leaf> leaves;
    // What was the leaf before each split, where splits are re-examined: it goes on learning. Split k has the children
    // 1 + 2 k and 2 + 2 k.
    std::vector<Leaf> splits;

    // The split that made a node other than the root.
    static std::size_t split_of(std::uint32_t node) { return (node - 1) / 2; }
    static std::uint32_t first_child(std::size_t split) { return static_cast<std::uint32_t>(1 + 2 * split); }
    std::uint32_t next(const Node& node, const double* x) const {
        return node.left + (x[node.test] < node.threshold ? 0 : 1);
    }
    // The leaf of a row whose tested values are x.
    std::uint32_t find(const double* x) const {
        const Node* node = nodes.data();
        while (node->test >= 0) node = nodes.data() + next(*node, x);
        return static_cast<std::uint32_t>(-1 - node->test);
    }
};

}  // namespace onlineboost
