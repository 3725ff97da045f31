// A mixture of families that give probabilities of many classes: Bayes' rule over F families and one expert that stacks
// them.
//
//   q_0(k) = exp(sum_f m_f ln q_f(k)) / sum_l exp(sum_f m_f ln q_f(l))     softmax regression on the families'
//                                                                         log-probabilities; m begins at 1 / F
//   p = sum_e w_e q_e                                                      w by ExpertTracker
//
// An example moves m to the minimum of (m' - m)' L (m' - m) / 2 - s ln q_0(y), found by Newton's method; then L grows
// by s times the covariance of the ln q_f under q_0. Of two classes this is the mixture of mixture.hpp, whose leading
// generation goes on with the third class: families, weights and stack stay as they were, and what does not go on is
// dropped, which no bound suffers from. Of a class that begins nobody knew: all experts lose the same.
#pragma once
#include "boosters/expert_tracker.hpp"
#include "boosters/multiclass_booster.hpp"

namespace onlineboost {

class MulticlassMixture final : public MulticlassBooster {
   public:
    struct Options {
        double variance;           // of a coefficient of the stack at the start
        std::uint64_t first_look;  // at a family that may retire; 0: none does
        double least_weight;       // v below this, and
        double least_share;        // a share in the stack below this
        std::size_t generations;   // of the mixture of two classes; 0: Bayes' rule alone
    };
    MulticlassMixture(std::size_t families, Options options);
    static std::unique_ptr<MulticlassBooster> build(const Parameters& p, std::size_t learners);

    bool gives_probabilities() const override { return true; }
    void vote(Scratch& scratch, double* f) const override;
    void learn(Bank& bank, Scratch& scratch, const double* f, double s) override;
    void serialise(Archive& archive) override;
    void adopt(Archive& archive) override;
    // Of a saved mixture of two classes.
    static std::size_t leading_generation(Archive& archive);

   private:
    // What vote() leaves in the room of a scratch.
    struct View {
        double *logs, *stack, *q;  // a row over families per class; per class; per expert
    };
    View view(Scratch& scratch, std::size_t classes) const;
    bool speaks(const Scratch& scratch, std::size_t f) const {
        return present_[f] > 0.0 && scratch.shares[0][f] <= 1.0;
    }
    void stack(const double* logs, std::size_t classes, const double* m, double* p) const;
    void move(const View& view, std::size_t classes, std::size_t label, double s);
    void spread(const double* logs, const double* p, std::size_t classes, double* mean, double* covariance) const;
    void check_events() const;
    void look(Bank& bank);
    void retire(Bank& bank, std::size_t f);

    std::size_t families_;
    Options options_;
    std::vector<double> mean_, precision_;  // of the coefficients; F and F x F
    std::vector<double> squares_;           // variances of the families' logs, summed
    std::vector<double> present_;           // of each family, 1 or 0
    std::vector<double> before_;            // the experts' weights
    ExpertTracker tracker_;                 // of the stack, then the families
    std::uint64_t born_ = 0;                // examples learned before its generation began, and
    double started_ = 0.0;                  // their weight
    std::vector<std::int64_t> events_;      // of the mixture of two classes
    std::vector<double> at_, gradient_, step_, hessian_, average_, covariance_, p_;  // of a step
};

}  // namespace onlineboost
