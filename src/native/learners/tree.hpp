// One decision tree: nodes in one array, in the order of their making, and a record per leaf.
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

        double sum(int c) const { return before[c] + own[c]; }
    };

    std::vector<Node> nodes;
    std::vector<Leaf> leaves;

    // The leaf of a row whose tested values are x.
    std::uint32_t find(const double* x) const {
        const Node* node = nodes.data();
        while (node->test >= 0) node = nodes.data() + node->left + (x[node->test] < node->threshold ? 0 : 1);
        return static_cast<std::uint32_t>(-1 - node->test);
    }
};

}  // namespace onlineboost
