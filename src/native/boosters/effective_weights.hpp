// Sample weights as targets: examples are evidence, weights say which probabilities are meant.
//
//   b_c = sum s^2 / sum s over the examples of class c          the weight of one effective example of the class
//   r   = s / b_y                                               what the example counts for
//   odds = b_+ / b_-                                            from the odds of the examples to those of the weights
//
// The r of a class add up to about (sum s)^2 / sum s^2, Kish's effective number of its examples. Where all examples of
// a class weigh the same, r is 1: nothing but the odds depends on the weights. A common factor of all weights cancels.
#pragma once
#include "engine/archive.hpp"

namespace onlineboost {

class EffectiveWeights {
   public:
    // Counts the example; gives r.
    double learn(double y, double s) {
        Class& own = classes_[y > 0.0 ? 1 : 0];
        own.sum += s;
        own.squares += s * s;
        own.count += 1.0;
        return s * (own.sum / own.squares);
    }
    // 1 as long as a class has no example. Balanced: as if both classes weighed the same in all.
    double odds(bool balanced) const;
    void serialise(Archive& archive);

    static constexpr double kLargestOdds = 1e6;  // that a probability is changed by

   private:
    struct Class {
        double sum = 0.0, squares = 0.0, count = 0.0;
    };
    Class classes_[2];  // of -1 and of +1
};

// A probability whose odds are multiplied.
inline double tilted(double p, double odds) { return odds == 1.0 ? p : p * odds / (p * odds + (1.0 - p)); }

}  // namespace onlineboost
