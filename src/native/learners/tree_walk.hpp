// Walks from roots to leaves, eight at a time: while one waits for memory the others go on.
#pragma once
#include <array>
#include <cmath>

#include "learners/window_tree.hpp"

namespace onlineboost {

constexpr std::size_t kWalks = 8;

using Walks = std::array<const WindowTree::Node*, kWalks>;
using WalkedRows = std::array<const float*, kWalks>;
using GapSides = std::array<const std::uint8_t*, kWalks>;

// The leaf's node that each walk reaches; walk k goes down the nodes from nodes[k] with the values x[k], of at least
// one feature. Where kGaps, some of these are NaN, and go left where gaps_left[k] says so.
template <bool kGaps>
inline std::array<std::uint32_t, kWalks> leaves_of(const Walks& nodes, const WalkedRows& x,
                                                   [[maybe_unused]] const GapSides& gaps_left) {
    std::array<std::uint32_t, kWalks> at{};
    for (bool inside = true; inside;) {
        std::uint32_t moved = 0;
        for (std::size_t k = 0; k < kWalks; ++k) {
            const WindowTree::Node node = nodes[k][at[k]];
            const float value = x[k][node.feature()];
            bool left = value < node.threshold;
            if constexpr (kGaps) left |= std::isnan(value) & (gaps_left[k][at[k]] != 0);
            const std::uint32_t next = static_cast<std::uint32_t>(node.left()) + (left ? 0u : 1u);
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
        const float value = x[node.feature()];
        const bool left = value < node.threshold || (std::isnan(value) && tree.gaps_left[at] != 0);
        at = node.left() + (left ? 0 : 1);
    }
}

}  // namespace onlineboost
