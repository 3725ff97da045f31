// Weights over experts that give probabilities: Bayes' rule and fixed share at rate 1/t, mixed by Bayes' rule.
//
//   b(e) ~ exp(-(L(e) + h(e)) / B)               Bayes: L the log-loss since birth, h what it was born with, 0 at first
//   f(e) = t/(t+1) v(e) + 1 / ((t+1) K)          fixed share: v its posterior after round t, K the experts alive
//   v(e) ~ f(e) q(e)^(s/B)                       q(e) what e gave to the outcome, s its weight, B = max(1, largest s)
//   w    = pi b + (1 - pi) f                     pi ~ exp(-loss of Bayes / B), from 1/2
//
// On every interval of every stream the loss is within ln K + ln t + ln(1/(1 - pi)) of the best expert that lived
// through it; in all, within ln(experts ever born) + ln 2 of the best that lived from the start (docs/drift.md). An
// expert is born with v = 0, and with b = 1/n if it is the n-th.
//
// The experts' losses are all that is known here: outcomes may be of two classes or of many.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class ExpertTracker {
   public:
    // Places for `experts`, of which the first `alive` begin; without `shares` it is Bayes' rule alone.
    ExpertTracker(std::size_t experts, std::size_t alive, bool shares);

    // They sum to 1, and are 0 for places without an expert.
    const std::vector<double>& weights() const { return weights_; }
    bool alive(std::size_t e) const { return alive_[e] > 0.0; }
    // sum_e w(e) q(e)
    double forecast(const double* q) const { return mean(weights_, q); }
    // q(e) > 0 is the probability that expert e gave to what happened; s > 0 weighs the example.
    void learn(const double* q, double s);
    // Between two rounds. The last expert stays.
    void add(std::size_t e);
    void drop(std::size_t e);

    std::uint64_t rounds() const { return rounds_; }
    double loss() const { return loss_; }  // of the forecast
    void serialise(Archive& archive);

   private:
    static double mean(const std::vector<double>& weights, const double* q);
    double bayes_total(double& least) const;
    void refresh();

    std::size_t experts_;
    bool shares_;
    std::vector<double> alive_;      // 1 or 0
    std::vector<double> losses_;     // L
    std::vector<double> born_with_;  // h
    std::vector<double> posterior_;  // v
    std::vector<double> bayes_, share_, weights_;
    double forecasters_[2] = {0.0, 0.0};      // losses of Bayes and of fixed share
    double loss_ = 0.0, weight_ = 0.0;        // of the forecast; of the examples
    double largest_ = 1.0;                    // B
    double surprises_ = 0.0;                  // lost on weights above all before, for not knowing B in advance
    double doubt_;                            // the largest B ln(1 / (1 - pi)) so far
    std::uint64_t rounds_ = 0, born_, most_;  // t; experts ever born; most alive at once
};

}  // namespace onlineboost
