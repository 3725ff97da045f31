// OSBoost, OSBoost.OCP and OSBoost.EXP (Chen, Lin, Lu, ICML 2012, Algorithm 1 and Section 4).
//
// The three share the smooth weights and differ in how outputs are combined, so a vote is a strategy of its own:
// it sees every round's outputs before the learners are updated.
#pragma once
#include "boosters/booster.hpp"
#include "boosters/smooth_weights.hpp"

namespace onlineboost {

class OSBoost final : public Booster {
   public:
    using Options = SmoothWeights::Options;
    OSBoost(std::size_t learners, Options options, std::unique_ptr<Vote> vote, std::optional<DriftWatch> watch)
        : smooth_(learners, options, std::move(vote), std::move(watch)) {}
    OSBoost(const Parameters& p, std::size_t learners) : smooth_(p, learners) {}
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return smooth_.vote().room(); }
    void see(Scratch& scratch) const override;
    double vote(Scratch& scratch) const override { return smooth_.vote().margin(scratch); }
    double test(Scratch& scratch, double vote) const override { return smooth_.vote().test(scratch, vote, rounds); }
    double expected_error(Scratch& scratch, double vote, double y) const override {
        return smooth_.vote().expected_error(scratch, vote, y);
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override { smooth_.serialise(archive); }

   private:
    SmoothWeights smooth_;
};

}  // namespace onlineboost
