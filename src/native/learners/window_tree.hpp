// A regression tree as it is walked: eight bytes a node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace onlineboost {

struct WindowTree {
    static constexpr unsigned kLeftBits = 11;
    static constexpr std::size_t kMostNodes = std::size_t{1} << kLeftBits;
    static constexpr std::size_t kMostFeatures = std::size_t{1} << (32 - kLeftBits);

    struct Node {
        float threshold = std::numeric_limits<float>::infinity();  // below: left; a leaf has all below
        std::uint32_t both = 0;  // a slot, and the left child, which the right follows
        bool leaf() const { return threshold == std::numeric_limits<float>::infinity(); }
        std::size_t feature() const { return both >> kLeftBits; }
        std::size_t left() const { return both & (kMostNodes - 1); }
        void test(std::size_t feature, std::size_t left, float below) {
            threshold = below;
            both = static_cast<std::uint32_t>(feature << kLeftBits | left);
        }
    };
    std::vector<Node> nodes;              // a leaf is its own left child
    std::vector<std::uint8_t> gaps_left;  // by node: whether rows that lack the feature go left; 1 for a leaf
    std::vector<std::uint16_t> numbers;   // of the leaves, by node; leaves are numbered in the order of the nodes
    std::vector<double> values;           // of two classes, by leaf
    std::size_t classes = 0;              // of many: those that it has steps for;
    std::vector<double> steps;            // a row of these per leaf

    void reserve(std::size_t leaves) {
        nodes.reserve(2 * leaves);
        gaps_left.reserve(2 * leaves);
        numbers.reserve(2 * leaves);
        values.reserve(leaves);
    }
    std::size_t leaves() const { return nodes.empty() ? 0 : nodes.size() / 2 + 1; }
    // A node that is a leaf.
    void grow() {
        nodes.emplace_back();
        nodes.back().both = static_cast<std::uint32_t>(nodes.size() - 1);
        gaps_left.push_back(1);
    }
    void clear() {
        nodes.clear();
        gaps_left.clear();
    }
    void number_leaves() {
        std::uint16_t next = 0;
        numbers.clear();
        for (const Node& node : nodes) numbers.push_back(node.leaf() ? next++ : 0);
    }
    // Adds `sign` times the steps of a leaf to the scores.
    void add(std::size_t leaf, double* scores, double sign = 1.0) const {
        const double* own = steps.data() + leaf * classes;
        for (std::size_t k = 0; k < classes; ++k) scores[k] += sign * own[k];
    }
    void swap(WindowTree& other) {
        nodes.swap(other.nodes);
        gaps_left.swap(other.gaps_left);
        numbers.swap(other.numbers);
        values.swap(other.values);
        steps.swap(other.steps);
        std::swap(classes, other.classes);
    }
};

}  // namespace onlineboost
