// Which of many classes to predict, for a metric that is a mean over the classes, on the stream so far.
//
//   S_k = weight of the examples of class k       D_k = S_k + weight of those that were said to be k
//   F_k = 2 (weight of those that were both) / D_k
//   balanced accuracy, the mean of the recalls:   argmax_k p_k / S_k
//   macro-F1, the mean of the F_k:                argmax_k (2 p_k - F_k) / D_k
//
// Either is the label by which the metric is expected to rise most, to first order: the gradient step of Narasimhan,
// Ramaswamy, Saket and Agarwal (ICML 2015), taken at each example. A class begins with ten examples of mean weight that
// were said right.
#pragma once
#include <vector>

#include "boosters/operating_point.hpp"

namespace onlineboost {

class MacroMetric {
   public:
    explicit MacroMetric(OperatingPoint::Metric metric) : metric_(metric) {}

    bool chooses() const { return metric_ != OperatingPoint::Metric::kNone; }
    // From probabilities of the classes that have begun, in place, to what decides between them, from -1/2 to 1.
    void score(double* p) const;
    // For a class that learn() may begin.
    void make_room() { onlineboost::make_room(classes_, classes_.size() + 1); }
    // `p`, of the classes before the example, is overwritten.
    void learn(double* p, std::size_t label, double s);
    void serialise(Archive& archive, std::size_t classes);
    // Goes on with two classes, as if the more probable one had been said.
    void adopt(Archive& archive);

   private:
    static constexpr double kFewest = 10.0;
    struct Class {
        double examples = 0.0, said = 0.0, right = 0.0;  // weights
    };

    OperatingPoint::Metric metric_;
    std::vector<Class> classes_;
    double count_ = 0.0;  // examples
};

}  // namespace onlineboost
