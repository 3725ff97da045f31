// A mixture of families that give probabilities: Bayes' rule over K families and one expert that stacks them.
//
//   l_k = log p_k / (1 - p_k), kept within +-12             what family k says
//   q_k = sigmoid(l_k),  q_0 = sigmoid(<m, l>)              the experts' probabilities; m ~ N(m, P) follows logistic
//   regression on l p = sum_k v_k q_k,   v_k ~ exp(-eta loss_k)             loss_k the cumulated log-loss of expert k,
//   eta = 1 / largest weight
//
// For weights of at most 1 the mixture's log-loss is at most that of any expert plus ln(K + 1), on every stream (Vovk
// 1990; Dawid 1984). Otherwise it is that times the largest weight, plus what was lost on weights above all before them
// by not knowing the rate yet. A family that carries little in both ways is retired, at counts of examples that double.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class Mixture final : public Booster {
   public:
    struct Options {
        double variance;           // of a coefficient of the stack at the start; their means are 1 / K
        std::uint64_t first_look;  // at a family that may retire; 0: none does
        double least_weight;       // v_k below this, and
        double least_share;        // a share in the stack below this
    };
    Mixture(std::size_t families, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return 3 * (families_ + 1) + 1; }  // logits, q, v, and the score of the stack
    double vote(Scratch& scratch) const override;
    double probability(double vote, double) const override { return 0.5 + 0.5 * vote; }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

    static constexpr double kLargestLogit = 12.0;

   private:
    bool speaks(const double* h, std::size_t k) const { return present_[k] > 0.0 && h[k] <= 1.0; }
    double look(const double* h, double* logits, double* q) const;
    void weigh(const double* h, double* v) const;
    void stack(const double* logits, double z, double y, double s);
    void part_with(Bank& bank, std::size_t k);
    bool is_covariance() const;

    std::size_t families_;
    Options options_;
    std::vector<double> mean_, covariance_;  // of the coefficients; K and K x K
    std::vector<double> losses_;             // of the experts: the stack, then the families
    std::vector<double> squares_;            // of the families' logits, summed
    std::vector<double> present_;            // 1, or 0 for a family that has retired
    std::vector<double> v_, product_;
    double loss_ = 0.0, weight_ = 0.0;  // of the mixture; of the examples
    double largest_ = 1.0;              // sample weight
    double surprises_ = 0.0;  // lost on weights above all before, compared with weights v at the rate that they ask for
};

}  // namespace onlineboost
