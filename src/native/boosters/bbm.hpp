// Online BBM with importance weights (Beygelzimer, Kale, Luo, ICML 2015, Algorithm 1): boost-by-majority's binomial
// weights.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class BBM final : public Booster {
   public:
    struct Options {
        double edge;    // a learner is right with probability 1/2 + edge
        bool relative;  // weights over the largest that the learner can get
        bool sign;      // work with the signs of the outputs
    };
    BBM(std::size_t learners, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    void see(Scratch& scratch) const override;
    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    std::size_t learners_;
    Options options_;
    double logit_;
    Vector log_factorial_, scale_;  // see Binomial
    Vector mass_, edge_;            // sum s w, sum s w m
    double count_ = 0.0;            // sum s
    double mistakes_ = 0.0;         // sum s 1{y f <= 0}
    double potential_ = 0.0;        // sum s 1{m_1 + ... + m_N <= 0}: what the potential telescopes to
};

}  // namespace onlineboost
