// A stack that never forgets and one that follows the stream, mixed by fixed share at rate 1/t:
//
//   q = (1 - v) q_0 + v q_1,    v <- posterior of q_1;    v <- t/(t+1) v + 1/(2 (t+1))
//
// The second one's coefficients walk at random: after every example of weight s their variances grow by
// `walk` min(s, 1), up to the variance that they begin with. With weights up to 1, on every interval up to example t, q
// loses at most ln 2 + ln t more than the better of the two. With a walk of 0 there is the first one alone.
#pragma once
#include <vector>

#include "boosters/logit_stack.hpp"

namespace onlineboost {

class TrackingStack {
   public:
    TrackingStack(std::size_t families, double variance, double walk);
    void reset();

    double probability(const double* logits) const;
    void learn(const double* logits, double y, double s);
    // Its logit is left out from now on.
    void drop(std::size_t k);
    // What family k contributes to the first one's score, up to a common factor; the other's wanders.
    double pull(std::size_t k) const { return still_.pull(k); }

    // Several stacks as one field each.
    static void serialise(Archive& archive, std::vector<TrackingStack*> stacks);

    static constexpr double kLargestLogit = 12.0;

   private:
    double walk_;
    LogitStack still_, moving_;
    double v_ = 0.5, steps_ = 0.0;
};

}  // namespace onlineboost
