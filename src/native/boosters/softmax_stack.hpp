// An expert made of others: softmax regression on their log-probabilities.
//
//   q(k) = exp(sum_f m_f ln q_f(k)) / sum_l exp(sum_f m_f ln q_f(l))         m begins at 1 / F
//
// An example moves m to the minimum of (m' - m)' L (m' - m) / 2 - s ln q(y), found by Newton's method; then L grows by
// s times the covariance of the ln q_f under q. Of two classes this is LogitStack, whose state it goes on with.
#pragma once
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class SoftmaxStack {
   public:
    // The coefficients begin with this variance, independent.
    SoftmaxStack(std::size_t families, double variance);
    void reset();

    // From the families' logs, a row over families per class, the classes' probabilities.
    void score(const double* logs, std::size_t classes, double* p) const { score(logs, classes, mean_.data(), p); }
    // `p` has room for the classes.
    void learn(const double* logs, std::size_t classes, std::size_t label, double s, double* p);
    // The precision goes by this rate towards what it began with.
    void forget(double rate);
    // Its logs are 0 from now on.
    void drop(std::size_t f) { mean_[f] = 0.0; }
    // What family f contributes to the score, up to a common factor.
    double pull(std::size_t f) const;
    // As of LogitStack.
    double saves(std::size_t f) const;

    // Several stacks as one field each.
    static void serialise(Archive& archive, std::vector<SoftmaxStack*> stacks);

   private:
    void score(const double* logs, std::size_t classes, const double* m, double* p) const;
    void spread(const double* logs, const double* p, std::size_t classes);
    bool is_precision() const;
    static void adopt(Archive& archive, const std::vector<SoftmaxStack*>& stacks);
    void invert(const double* covariance);

    double variance_;
    std::vector<double> mean_, precision_;  // of the coefficients; F and F x F
    std::vector<double> squares_;           // variances of the families' logs, summed
    std::vector<double> at_, gradient_, step_, hessian_, average_, covariance_;  // of a step
};

}  // namespace onlineboost
