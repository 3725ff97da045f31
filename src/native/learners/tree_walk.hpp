// Walks from roots to leaves, eight at a time: while one waits for memory the others go on.
#pragma once
#include <array>

#include "learners/tree_grower.hpp"

namespace onlineboost {

constexpr std::size_t kWalks = 8;

// The leaf that each walk reaches; walk k goes down the nodes from nodes[k] with the values x[k], of at least one
// feature.
inline std::array<const WindowTree::Node*, kWalks> leaves_of(const std::array<const WindowTree::Node*, kWalks>& nodes,
                                                             const std::array<const float*, kWalks>& x) {
    auto at = nodes;
    for (bool inside = true; inside;) {
        inside = false;
        for (std::size_t k = 0; k < kWalks; ++k) {
            const WindowTree::Node& node = *at[k];
            const bool on = node.feature >= 0;
            const float value = x[k][on ? node.feature : 0];
            const WindowTree::Node* next = nodes[k] + node.left + (value < node.threshold ? 0 : 1);
            at[k] = on ? next : at[k];
            inside |= on;
        }
    }
    return at;
}

}  // namespace onlineboost
