// Streaming gradient boosting (Hu, Sun, Venkatraman, Hebert, Bagnell, AISTATS 2017) of the logistic loss.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class GradientBoost final : public Booster {
   public:
    static constexpr double kLeastCurvature = 0.5;  // per unit of gradient: targets are at most 2
    struct Options {
        double rate;
        bool newton;  // targets g / h with weight h; else g with weight 1
    };
    GradientBoost(std::size_t learners, Options options) : learners_(learners), options_(options) {}
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return round_up(learners_); }  // for the weights of the targets
    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive&) override {}

   private:
    std::size_t learners_;
    Options options_;
};

}  // namespace onlineboost
