// A stack that never forgets and one that follows the stream, mixed by StackShare:
//
//   q = (1 - v) q_0 + v q_1
//
// The second one's coefficients walk at random: after every example of weight s their variances grow by
// `walk` min(s, 1), up to the variance that they begin with. With a walk of 0 there is the first one alone.
#pragma once
#include <vector>

#include "boosters/logit_stack.hpp"
#include "boosters/stack_share.hpp"

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
    double saves(std::size_t k) const { return still_.saves(k); }

    // Several stacks as one field each.
    static void serialise(Archive& archive, std::vector<TrackingStack*> stacks);

    static constexpr double kLargestLogit = 12.0;

   private:
    double walk_;
    LogitStack still_, moving_;
    StackShare share_;
};

}  // namespace onlineboost
