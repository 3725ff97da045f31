// The cut between the classes that is best for a metric on the stream so far, as odds that the decision multiplies.
//
// Probabilities before each update are counted in bins of their logits, by label and with their weights; the cut is the
// edge between two bins with the largest F1 or balanced accuracy. Until both classes have a few examples it is 1/2.
#pragma once
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class OperatingPoint {
   public:
    enum class Metric { kNone, kF1, kBalancedAccuracy };
    explicit OperatingPoint(Metric metric) : metric_(metric), counts_(metric == Metric::kNone ? 0 : 2 * kBins) {}

    bool chooses() const { return metric_ != Metric::kNone; }
    // Which class F1 is about: +1 or -1.
    void set_positive(double label);
    void learn(double p, double y, double s);
    // By which the odds of a probability are multiplied, so that 1/2 is the cut.
    double odds() const { return odds_; }
    // The examples, and the weight of those with this label of which +1 or -1 was the more probable.
    double examples() const { return seen_[0] + seen_[1]; }
    double weight(double said, double label) const;
    void serialise(Archive& archive);

   private:
    static constexpr std::size_t kBins = 192;
    static constexpr double kLargestLogit = 12.0, kFewest = 10.0;
    void choose();

    Metric metric_;
    std::vector<double> counts_;  // of -1 and of +1, bin by bin
    double seen_[2] = {0.0, 0.0};
    double positive_ = 1.0, odds_ = 1.0;
};

}  // namespace onlineboost
