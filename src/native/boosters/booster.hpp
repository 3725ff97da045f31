// A booster turns the outputs of a bank into one margin, and a labelled example into one weight per learner.
#pragma once
#include <cstdint>
#include <memory>

#include "engine/archive.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

class Booster {
   public:
    virtual ~Booster() = default;

    // How many numbers of scratch.room it wants.
    virtual std::size_t room() const { return 0; }
    // After the bank has scored: turns scratch.h into the outputs that the booster works with, in [-1, 1].
    virtual void see(Scratch& scratch) const { (void)scratch; }
    // The margin in [-1, 1]: a pure function of the model and of scratch.h.
    virtual double vote(Scratch& scratch) const = 0;
    // The margin of a test-then-train round; differs from vote() only where the algorithm draws at random.
    virtual double test(Scratch& scratch, double vote) const {
        (void)scratch;
        return vote;
    }
    // The probability, over the algorithm's own draws, that this round's prediction is wrong; 0 or 1 where it draws
    // nothing.
    virtual double expected_error(Scratch& scratch, double vote, double y) const {
        (void)scratch;
        return y * vote <= 0.0 ? 1.0 : 0.0;
    }
    // The probability of +1, from the margin and from what the calibration makes of it.
    virtual double probability(double vote, double calibrated) const {
        (void)vote;
        return calibrated;
    }
    // Before an example is learned: what probability() was given of it, and its label.
    virtual void judge(double vote, double calibrated, double y, double s) {
        (void)vote, (void)calibrated, (void)y, (void)s;
    }
    // scratch.h holds the outputs before the update; `vote` the margin; s > 0 the user's weight.
    virtual void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) = 0;

    // What the last example that was learned, of weight s, counted for.
    virtual double counted(double s) const { return s; }

    // How the caller wants classes to be weighed, for boosters that know: it may change at any time, and is not part of
    // the state.
    struct Decision {
        double odds = 1.0;      // the weight of +1 over that of -1, in probabilities
        double costs = 1.0;     // the cost of missing +1 over that of missing -1, in decisions
        double positive = 1.0;  // the class that a metric is about
    };
    virtual void set_decision(const Decision& decision) { (void)decision; }

    virtual void serialise(Archive& archive) = 0;

    std::uint64_t rounds = 0;
};

// The outputs as votes: +1, -1, or 0 for an output of exactly 0.
inline void take_signs(Scratch& scratch, std::size_t learners) {
    for (std::size_t i = 0; i < learners; ++i)
        scratch.h[i] = scratch.h[i] > 0.0 ? 1.0 : scratch.h[i] < 0.0 ? -1.0 : 0.0;
}

}  // namespace onlineboost
