// Walks from roots to leaves, eight at a time: while one waits for memory the others go on.
#pragma once
#include <array>

#include "learners/window_tree.hpp"

namespace onlineboost {

constexpr std::size_t kWalks = 8;

// The leaf's node that each walk reaches; walk k goes down the nodes from nodes[k] with the values x[k], of at least
// one feature.
inline std::array<std::uint32_t, kWalks> leaves_of(const std::array<const WindowTree::Node*, kWalks>& nodes,
                                                   const std::array<const float*, kWalks>& x) {
    std::array<std::uint32_t, kWalks> at{};
    for (bool inside = true; inside;) {
        std::uint32_t moved = 0;
        for (std::size_t k = 0; k < kWalks; ++k) {
            const WindowTree::Node node = nodes[k][at[k]];
            const std::uint32_t next =
                static_cast<std::uint32_t>(node.left()) + (x[k][node.feature()] < node.threshold ? 0u : 1u);
            moved |= next ^ at[k];
            at[k] = next;
        }
        inside = moved != 0;
    }
    return at;
}

// The same of one walk: the leaf's number.
inline std::size_t leaf_of(const WindowTree& tree, const float* x) {
    for (std::size_t at = 0;;) {
        const WindowTree::Node node = tree.nodes[at];
        if (node.leaf()) return tree.numbers[at];
        at = node.left() + (x[node.feature()] < node.threshold ? 0 : 1);
    }
}

}  // namespace onlineboost
