// Streaming gradient boosting of the log-loss of many classes: a regression per class, coupled by the softmax.
#pragma once
#include "boosters/calibrated_classes.hpp"
#include "boosters/gradient_boost.hpp"

namespace onlineboost {

class SoftmaxBoost final : public CalibratedClasses {
   public:
    SoftmaxBoost(std::size_t learners, GradientBoost::Options options) : learners_(learners), options_(options) {}
    static std::unique_ptr<ClassBooster> build(const Parameters& p, std::size_t learners);

    void decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double* margins, double* decisions,
                double* probabilities) const override;
    void make_room(const Scratches& heard, std::size_t label) override;
    void learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins, std::size_t label,
               double s) override;

   private:
    double mean(const Scratch& heard) const;

    std::size_t learners_;
    GradientBoost::Options options_;
    std::vector<double> sums_, odds_, margins_;  // of the example at hand, by class
};

}  // namespace onlineboost
