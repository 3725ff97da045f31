// Boosting for many classes: the distributions that a bank's learners say become one, and a labelled example becomes
// one weight per learner.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/archive.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

class MulticlassBooster {
   public:
    virtual ~MulticlassBooster() = default;

    // How many numbers of scratch.room it wants.
    virtual std::size_t room() const { return 0; }
    // From scratch.shares, what speaks for each class: f[k] in [0, 1].
    virtual void vote(Scratch& scratch, double* f) const = 0;
    // Whether f is a forecast of probabilities, which needs no calibration.
    virtual bool gives_probabilities() const { return false; }
    // Of such an f, the probabilities that are meant, and what decides between the classes: the largest is predicted.
    virtual void weigh(const std::vector<double>& f, double* p) const { std::copy(f.begin(), f.end(), p); }
    virtual void decide(const std::vector<double>& f, double* decisions) const {
        std::copy(f.begin(), f.end(), decisions);
    }
    // Allocates what learn() needs.
    virtual void make_room(Scratch& scratch) { (void)scratch; }
    // scratch.shares and f are those before the update, with a row of zeros for a class that begins; scratch.label is
    // the class; s > 0 the user's weight.
    virtual void learn(Bank& bank, Scratch& scratch, const double* f, double s) = 0;

    // What the last example that was learned, of weight s, counted for.
    virtual double counted(double s) const { return s; }

    virtual void serialise(Archive& archive, std::size_t classes) = 0;
    // Takes over the state of the booster of two classes, which has the same fields.
    virtual void adopt(Archive& archive) { serialise(archive, 2); }

    std::uint64_t rounds = 0;
};

// The class with the largest value but for `label`; of equal ones the first.
inline std::size_t rival_of(std::size_t label, const double* f, std::size_t classes) {
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < classes; ++k)
        if (k != label && f[k] > f[best]) best = k;
    return best;
}

// One learner on its own.
class MulticlassUnboosted final : public MulticlassBooster {
   public:
    static std::unique_ptr<MulticlassBooster> build(const Parameters&, std::size_t) {
        return std::make_unique<MulticlassUnboosted>();
    }
    void vote(Scratch& scratch, double* f) const override {
        for (std::size_t k = 0; k < scratch.shares.size(); ++k) f[k] = scratch.shares[k][0];
    }
    void learn(Bank& bank, Scratch& scratch, const double*, double s) override { bank.update_class(scratch, &s); }
    void serialise(Archive&, std::size_t) override {}
};

}  // namespace onlineboost
