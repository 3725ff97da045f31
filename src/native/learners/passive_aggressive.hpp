// Bank of Passive-Aggressive learners (Crammer et al. 2006, Figure 1): u += tau y x, tau = min(C w, loss / |x|^2)
// (PA-I) or loss / (|x|^2 + 1 / (2 C w)) (PA-II), loss = max(0, 1 - y <u,x>).
#pragma once
#include "learners/linear.hpp"

namespace onlineboost {

class PassiveAggressiveBank final : public LinearBank {
   public:
    PassiveAggressiveBank(std::size_t learners, Normalise normalise, double price, bool soft);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;

    double price_;  // C
    bool soft_;     // PA-II
};

}  // namespace onlineboost
