// Many classes: a class booster turns the outputs of one bank per class into a decision per class, and a labelled
// example into weights.
//
// Classes are numbered in the order of their first example, with which a class begins; 0..begun-1 have begun.
#pragma once
#include <memory>
#include <vector>

#include "engine/ensemble.hpp"

namespace onlineboost {

// A row as one class has it, by its own slots, and what its learners make of it.
struct HeardRow {
    explicit HeardRow(const Ensemble& ensemble) : row(std::make_unique<Row>()), scratch(ensemble.make_scratch()) {
        scratch->row = row.get();
    }
    std::unique_ptr<Row> row;
    std::unique_ptr<Scratch> scratch;
};

// One class: every learner of its ensemble tells it from the rest.
struct ClassEnsemble {
    Ensemble ensemble;
    Features features;  // met since the class began
    HeardRow heard;     // of the writer
    double sign = 1.0;  // -1: it says, and is told, the opposite, as the second of two classes that were learned by one
};

using Scratches = std::vector<Scratch*>;  // of the classes that have begun

class ClassBooster {
   public:
    static constexpr double kNotBegun = -2.0;  // the decision for a class without examples: below any other

    virtual ~ClassBooster() = default;

    // Whether the ensemble of each class has a booster of its own.
    virtual bool boosts_each_class() const { return false; }
    // One more class.
    virtual void add() {}
    // Only the first `classes` remain.
    virtual void drop(std::size_t classes) { (void)classes; }
    // The outputs of a class's learners go to scratch.h. Gives the class's own margin in [-1, 1], where it has one.
    virtual double hear(const Ensemble& ensemble, Scratch& scratch) const {
        ensemble.bank().score(scratch);
        return 0.0;
    }
    // From what all classes that have begun said: a decision and a probability for each of them.
    virtual void decide(const std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins,
                        double* decisions, double* probabilities) const = 0;
    // All classes have scored the row, which is going to be learned: allocates what learn() needs, and changes nothing
    // that is saved.
    virtual void make_room(const Scratches& heard, std::size_t label) { (void)heard, (void)label; }
    // After make_room: the true class has begun, and all of them have met the row. s > 0. Allocates nothing.
    virtual void learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double* margins,
                       std::size_t label, double s) = 0;

    virtual void serialise(Archive& archive) = 0;

    std::uint64_t rounds = 0;
};

// Probabilities from calibrated ones of each class against the rest.
inline void normalise(double* probabilities, std::size_t classes) {
    double total = 0.0;
    for (std::size_t k = 0; k < classes; ++k) total += probabilities[k];
    for (std::size_t k = 0; k < classes; ++k)
        probabilities[k] = total > 0.0 ? probabilities[k] / total : 1.0 / static_cast<double>(classes);
}

}  // namespace onlineboost
