// Bank of logistic regressions by diagonal AdaGrad, with the closed form of an infinitely divided step.
#pragma once
#include "learners/half_life.hpp"
#include "learners/linear.hpp"

namespace onlineboost {

class AdaGradBank final : public LinearBank {
   public:
    AdaGradBank(std::size_t learners, Normalise normalise, double rate, double kept);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;
    void age(LinearScratch& scratch) override;

    double rate_;
    GrowingScale scale_;  // of the gradients
    Table squares_;       // sums of the squared gradients
};

}  // namespace onlineboost
