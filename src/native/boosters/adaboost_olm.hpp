// Adaboost.OLM (Jung, Goetz, Tewari, "Online multiclass boosting", NIPS 2017, Algorithm 2): adaptive weights for many
// classes.
#pragma once
#include "boosters/plurality.hpp"

namespace onlineboost {

class AdaBoostOLM final : public Plurality {
   public:
    explicit AdaBoostOLM(std::size_t learners);
    static std::unique_ptr<ClassBooster> build(const Parameters& p, std::size_t learners);

    void decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double* margins, double* decisions,
                double* probabilities) const override;
    void make_room(const Scratches& heard, std::size_t label) override;
    void learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins, std::size_t label,
               double s) override;
    void serialise(Archive& archive) override;

   private:
    static constexpr double kBound = 2.0;  // of |alpha|
    void refresh();

    Vector alpha_;                     // of each learner in the sums s
    Vector loss_;                      // of each expert, which goes by the sums over the learners up to its own
    Vector shares_;                    // derived: exp(-loss), relative to the best expert's
    double total_ = 0.0;               // of the shares
    std::vector<double> sums_, cost_;  // of the example at hand, by class
};

}  // namespace onlineboost
