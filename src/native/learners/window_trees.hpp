// Gradient-boosted trees on a bounded window of rows; see onlineboost/boosters/window_boost.py.
//
// The learners of this bank are its trees, the output of one is its step in log-odds. All learn with the weight of the
// first.
//
// Of many classes it is one learner, which gives each class its probability: the softmax of the classes' scores, each
// of which is what the class begins with and its steps in the trees (see TreeGrower). A class that begins has the score
// -ln 4, or -ln n as the n-th example if that is more.
#pragma once
#include "engine/background_task.hpp"
#include "learners/bank.hpp"
#include "learners/leaf_table.hpp"
#include "learners/tree_grower.hpp"

namespace onlineboost {

class WindowTreesBank final : public Bank {
   public:
    struct Options {
        std::size_t window;
        std::size_t bytes;     // that rows may take
        std::uint64_t every;   // examples between two trees; 0: the rows divided by
        std::uint64_t visits;  // trees that a row takes part in while the window turns over once
        std::uint64_t seed;
        TreeGrower::Options grower;
        bool sides = true;  // whether gaps have sides of their own
        bool many = false;  // classes
    };
    WindowTreesBank(std::size_t trees, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override { save(archive, ids, 0); }
    void score_classes(Scratch& scratch) const override;
    void update_class(Scratch& scratch, const double* w) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override {
        return std::min(kMostBytes / options_.window, WindowTree::kMostFeatures);
    }
    std::string limit() const override;

    static constexpr std::size_t kMostBytes = std::size_t{1} << 28;

   private:
    struct Own;
    template <class F>
    void each_leaf(Own& scratch, F f) const;
    template <bool kGaps, class F>
    void walk(Own& scratch, F f) const;
    void make_room_for(std::size_t features, std::size_t classes, std::size_t count);
    void work(std::size_t beside);
    void do_piece() { spent_ += static_cast<double>(grower_.piece()); }
    void settle();
    void take_tree();
    void begin();
    void save(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes);
    void serialise_trees(Archive& archive, std::size_t features, std::size_t classes);
    void serialise_steps(Archive& archive, std::size_t classes);
    void go_on(std::size_t features);

    Options options_;
    LeafTable leaf_table_;
    Window window_;
    TreeGrower grower_;
    std::vector<WindowTree> trees_;
    WindowTree dropped_;
    std::uint64_t grown_ = 0;  // trees, ever: the next takes the place grown_ % size
    std::uint64_t learned_ = 0, admitted_ = 0, due_, binned_ = 0;
    std::uint64_t tree_classes_ = 0;  // of many: those that had begun when the present tree did
    std::vector<double> first_;       // of many: the score that each class begins with
    bool new_bins_ = false;
    double expected_ = 0.0, extra_ = 0.0, spent_ = 0.0;  // cost of a tree, of its bins, and what was done of it
    // Changes the grower, the bins while they are chosen, and spent_; all else that others change it does not read.
    BackgroundTask task_;
};

}  // namespace onlineboost
