// Bank of Hoeffding trees (Domingos & Hulten, KDD 2000) with example weights, random features and random weights.
#pragma once
#include "learners/bank.hpp"
#include "learners/split.hpp"
#include "learners/tree.hpp"

namespace onlineboost {

class HoeffdingTreeBank final : public Bank {
   public:
    enum class LeafRule { kMajority, kNaiveBayes, kAdaptive };
    enum class Rule { kHoeffding, kEvidence };
    struct Options {
        LeafRule leaf;
        Criterion criterion;
        Rule rule;
        double grace, delta, tie;   // weight between two attempts; chance of a wrong choice; bound below which features count as equal
        std::size_t bins;
        double share;               // of the features that a leaf, or a tree, may test
        bool per_tree;
        double resample;            // 0: none; else every weight is multiplied by a Poisson number of this mean
        std::size_t max_depth, max_leaves, max_bytes;
        std::uint64_t seed;
    };

    HoeffdingTreeBank(std::size_t learners, Options options);

    void score(Scratch& scratch) const override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Judged {
        double bayes, chosen;
    };

    void spread(Scratch& scratch) const;
    std::int32_t* found(Scratch& scratch, std::size_t i) const;
    Judged judge(const Tree::Leaf& leaf, const Row& row, std::int32_t* found) const;
    double naive_bayes(const Tree::Leaf& leaf, const Row& row, std::int32_t* found) const;
    unsigned draw(std::size_t i) const;
    void learn(Scratch& scratch, std::size_t i, double y, double w);
    void observe(Tree::Leaf& leaf, const Row& row, const std::int32_t* found, int c, double w);
    void attempt(std::size_t i, std::uint32_t leaf);
    void split(std::size_t i, std::uint32_t leaf, const Split& found);
    void begin(std::size_t i, Tree::Leaf& leaf, std::uint32_t node, std::uint32_t depth) const;
    bool can_split(const Tree& tree, const Tree::Leaf& leaf) const;
    bool wants_statistics(const Tree& tree, const Tree::Leaf& leaf) const;
    void end_round();
    void drop(Tree::Leaf& leaf);
    void review();
    std::size_t fixed_bytes() const;

    void serialise_nodes(Archive& archive, std::size_t slots);
    void serialise_leaves(Archive& archive, std::size_t slots);
    void serialise_statistics(Archive& archive, const std::vector<Tree::Leaf*>& leaves, std::size_t slots);

    Options options_;
    std::uint64_t cut_;                // a feature takes part where its hash is at most this
    std::vector<double> poisson_;      // cumulated chances
    std::vector<double> pseudo_;       // 1 / (cells + 1)
    std::vector<Tree> trees_;
    std::vector<std::int32_t> tests_;  // slot of each value that some node tests
    std::vector<std::int32_t> test_of_slot_;
    std::uint64_t rounds_ = 0;
    std::size_t statistics_bytes_ = 0, nodes_ = 0;
    bool overflow_ = false;            // something was left out of the statistics in this round
    bool short_ = false;               // or in an earlier one
};

}  // namespace onlineboost
