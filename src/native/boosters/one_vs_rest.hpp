// One against the rest: each class has a binary booster and a calibration of its own.
#pragma once
#include "boosters/class_booster.hpp"
#include "engine/calibration.hpp"

namespace onlineboost {

class OneVsRest final : public ClassBooster {
   public:
    void add(std::unique_ptr<Booster> booster) override;
    void drop(std::size_t classes) override { classes_.resize(classes); }
    double hear(Scratch& scratch, std::size_t k) const override;
    void decide(const Scratches& heard, const double* margins, double* decisions, double* probabilities) const override;
    void learn(std::vector<ClassBank>& classes, const Scratches& heard, const double* margins, std::size_t label, double s) override;
    void serialise(Archive& archive) override;

   private:
    struct Own {
        std::unique_ptr<Booster> booster;
        Calibration calibration;
    };
    std::vector<Own> classes_;
};

}  // namespace onlineboost
