// OSBoost, OSBoost.OCP and OSBoost.EXP (Chen, Lin, Lu, ICML 2012, Algorithm 1 and Section 4).
//
// The three share the smooth weights and differ in how outputs are combined, so a vote is a strategy of its own:
// it sees every round's outputs before the learners are updated.
#pragma once
#include <memory>

#include "boosters/booster.hpp"
#include "boosters/votes.hpp"

namespace onlineboost {

class OSBoost final : public Booster {
   public:
    OSBoost(std::size_t learners, double gamma, double theta, std::unique_ptr<Vote> vote);

    double vote(Scratch& scratch) const override { return vote_->margin(scratch); }
    double test(Scratch& scratch, double vote) const override { return vote_->test(scratch, vote, rounds); }
    double expected_error(Scratch& scratch, double vote, double y) const override {
        return vote_->expected_error(scratch, vote, y);
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    std::size_t learners_;
    double theta_, beta_;
    std::unique_ptr<Vote> vote_;
    Vector mass_;  // |w^(i)| for i = 1..N+1
};

}  // namespace onlineboost
