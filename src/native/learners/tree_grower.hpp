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
#include "kernels/kernels.hpp"
#include "learners/leaf_table.hpp"
#include "learners/window.hpp"
#include "learners/window_tree.hpp"

namespace onlineboost {

class TreeGrower {
   public:
    struct Options {
        std::size_t leaves;
        double rate, lambda, least_curvature;
        std::size_t bins;       // of a feature, at most
        std::size_t crowd = 0;  // with more classes than so many: at most Window::kCrowdBins; 0: never
    };
    explicit TreeGrower(Options options) : options_(options) {
        options_.least_curvature *= 1.0 - kTie;  // as much counts as enough, whatever the rounding
    }

    // `classes` is 0 for two.
    void make_room(std::size_t rows, std::size_t features, std::size_t classes);
    // `dropped` is still in the rows' scores; it stays where it is until the tree is done. With many classes, the
    // direction is drawn by `seed` and the number of the tree.
    void begin(Window& window, const WindowTree* dropped, const LeafTable& leaves_of_rows, bool new_bins,
               std::size_t classes = 0, std::uint64_t seed = 0, std::uint64_t number = 0);
    bool done() const { return stage_ == Stage::kDone; }
    // What choosing new bins costs, in the units of piece().
    double cost_of_bins() const;
    // Does the next piece; gives its cost, about in nanoseconds.
    std::size_t piece();
    WindowTree& tree() { return tree_; }
    // The scores of the rows with the new tree and without `dropped`.
    const double* scores() const { return scores_.data(); }
    // The leaves of the rows, and of one that was not there when the tree began.
    std::span<const std::uint32_t> leaves() const { return {aside_.data(), window_->size()}; }
    std::size_t leaf(const WindowRow& row);
    // The same of many classes.
    std::vector<double>& scores(std::size_t k) { return class_scores_[k]; }

    // A tree of many classes has fewer leaves where it would have more steps than so many.
    static constexpr std::size_t kMostSteps = 16'384;
    std::size_t most_leaves(std::size_t classes) const {
        return classes == 0 ? options_.leaves : std::clamp<std::size_t>(kMostSteps / classes, 2, options_.leaves);
    }

   private:
    static constexpr std::size_t kBlock = 64;  // rows of many classes that are looked at together; whole walks
    enum class Stage { kWeights, kSample, kEdges, kBins, kScores, kHistogram, kSearch, kSums, kSteps, kDone };
    struct Sums {
        double g = 0.0, h = 0.0;
        void operator+=(const Sums& other) {
            g += other.g;
            h += other.h;
        }
        void operator-=(const Sums& other) {
            g -= other.g;
            h -= other.h;
        }
    };
    enum class Gaps { kUnknown, kRight, kLeft };  // where rows that lack the feature go
    struct Leaf {
        std::size_t node = 0, begin = 0, end = 0;  // rows order_[begin .. end)
        Sums total;
        double gain = 0.0;
        std::size_t feature = 0, bin = 0;
        Gaps gaps = Gaps::kUnknown;
        std::vector<Sums> cells;
        std::vector<std::uint8_t> filled;  // 0: these eight cells are all 0
        std::size_t rows() const { return end - begin; }
        // So many cells of 0; only those that were filled are written again.
        void clear(std::size_t count);
        void swap_cells(Leaf& other) {
            cells.swap(other.cells);
            filled.swap(other.filled);
        }
    };
    bool crowded() const { return options_.crowd > 0 && classes_ > options_.crowd; }
    std::size_t dropped_leaf(std::size_t r);
    void finish();
    void draw_direction(std::uint64_t seed, std::uint64_t number);
    void find_gradients(std::size_t begin, std::size_t end);
    ClassRows class_rows(std::size_t begin, std::size_t end);
    std::size_t sum_leaves();
    std::size_t add_steps();
    void take_steps();
    std::size_t weigh_rows();
    std::size_t score_rows();
    std::size_t add_rows();
    std::size_t search();
    void find(Leaf& leaf) const;
    void find_beside_gaps(Leaf& leaf, std::size_t f, const SplitRule& rule) const;
    void next();
    std::size_t part(const Leaf& leaf);

    Options options_;
    Window* window_ = nullptr;
    const WindowTree* dropped_ = nullptr;
    const LeafTable* leaves_of_rows_ = nullptr;
    WindowTree tree_;
    Stage stage_ = Stage::kDone;
    std::size_t cursor_ = 0;
    bool new_bins_ = false;
    double mean_weight_ = 1.0;
    std::vector<double> scores_;
    std::vector<Sums> gradients_;  // and curvatures
    // Of many classes.
    std::size_t classes_ = 0;
    std::vector<std::vector<double>> class_scores_;  // probabilities, until the steps are known
    std::vector<const double*> old_columns_;         // where the window's scores of each class are,
    std::vector<double*> columns_;                   // and these
    std::array<std::uint32_t, kBlock> dropped_at_{};
    std::vector<double> direction_;
    std::vector<Sums> sums_;  // of each leaf and class
    std::vector<std::uint32_t> order_, aside_;
    std::vector<float> x_;
    std::vector<float> lanes_;  // the same for eight rows, `wide_` numbers each
    std::size_t wide_ = 0;
    std::array<std::uint32_t, 8> dropped_nodes_{};
    std::vector<Leaf> leaves_;
    std::vector<std::size_t> spare_;     // leaves whose cells are not needed, the last to be so at the end
    std::size_t grown_ = 0;              // leaves in use
    std::size_t small_ = 0, large_ = 0;  // the two that came last; equal for the root
};

}  // namespace onlineboost
