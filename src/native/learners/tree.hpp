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
    struct Leaf {
        double before[2] = {0.0, 0.0};  // class weights from before the statistics began: -1, +1
        double own[2] = {0.0, 0.0};     // those since
        double right[2] = {0.0, 0.0};   // weight that majority and Naive Bayes predicted correctly
        double tried = 0.0;             // own weight when a split was last considered
        std::uint64_t key = 0;          // source of the random choice of features
        std::uint32_t node = 0;
        std::uint32_t depth = 0;
        bool active = true;             // keeps statistics
        LeafStatistics statistics;

        double weight(int c) const { return before[c] + own[c]; }
        double total() const { return own[0] + own[1]; }
        // h = 2 p(+1) - 1 by the class weights.
        double majority() const {
            const double minus = weight(0), plus = weight(1), n = minus + plus;
            return n > 0.0 ? (plus - minus) / n : 0.0;
        }
        // Statistics begin anew, or end, here.
        void restart(bool keep) {
            for (int c = 0; c < 2; ++c) {
                before[c] += own[c];
                own[c] = 0.0;
            }
            tried = 0.0;
            active = keep;
            statistics.clear();
        }
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
