// AdaBoost.OL and AdaBoost.OL.W (Beygelzimer, Kale, Luo, ICML 2015, Algorithm 2): online logistic boosting without a
// known edge.
#pragma once
#include "boosters/booster.hpp"
#include "boosters/votes.hpp"

namespace onlineboost {

class AdaBoostOL final : public Booster {
   public:
    struct Options {
        bool sample;  // hand examples on with the probability w instead of with the weight w
        bool sign;    // work with the signs of the outputs
        std::uint64_t seed;
    };
    AdaBoostOL(std::size_t learners, Options options, ExpertVote::Options experts);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return experts_.room(); }
    void see(Scratch& scratch) const override;
    double vote(Scratch& scratch) const override;
    double test(Scratch& scratch, double vote) const override {
        return 0.5 * experts_.test(scratch, 2.0 * vote, rounds);
    }
    double expected_error(Scratch& scratch, double vote, double y) const override {
        return experts_.expected_error(scratch, vote, y);
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    std::size_t learners_;
    Options options_;
    ExpertVote experts_;  // expert i votes with alpha_1 h_1 + ... + alpha_i h_i
    Vector alpha_;
    Vector mass_, edge_;               // sum s w, sum s w y h
    std::vector<std::uint64_t> keys_;  // of the learners' draws
};

}  // namespace onlineboost
