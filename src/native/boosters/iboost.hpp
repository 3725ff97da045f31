// The booster over a bank of members that vote with weights of their own: the margin is the sum of what they say.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class IBoost final : public Booster {
   public:
    explicit IBoost(std::size_t learners) : learners_(learners) {}
    static std::unique_ptr<Booster> build(const Parameters&, std::size_t learners) {
        return std::make_unique<IBoost>(learners);
    }
    double vote(Scratch& scratch) const override {
        double sum = 0.0;
        for (std::size_t i = 0; i < learners_; ++i) sum += scratch.h[i];
        return sum;
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double) override {
        scratch.weights[0] = s;  // the bank weighs for each member itself
        bank.update(scratch, y, scratch.weights.data());
    }
    void serialise(Archive&) override {}

   private:
    std::size_t learners_;
};

}  // namespace onlineboost
