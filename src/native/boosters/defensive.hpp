// Defensive boosting (Noarov & Roth, arXiv 2608.13554): forecasts that neither the learner nor the forecast itself can
// improve upon.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class Defensive final : public Booster {
   public:
    static std::unique_ptr<Booster> build(const Parameters&, std::size_t) { return std::make_unique<Defensive>(); }
    double vote(Scratch& scratch) const override;
    // The margin p is a forecast of y; no calibration is between it and the probability.
    double probability(double vote, double) const override { return 0.5 + 0.5 * vote; }
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    // Online gradient ascent on [-1, 1] with adaptive steps; regret <= 2 sqrt(4 + squares) + path / 2 for gains of at
    // most 2.
    struct Walk {
        double at = 0.0;
        double squares = 0.0;  // sum of g^2
        double path = 0.0;     // sum of eta g^2
        void gain(double g);
        void serialise(Archive& archive, const std::string& name);
    };
    Walk lambda_, theta_;
    double learner_gain_ = 0.0;   // sum s h r, with r = y - p
    double forecast_gain_ = 0.0;  // sum s p r
    double squares_ = 0.0;        // sum s r^2
    double count_ = 0.0;          // sum s
};

}  // namespace onlineboost
