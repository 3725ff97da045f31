// Bank of FTRL-Proximal logistic regressions (McMahan et al. 2013, Algorithm 1).
#pragma once
#include "learners/linear.hpp"

namespace onlineboost {

class FtrlBank final : public LinearBank {
   public:
    struct Options {
        double alpha, beta, l1, l2;
    };
    FtrlBank(std::size_t learners, Normalise normalise, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;

    Options options_;
    Table z_, squares_;  // u follows from them
};

}  // namespace onlineboost
