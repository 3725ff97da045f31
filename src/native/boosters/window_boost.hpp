// The booster over a bank of window trees, whose outputs are steps in log-odds: the margin is 2 p - 1, p =
// sigmoid(sum).
#pragma once
#include "boosters/booster.hpp"
#include "engine/probability_pair.hpp"

namespace onlineboost {

class WindowBoost final : public Booster {
   public:
    // `weighs`: p and what the calibration makes of the margin are weighed against each other; else it is the latter.
    WindowBoost(std::size_t learners, bool weighs) : learners_(learners), weighs_(weighs) {}
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners) {
        return std::make_unique<WindowBoost>(learners, p.flag("weighs"));
    }
    double vote(Scratch& scratch) const override;
    double probability(double vote, double calibrated) const override {
        return weighs_ ? ProbabilityPair(vote, calibrated, losses_).p : calibrated;
    }
    void judge(double vote, double calibrated, double y, double s) override {
        if (weighs_) ProbabilityPair(vote, calibrated, losses_).learn(losses_, y, s);
    }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double) override {
        scratch.weights[0] = s;  // all trees learn with the weight of the first
        bank.update(scratch, y, scratch.weights.data());
    }
    void serialise(Archive& archive) override {
        if (weighs_) archive.sums("probability_losses", losses_, 2);
    }

   private:
    std::size_t learners_;
    bool weighs_;
    double losses_[2] = {0.0, 0.0};
};

}  // namespace onlineboost
