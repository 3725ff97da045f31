// One against the rest: each class has a binary booster and a calibration of its own.
#pragma once
#include "boosters/class_booster.hpp"

namespace onlineboost {

class OneVsRest final : public ClassBooster {
   public:
    static std::unique_ptr<ClassBooster> build(const Parameters&, std::size_t) { return std::make_unique<OneVsRest>(); }
    bool boosts_each_class() const override { return true; }
    double hear(const Ensemble& ensemble, Scratch& scratch) const override { return ensemble.vote(scratch); }
    void decide(const std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins,
                double* decisions, double* probabilities) const override;
    void learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins, std::size_t label,
               double s) override;
    void serialise(Archive&) override {}  // all that is learned is the ensembles'
};

}  // namespace onlineboost
