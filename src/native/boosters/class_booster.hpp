// Many classes: a class booster turns the outputs of one bank per class into a decision per class, and a labelled example into weights.
//
// Classes are numbered in the order of their first example, with which a class begins; 0..begun-1 have begun.
#pragma once
#include <memory>
#include <vector>

#include "boosters/booster.hpp"

namespace onlineboost {

// The learners of one class: every one of them tells it from the rest.
struct ClassBank {
    std::unique_ptr<Bank> bank;
    Features features;                 // met since the class began
    std::unique_ptr<Scratch> scratch;  // of the writer
};

using Scratches = std::vector<Scratch*>;  // of the classes that have begun

class ClassBooster {
   public:
    static constexpr double kNotBegun = -2.0;  // the decision for a class without examples: below any other

    virtual ~ClassBooster() = default;

    // One more class. The booster is its own, and null where the classes have none.
    virtual void add(std::unique_ptr<Booster> booster) { (void)booster; }
    // Only the first `classes` remain.
    virtual void drop(std::size_t classes) { (void)classes; }
    // After the bank of a class has scored: the class's own margin in [-1, 1], where it has one.
    virtual double hear(Scratch& scratch, std::size_t k) const {
        (void)scratch, (void)k;
        return 0.0;
    }
    // From what all classes that have begun said: a decision and a probability for each of them.
    virtual void decide(const Scratches& heard, const double* margins, double* decisions, double* probabilities) const = 0;
    // All classes have scored the row, which is going to be learned: allocates what learn() needs, and changes nothing that is saved.
    virtual void make_room(const Scratches& heard, std::size_t label) { (void)heard, (void)label; }
    // After make_room: the true class has begun, and all of them have met the row. s > 0. Allocates nothing.
    virtual void learn(std::vector<ClassBank>& classes, const Scratches& heard, const double* margins, std::size_t label, double s) = 0;

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
