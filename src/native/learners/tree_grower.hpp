// One regression tree by Newton's steps on a window of rows, from histograms, leaf by leaf, the leaf of most gain first
// (Chen and Guestrin, KDD 2016, equations 6 and 7; best-first and the difference of histograms: Ke et al., NIPS 2017).
//
// The work is cut into pieces of well below a millisecond: piece() does the next. What comes out does not depend on
// when they are done.
#pragma once
#include <array>
#include <span>

#include "learners/window.hpp"

namespace onlineboost {

struct WindowTree {
    struct Node {
        std::int32_t feature = -1;  // a slot; -1: a leaf
        std::int32_t left = 0;      // the right child follows it
        float threshold = 0.0f;     // below: left
        double value = 0.0;
    };
    std::vector<Node> nodes;
    double value(const float* x) const {
        if (nodes.empty()) return 0.0;
        const Node* node = nodes.data();
        while (node->feature >= 0) node = nodes.data() + node->left + (x[node->feature] < node->threshold ? 0 : 1);
        return node->value;
    }
};

class TreeGrower {
   public:
    struct Options {
        std::size_t leaves;
        double rate, lambda, least_curvature;
    };
    explicit TreeGrower(Options options) : options_(options) {}

    void make_room(std::size_t rows, std::size_t features);
    // `dropped` is still in the rows' scores; it stays where it is until the tree is done.
    void begin(Window& window, const WindowTree* dropped, bool new_bins);
    bool done() const { return stage_ == Stage::kDone; }
    // What choosing new bins costs, in the units of piece().
    double cost_of_bins() const;
    // Does the next piece; gives its cost, about in nanoseconds.
    std::size_t piece();
    const WindowTree& tree() const { return tree_; }
    // The scores of the rows with the new tree and without `dropped`.
    const double* scores() const { return scores_.data(); }
    // What the new tree adds to the score of a row that was not there when it began.
    double value(const WindowRow& row);

   private:
    enum class Stage { kWeights, kSample, kEdges, kBins, kScores, kHistogram, kSearch, kDone };
    struct Sums {
        double g = 0.0, h = 0.0;
    };
    struct Leaf {
        std::size_t node = 0, begin = 0, end = 0;  // rows order_[begin .. end)
        Sums total;
        double gain = 0.0;
        std::size_t feature = 0, bin = 0;
        std::vector<Sums> cells;
    };
    double value(const WindowTree& tree, const WindowRow& row);
    double dropped_value();
    std::size_t weigh_rows();
    std::size_t score_rows();
    std::size_t add_rows();
    std::size_t search();
    void find(Leaf& leaf) const;
    void next();

    Options options_;
    Window* window_ = nullptr;
    const WindowTree* dropped_ = nullptr;
    WindowTree tree_;
    Stage stage_ = Stage::kDone;
    std::size_t cursor_ = 0;
    bool new_bins_ = false;
    double mean_weight_ = 1.0;
    std::vector<double> scores_;
    std::vector<Sums> gradients_;  // and curvatures
    std::vector<std::uint32_t> order_, aside_;
    std::vector<float> x_;
    std::vector<float> lanes_;  // the same for eight rows, `wide_` numbers each
    std::size_t wide_ = 0;
    std::array<double, 8> dropped_values_{};
    std::vector<Leaf> leaves_;
    std::size_t grown_ = 0;              // leaves in use
    std::size_t small_ = 0, large_ = 0;  // the two that came last; equal for the root
};

}  // namespace onlineboost
