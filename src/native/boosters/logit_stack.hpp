// An expert made of others: q = sigmoid(<m, l>) with l their logits, m ~ N(mean, P) by Bayesian logistic regression.
#pragma once
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class LogitStack {
   public:
    // The coefficients begin at 1 / K with this variance, independent.
    LogitStack(std::size_t families, double variance);
    void reset();

    double score(const double* logits) const;
    // z is score(logits).
    void learn(const double* logits, double z, double y, double s);
    // The variances of what is not left out grow by this much, to no more than they began with.
    void widen(double by);
    // Its logit is left out from now on.
    void drop(std::size_t k);
    // What family k contributes to the score, up to a common factor.
    double pull(std::size_t k) const;
    // What it has saved of the log-loss: about so much more there would be without it, the others fitted again.
    double saves(std::size_t k) const;

    std::size_t size() const { return mean_.size(); }
    const std::vector<double>& means() const { return mean_; }
    // Several stacks as one field each.
    static void serialise(Archive& archive, std::vector<LogitStack*> stacks);

   private:
    bool is_covariance() const;

    double variance_;
    std::vector<double> mean_, covariance_;  // K and K x K
    std::vector<double> squares_;            // of the logits, summed
    std::vector<double> product_;
};

}  // namespace onlineboost
