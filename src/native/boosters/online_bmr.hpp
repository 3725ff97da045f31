// OnlineBMR (Jung, Tewari, "Online boosting algorithms for multi-label ranking", AISTATS 2018, Algorithm 1): boost by
// majority for rankings, with the potential of the hinge loss.
//
// The loss is a sum over pairs, and so is its potential: phi_n(d) = E max(0, 1 - d - S_n) for a label that leads
// another one by d, where S_n is a walk of n steps: up with chance p, down with chance q. It is linear between whole
// leads, so that a table of these is exact.
#pragma once
#include <map>
#include <utility>

#include "boosters/ranking.hpp"

namespace onlineboost {

class RankPotential {
   public:
    RankPotential(std::size_t votes, double p, double q);
    double value(std::size_t n, double lead) const;

   private:
    double& at(std::size_t n, int lead) { return table_[n * (2 * half_ + 1) + static_cast<std::size_t>(lead + span_)]; }
    double p_, q_;
    std::size_t half_;
    int span_;
    std::vector<double> table_;
};

class OnlineBMR final : public Ranking {
   public:
    static constexpr std::size_t kMostVotes = 100;  // tables are quadratic in the votes
    OnlineBMR(std::size_t learners, double gamma, bool intercept) : Ranking(learners, intercept), gamma_(gamma) {}
    static std::unique_ptr<LabelBooster> build(const Parameters& p, std::size_t learners);
    void make_room(const LabelScratches& heard, const Present& present) override;

   protected:
    void score(const std::vector<double>& shares, std::size_t places, double* scores) const override;
    void learn_pairs(const LabelScratches& heard, double s) override;

   private:
    static constexpr std::size_t kMostKept = 64;
    double gamma_;
    std::map<std::pair<std::size_t, std::size_t>, RankPotential>
        potentials_;                            // a cache, by labels, and how many it has
    const RankPotential* potential_ = nullptr;  // of the example at hand
};

}  // namespace onlineboost
