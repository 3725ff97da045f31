// One weak learner on its own: the baseline column of the paper's tables.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class Single final : public Booster {
   public:
    double vote(Scratch& scratch) const override { return scratch.h[0]; }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double) override { bank.update(scratch, y, &s); }
    void serialise(Archive&) override {}
};

}  // namespace onlineboost
