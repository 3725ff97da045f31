// OSBoost, OSBoost.OCP and OSBoost.EXP (Chen, Lin, Lu, ICML 2012, Algorithm 1 and Section 4).
//
// The three share the smooth weights and differ in how outputs are combined, so a vote is a strategy of its own:
// it sees every round's outputs before the learners are updated.
#pragma once
#include <memory>
#include <optional>

#include "boosters/booster.hpp"
#include "boosters/checkpoints.hpp"
#include "boosters/diagnostics.hpp"
#include "boosters/votes.hpp"
#include "drift/watch.hpp"

namespace onlineboost {

class OSBoost final : public Booster {
   public:
    struct Options {
        double gamma, theta;
        double margin_scale;  // multiplies the outputs before they are clipped to [-1, 1]; 1 is the paper
        double keep;          // what one round leaves of the fading sums; 0: there are none
        bool history;         // keeps checkpoints of the sums
    };
    OSBoost(std::size_t learners, Options options, std::unique_ptr<Vote> vote, std::optional<DriftWatch> watch);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return vote_->room(); }
    void see(Scratch& scratch) const override;
    double vote(Scratch& scratch) const override { return vote_->margin(scratch); }
    double test(Scratch& scratch, double vote) const override { return vote_->test(scratch, vote, rounds); }
    double expected_error(Scratch& scratch, double vote, double y) const override {
        return vote_->expected_error(scratch, vote, y);
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;
    static Options read(const Parameters& p);

   private:
    void serialise_sums(Archive& archive);
    std::size_t learners_;
    Options options_;
    double beta_;
    std::unique_ptr<Vote> vote_;
    Vector aim_;  // i theta, the sum of margins that the first i learners aim at
    Diagnostics whole_;
    std::optional<Diagnostics> faded_;
    double mistakes_ = 0.0;  // sum s 1{y f <= 0} of the vote
    double faded_mistakes_ = 0.0;
    std::optional<DriftWatch> watch_;
    std::optional<Checkpoints> checkpoints_;
};

}  // namespace onlineboost
