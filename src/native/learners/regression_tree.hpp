// Bank of regression trees that grow online: leaves predict a weighted mean or a line, splits are
// tested against chance.
#pragma once
#include "learners/tree_bank.hpp"

namespace onlineboost {

class RegressionTreeBank final : public TreeBank {
   public:
    struct Options {
        double lambda;  // weight of a target 0 in every leaf
        bool lines;     // whether leaves have linear models
    };

    RegressionTreeBank(std::size_t learners, Growth growth, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void update(Scratch& scratch, double y, const double* w) override;
    void regress(Scratch& scratch, double y, const double* pull, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void finish(Scratch& scratch) override;

   private:
    double promise(const Tree::Leaf& leaf) const override;
    void divide(const Tree::Leaf& old, const Split& found, Tree::Leaf& left, Tree::Leaf& right) const override;
    void restart(Tree::Leaf& leaf, bool keep) const override;
    void serialise_sums(Archive& archive, const std::vector<Tree::Leaf*>& leaves) override;
    void serialise_cells(Archive& archive, std::vector<double>& pairs) const override;

    double mean(const Tree::Leaf& leaf) const;
    double output(const Tree::Leaf& leaf, const TreeScratch& scratch) const;
    void standardise(TreeScratch& scratch) const;
    double along(const Tree::Leaf& leaf, const TreeScratch& scratch) const;
    void learn_line(Tree::Leaf& leaf, const TreeScratch& scratch, double g, double w);
    void divide_line(std::size_t i, std::uint32_t leaf, std::vector<double> line, double share);
    void serialise_lines(Archive& archive, const std::vector<Tree::Leaf*>& leaves);
    void learn(TreeScratch& scratch, std::size_t i, double g, double w);
    void attempt(std::size_t i, std::uint32_t leaf);

    Options options_;
    double least_;                            // the statistic that a split must pass
    std::vector<double> moments_;             // by slot, of the rows that have it: how many, sum and sum of squares
    std::vector<std::vector<double>> spare_;  // room for the line of a leaf that a split of each tree makes
};

}  // namespace onlineboost
