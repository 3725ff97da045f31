// OnlineMBBM (Jung, Goetz, Tewari, "Online multiclass boosting", NIPS 2017, Algorithm 1): boost by majority for many
// classes.
#pragma once
#include "boosters/calibrated_classes.hpp"
#include "boosters/plurality.hpp"
#include "boosters/potential.hpp"

namespace onlineboost {

class MBBM final : public Calibrated<Plurality> {
   public:
    MBBM(std::size_t learners, double gamma) : Calibrated(learners), potential_(gamma) {}
    static std::unique_ptr<ClassBooster> build(const Parameters& p, std::size_t learners);

    void decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double* margins, double* decisions,
                double* probabilities) const override;
    void make_room(const Scratches& heard, std::size_t label) override;
    void learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins, std::size_t label,
               double s) override;

   private:
    std::vector<double> margins(const std::vector<std::size_t>& labels, std::size_t classes) const;

    Potential potential_;
    std::vector<double> margins_,
        shares_;  // of the example at hand: by class, and the weight of each learner for s = 1
};

}  // namespace onlineboost
