// One regression tree by Newton's steps on a window of rows, from histograms, leaf by leaf, the leaf of most gain first
// (Chen and Guestrin, KDD 2016, equations 6 and 7; best-first and the difference of histograms: Ke et al., NIPS 2017).
//
// Of K classes, a leaf has a step for each, and tests are chosen by Newton's steps along one direction r in the space
// of the classes' scores (a sketch of the gradients in one dimension: Iosipoi and Vakhrushev, NeurIPS 2022):
//
//   g_i = w_i (r_y - m_i),  h_i = w_i sum_k p_k (r_k - m_i)^2,  m_i = sum_k p_k r_k,  p the softmax of the scores
//   step of class k: eta (K - 1) / K G_k / (H_k + lambda), from w (1{y = k} - p_k) and w p_k (1 - p_k)
//
// which of two classes and r = (1/2, -1/2) is the tree of their log-odds. So a tree costs as much as one of two classes
// but for the sums in its leaves.
//
// The work is cut into pieces of well below a millisecond: piece() does the next. What comes out does not depend on
// when they are done.
#pragma once
#include <array>
#include <span>

#include "engine/storage.hpp"
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
    std::size_t classes = 0;    // of many: those that it has steps for;
    std::vector<double> steps;  // the left child of a leaf is then its row in here
    const Node& leaf(const float* x) const {
        const Node* node = nodes.data();
        while (node->feature >= 0) node = nodes.data() + node->left + (x[node->feature] < node->threshold ? 0 : 1);
        return *node;
    }
    double value(const float* x) const { return nodes.empty() ? 0.0 : leaf(x).value; }
    // Adds `sign` times the steps of a leaf to the scores.
    void add(const Node& leaf, double* scores, double sign = 1.0) const {
        const double* own = steps.data() + static_cast<std::size_t>(leaf.left) * classes;
        for (std::size_t k = 0; k < classes; ++k) scores[k] += sign * own[k];
    }
    std::size_t leaves() const { return nodes.empty() ? 0 : nodes.size() / 2 + 1; }
    // Rows of steps in the order of the nodes.
    std::size_t number_leaves() {
        std::int32_t next = 0;
        for (Node& node : nodes)
            if (node.feature < 0) node.left = next++;
        return leaves();
    }
    void swap(WindowTree& other) {
        nodes.swap(other.nodes);
        steps.swap(other.steps);
        std::swap(classes, other.classes);
    }
};

class TreeGrower {
   public:
    struct Options {
        std::size_t leaves;
        double rate, lambda, least_curvature;
        std::size_t bins;  // of a feature, at most
    };
    explicit TreeGrower(Options options) : options_(options) {}

    // `classes` is 0 for two.
    void make_room(std::size_t rows, std::size_t features, std::size_t classes);
    // `dropped` is still in the rows' scores; it stays where it is until the tree is done. With many classes, the
    // direction is drawn by `seed` and the number of the tree.
    void begin(Window& window, const WindowTree* dropped, bool new_bins, std::size_t classes = 0,
               std::uint64_t seed = 0, std::uint64_t number = 0);
    bool done() const { return stage_ == Stage::kDone; }
    // What choosing new bins costs, in the units of piece().
    double cost_of_bins() const;
    // Does the next piece; gives its cost, about in nanoseconds.
    std::size_t piece();
    WindowTree& tree() { return tree_; }
    // The scores of the rows with the new tree and without `dropped`.
    const double* scores() const { return scores_.data(); }
    // What the new tree adds to the score of a row that was not there when it began.
    double value(const WindowRow& row);
    // The same of many classes.
    std::vector<double>& scores(std::size_t k) { return class_scores_[k]; }
    void add(WindowRow& row);

    // A tree of many classes has fewer leaves where it would have more steps than so many.
    static constexpr std::size_t kMostSteps = 16'384;
    std::size_t most_leaves(std::size_t classes) const {
        return classes == 0 ? options_.leaves : std::clamp<std::size_t>(kMostSteps / classes, 2, options_.leaves);
    }

   private:
    enum class Stage { kWeights, kSample, kEdges, kBins, kScores, kHistogram, kSearch, kSums, kSteps, kDone };
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
    template <class F>
    void spread(const WindowRow& row, F f);
    double value(const WindowTree& tree, const WindowRow& row);
    const WindowTree::Node* dropped_leaf();
    void draw_direction(std::uint64_t seed, std::uint64_t number);
    void take_softmax();
    Sums gradient_along(const WindowRow& row);
    std::size_t sum_leaves();
    std::size_t add_steps();
    void take_steps();
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
    // Of many classes.
    std::size_t classes_ = 0;
    std::vector<std::vector<double>> class_scores_;
    std::vector<double> direction_;
    Vector p_;                // in whole lanes
    std::vector<Sums> sums_;  // of each leaf and class
    std::vector<std::uint32_t> order_, aside_;
    std::vector<float> x_;
    std::vector<float> lanes_;  // the same for eight rows, `wide_` numbers each
    std::size_t wide_ = 0;
    std::array<const WindowTree::Node*, 8> dropped_leaves_{};
    std::vector<Leaf> leaves_;
    std::size_t grown_ = 0;              // leaves in use
    std::size_t small_ = 0, large_ = 0;  // the two that came last; equal for the root
};

}  // namespace onlineboost
