// OSBoost for many classes: the recursion of Chen, Lin, Lu (ICML 2012, Algorithm 1) on margins between classes.
//
//   m_i = s_i(y) - max_{k != y} s_i(k)        z_i = z_{i-1} + m_i - theta        w_{i+1} = min((1 - gamma)^{z_i / 2},
//   1)
//
// s_i(k) is the share that learner i gives to class k. Where the mean of the first i learners errs, some rival k has
// sum_j s_j(y) <= sum_j s_j(k), so sum_j m_j <= 0, z_i <= 0 and w_{i+1} = 1: the summed weights bound the mistakes as
// the paper's Lemma 2 has it. Two classes with s = (1 +- h) / 2 are the paper's algorithm.
//
// The votes are those of two classes (votes.hpp) with s(y) - s(k*) in place of y h, where k* is the rival of the vote;
// prefix experts vote by plurality.
#pragma once
#include "boosters/multiclass_booster.hpp"
#include "boosters/smooth_weights.hpp"

namespace onlineboost {

class MulticlassOSBoost final : public MulticlassBooster {
   public:
    MulticlassOSBoost(const Parameters& p, std::size_t learners)
        : learners_(learners), smooth_(p, learners), experts_(dynamic_cast<ExpertVote*>(&smooth_.vote())) {}
    static std::unique_ptr<MulticlassBooster> build(const Parameters& p, std::size_t learners);

    // For prefix experts: the vote's own, and two numbers per prefix.
    std::size_t room() const override { return 3 * smooth_.vote().room(); }
    void vote(Scratch& scratch, double* f) const override;
    void learn(Bank& bank, Scratch& scratch, const double* f, double s) override;
    void serialise(Archive& archive, std::size_t) override { smooth_.serialise(archive); }

   private:
    void sharpen(Scratch& scratch) const;
    void choose(Scratch& scratch) const;
    void find_margins(Scratch& scratch) const;

    std::size_t learners_;
    SmoothWeights smooth_;
    ExpertVote* experts_;  // the vote, if it is that of prefix experts
};

}  // namespace onlineboost
