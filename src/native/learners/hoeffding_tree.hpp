// Bank of Hoeffding trees (Domingos & Hulten, KDD 2000) with example weights, random features and random weights.
#pragma once
#include "learners/tree_bank.hpp"

namespace onlineboost {

class HoeffdingTreeBank final : public TreeBank {
   public:
    enum class LeafRule { kMajority, kNaiveBayes, kAdaptive };
    enum class Rule { kHoeffding, kEvidence };
    struct Options {
        LeafRule leaf;
        Criterion criterion;
        Rule rule;
        double tie;       // bound below which features count as equal
        double resample;  // 0: none; else every weight is multiplied by a Poisson number of this mean

        static Options from(const Parameters& p);
    };

    HoeffdingTreeBank(std::size_t learners, Growth growth, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;

   private:
    struct Judged {
        double bayes, chosen;
    };

    bool predicts_by_statistics() const override { return options_.leaf != LeafRule::kMajority; }
    double promise(const Tree::Leaf& leaf) const override;
    void divide(const Tree::Leaf& old, const Split& found, Tree::Leaf& left, Tree::Leaf& right) const override;
    void serialise_sums(Archive& archive, const std::vector<Tree::Leaf*>& leaves) override;
    void serialise_cells(Archive& archive, std::vector<double>& pairs) const override;

    void find_cells(TreeScratch& scratch, std::size_t i) const;
    Judged judge(const TreeScratch& scratch, std::size_t i) const;
    double naive_bayes(const Tree::Leaf& leaf, std::span<const CountedCell> cells) const;
    unsigned draw(std::size_t i) const;
    void learn(TreeScratch& scratch, std::size_t i, double y, double w);
    void attempt(std::size_t i, std::uint32_t leaf);
    bool learn_path(TreeScratch& scratch, std::size_t i, int c, const double add[2]);
    bool reexamine(std::size_t i, std::size_t split);

    Options options_;
    std::vector<double> poisson_;  // cumulated chances
    std::vector<double> pseudo_;   // 1 / (cells + 1)
};

}  // namespace onlineboost
