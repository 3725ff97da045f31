// SoftmaxStack as TrackingStack is LogitStack: one that never forgets and one that follows the stream, mixed by
// StackShare.
//
// The precision L of the second one decays to what it begins with: after every example of weight s
//
//   L <- (1 - r) L + r I / variance,    r = forgetting min(s, 1)
//
// With a forgetting of 0 there is the first one alone.
#pragma once
#include <vector>

#include "boosters/softmax_stack.hpp"
#include "boosters/stack_share.hpp"

namespace onlineboost {

class TrackingSoftmax {
   public:
    TrackingSoftmax(std::size_t families, double variance, double forgetting);
    void reset();

    // As of SoftmaxStack, none below `smallest`; `other` has room for the classes.
    void score(const double* logs, std::size_t classes, double smallest, double* p, double* other) const;
    void learn(const double* logs, std::size_t classes, std::size_t label, double s, double smallest, double* p);
    // Its logs are 0 from now on.
    void drop(std::size_t f);
    // What family f contributes to the first one's score, up to a common factor.
    double pull(std::size_t f) const { return still_.pull(f); }
    double saves(std::size_t f) const { return still_.saves(f); }

    // Several stacks as one field each.
    static void serialise(Archive& archive, const std::vector<TrackingSoftmax*>& stacks);

   private:
    double forgetting_;
    SoftmaxStack still_, moving_;
    StackShare share_;
};

}  // namespace onlineboost
