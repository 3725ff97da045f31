// Bank of FTRL-Proximal logistic regressions (McMahan et al. 2013, Algorithm 1).
#pragma once
#include "learners/half_life.hpp"
#include "learners/linear.hpp"

namespace onlineboost {

class FtrlBank final : public LinearBank {
   public:
    struct Options {
        double alpha, beta, l1, l2;
        double kept;  // of the gradients and rates, from row to row
    };
    FtrlBank(std::size_t learners, Normalise normalise, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;

    void age(LinearScratch& scratch) override;

    Options options_;
    GrowingScale scale_;  // of the gradients
    Table z_, squares_;   // u follows from them, and from the scale when its feature was met last
};

}  // namespace onlineboost
