// The booster over a bank of window trees, whose outputs are steps in log-odds: the margin is 2 p - 1, p =
// sigmoid(sum).
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class WindowBoost final : public Booster {
   public:
    explicit WindowBoost(std::size_t learners) : learners_(learners) {}
    static std::unique_ptr<Booster> build(const Parameters&, std::size_t learners) {
        return std::make_unique<WindowBoost>(learners);
    }
    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double) override {
        scratch.weights[0] = s;  // all trees learn with the weight of the first
        bank.update(scratch, y, scratch.weights.data());
    }
    void serialise(Archive&) override {}

   private:
    std::size_t learners_;
};

}  // namespace onlineboost
