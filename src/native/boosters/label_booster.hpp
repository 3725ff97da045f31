// Sets of labels: a label booster turns what the ensembles of all labels say into a decision and a probability per
// label, and an example with its set into weights.
//
// Place 0 is a label that no row has; label k, numbered in the order of first examples, has place k + 1.
#pragma once
#include <memory>
#include <vector>

#include "engine/ensemble.hpp"

namespace onlineboost {

// The ensemble of one label.
struct LabelEnsemble {
    Ensemble ensemble;
    std::unique_ptr<Scratch> scratch;  // of the writer
    double sign = 1.0;                 // -1: it says, and is told, the opposite
};

using LabelScratches = std::vector<Scratch*>;  // by place
using Places = std::vector<LabelEnsemble>;
using Present = std::vector<char>;  // by place: whether the row has the label

class LabelBooster {
   public:
    virtual ~LabelBooster() = default;

    // Whether the ensemble of each label has a booster of its own.
    virtual bool boosts_each_label() const { return false; }
    // The sign of a label that begins, with the first row of the stream or later; place 0 began before.
    virtual double sign(bool first_row) const {
        (void)first_row;
        return 1.0;
    }
    // The outputs of a label's learners go to scratch.h. Gives the label's own margin in [-1, 1], where it has one.
    virtual double hear(const Ensemble& ensemble, Scratch& scratch) const {
        ensemble.bank().score(scratch);
        return 0.0;
    }
    // From what all places said: a decision and a probability for each of them.
    virtual void decide(const Places& places, const LabelScratches& heard, const double* margins, double* decisions,
                        double* probabilities) const = 0;
    // All places have scored the row, and so have labels that begin with it: allocates what begin() and learn() need,
    // and changes nothing that is saved.
    virtual void make_room(const LabelScratches& heard, const Present& present) { (void)heard, (void)present; }
    // After make_room: there are so many places now; new ones go on as place 0 did.
    virtual void begin(std::size_t places) { (void)places; }
    // After begin: all have met the row. s > 0. Allocates nothing.
    virtual void learn(Places& places, const LabelScratches& heard, const double* margins, const Present& present,
                       double s) = 0;

    // The state, of so many places.
    virtual void serialise(Archive& archive, std::size_t places) { (void)archive, (void)places; }

    std::uint64_t rounds = 0;
};

}  // namespace onlineboost
