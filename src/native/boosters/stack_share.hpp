// What the second of two stacks weighs, by fixed share at rate 1/t:
//
//   v <- posterior of the second;    v <- t/(t+1) v + 1/(2 (t+1))
//
// With weights up to 1, on every interval up to example t, (1 - v) q_0 + v q_1 loses at most ln 2 + ln t more than the
// better of the two.
#pragma once
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class StackShare {
   public:
    void reset() { *this = StackShare(); }
    double second() const { return v_; }
    double mix(double q, double other) const { return (1.0 - v_) * q + v_ * other; }
    // What the two gave to the outcome, above 0; s weighs the example.
    void learn(double q, double other, double s);

    // Several as one field each.
    static void serialise(Archive& archive, const std::vector<StackShare*>& shares);

   private:
    double v_ = 0.5, steps_ = 0.0;
};

}  // namespace onlineboost
