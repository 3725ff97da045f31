// Binary relevance: each label has a binary booster and a calibration of its own.
//
// A binary booster takes the label that it sees first as +1. So the labels of the stream's first row are +1 inside, and
// of all others the absence is: each is, bit for bit, the binary booster of its column.
#pragma once
#include "boosters/label_booster.hpp"

namespace onlineboost {

class BinaryRelevance final : public LabelBooster {
   public:
    static std::unique_ptr<LabelBooster> build(const Parameters&, std::size_t) {
        return std::make_unique<BinaryRelevance>();
    }
    bool boosts_each_label() const override { return true; }
    double sign(bool first_row) const override { return first_row ? 1.0 : -1.0; }
    double hear(const Ensemble& ensemble, Scratch& scratch) const override { return ensemble.vote(scratch); }
    void decide(const Places& places, const LabelScratches& heard, const double* margins, double* decisions,
                double* probabilities) const override;
    void learn(Places& places, const LabelScratches& heard, const double* margins, const Present& present,
               double s) override;
};

}  // namespace onlineboost
