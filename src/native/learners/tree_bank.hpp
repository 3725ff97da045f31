// What banks of trees share: rows find their leaves, leaves gather statistics and become nodes, memory is bounded,
// state is saved.
#pragma once
#include "learners/bank.hpp"
#include "learners/split.hpp"
#include "learners/tree.hpp"

namespace onlineboost {

// What Naive Bayes reads of a leaf for a value of a row.
struct CountedCell {
    const double* pair;
    double pseudo;
};

struct TreeScratch final : Scratch {
    using Scratch::Scratch;
    std::vector<std::uint32_t> places;  // the leaf of the row in each tree
    std::vector<double> spread;         // the values that nodes test, 0 but for those listed in `tested`
    std::vector<std::int32_t> tested;
    std::vector<LeafStatistics::Target> found;  // for each tree, where the row's values belong in its leaf
    std::vector<double> bayes;                  // what Naive Bayes said in each leaf
    std::vector<CountedCell> cells;             // of each leaf, as many as `counts` says
    std::vector<std::uint32_t> counts;
    // The splits of all trees that the row passes and that learn, those of tree i from path_ends[i - 1] on, and where
    // its values belong in them.
    std::vector<std::uint32_t> path;
    std::vector<std::size_t> path_ends;
    std::vector<LeafStatistics::Target> found_on_path;
    std::vector<double> z, prior;  // of the row's values, for linear models
};

class TreeBank : public BankWith<TreeScratch> {
   public:
    struct Growth {
        double grace, delta;  // how much a leaf sees between two attempts; chance of a wrong choice
        std::size_t bins;
        double share;  // of the features that a leaf, or a tree, may test
        bool per_tree;
        std::size_t max_depth, max_leaves, max_bytes;
        std::uint64_t seed;
        double reexamine;  // how much a split sees between two looks at its test; 0: it stays

        static Growth from(const Parameters& p);
    };

    TreeBank(std::size_t learners, Growth growth);

    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) final;
    void finish(Scratch& scratch) override;
    void forget(std::size_t i) final;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) final;

   protected:
    // Whether leaves that cannot split want statistics, too; a score notes the row's targets in them then.
    virtual bool predicts_by_statistics() const { return false; }
    // How much statistics are worth in a leaf.
    virtual double promise(const Tree::Leaf& leaf) const = 0;
    // Hands what a leaf knew to the two that take its place.
    virtual void divide(const Tree::Leaf& old, const Split& found, Tree::Leaf& left, Tree::Leaf& right) const = 0;
    // Statistics begin anew, or end, here.
    virtual void restart(Tree::Leaf& leaf, bool keep) const;
    virtual void serialise_sums(Archive& archive, const std::vector<Tree::Leaf*>& leaves) = 0;
    virtual void serialise_cells(Archive& archive, std::vector<double>& pairs) const = 0;

    void spread(TreeScratch& scratch) const;
    void spread_gaps(TreeScratch& scratch) const;
    // Fills `places`, and makes room for `found`.
    void locate(TreeScratch& scratch) const;
    // How many trees ahead memory is asked for.
    static constexpr std::size_t kAhead = 3;
    const Tree::Leaf& leaf_of(const TreeScratch& scratch, std::size_t i) const {
        return trees_[i].leaves[scratch.places[i]];
    }
    void find_features(TreeScratch& scratch, std::size_t i) const;
    // Where the values of the row belong in the leaf of tree i.
    static LeafStatistics::Target* targets(TreeScratch& scratch, std::size_t i) {
        return scratch.found.data() + i * scratch.row->size();
    }
    // Adds the pair to the cell of each of the row's values.
    void observe(Tree::Leaf& leaf, const Row& row, const LeafStatistics::Target* targets, const double add[2]);
    // Whether splits are re-examined.
    bool reexamines() const { return growth_.reexamine > 0.0; }
    // Where the values of the row belong in the k-th split of `path`.
    static LeafStatistics::Target* path_targets(TreeScratch& scratch, std::size_t k) {
        return scratch.found_on_path.data() + k * scratch.row->size();
    }
    // Whether the leaf may become a node; if not, and for good, it stops to gather statistics.
    bool may_split(std::size_t i, std::uint32_t leaf);
    void split(std::size_t i, std::uint32_t leaf, const Split& found);
    // A split gets another test: what hangs below it goes, and two leaves take its place.
    void replace(std::size_t i, std::size_t split, const Split& found);
    // The test of a split that is there.
    Split test_of(std::size_t i, const Tree::Leaf& split) const;
    void end_round();
    // How many features it has met.
    std::size_t slots() const { return test_of_slot_.size(); }
    // Whether there is room for so many bytes that are never given up.
    bool spares(std::size_t bytes) const { return fixed_bytes() + bytes <= growth_.max_bytes / 2; }
    static void require(bool condition, const char* field);

    Growth growth_;
    std::vector<Tree> trees_;
    std::vector<std::int32_t> indicators_;  // by slot: of the feature that says that it is missing; -1: there is none
    std::uint64_t rounds_ = 0;
    std::size_t line_bytes_ = 0;

   private:
    struct Candidate {
        double promise;
        std::size_t tree, leaf;
    };

    void make_room(const Row& row, LeafStatistics::Target* targets, Tree::Leaf& leaf) const;
    void make_room_on_paths(TreeScratch& scratch);
    std::int32_t number_of_test(const Split& found);
    void branch(std::size_t i, Tree::Leaf old, std::uint32_t leaf, const Split& found);
    void begin_below(std::size_t i, const Tree::Leaf& parent, std::size_t side, Tree::Leaf& leaf,
                     std::uint32_t node) const;
    void restore_splits(std::size_t i);
    void begin(std::size_t i, Tree::Leaf& leaf, std::uint32_t node, std::uint32_t depth) const;
    bool can_split(const Tree& tree, const Tree::Leaf& leaf) const;
    bool wants_statistics(const Tree& tree, const Tree::Leaf& leaf) const;
    void drop(Tree::Leaf& leaf);
    void review();
    std::size_t node_bytes() const;
    std::size_t fixed_bytes() const;
    void find_indicators(const std::vector<FeatureId>& ids, std::size_t from);
    void serialise_nodes(Archive& archive, std::size_t slots);
    void serialise_statistics(Archive& archive, const std::vector<Tree::Leaf*>& leaves, std::size_t slots);

    std::uint64_t cut_;  // a feature takes part where its hash is at most this
    // The values that nodes test: a slot, or -1 - slot where rows without a value go left.
    std::vector<std::int32_t> tests_;
    std::vector<std::int32_t> test_of_slot_, left_test_of_slot_;
    bool left_tests_ = false;            // whether there are any
    std::vector<Candidate> candidates_;  // of a review
    std::vector<std::uint32_t> moved_;   // where each split of a tree goes when one is replaced
    std::size_t statistics_bytes_ = 0, nodes_ = 0;
    bool overflow_ = false;  // something was left out of the statistics in this round
    bool short_ = false;     // or in an earlier one
};

}  // namespace onlineboost
