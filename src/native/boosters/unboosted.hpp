// One weak learner on its own: the baseline column of the paper's tables.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class Unboosted final : public Booster {
   public:
    static std::unique_ptr<Booster> build(const Parameters&, std::size_t) { return std::make_unique<Unboosted>(); }
    double vote(Scratch& scratch) const override { return scratch.h[0]; }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double) override { bank.update(scratch, y, &s); }
    void serialise(Archive&) override {}
};

}  // namespace onlineboost
