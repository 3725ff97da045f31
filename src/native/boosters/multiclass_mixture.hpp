// A mixture of families that give probabilities of many classes, in generations: experts are the families and a stack
// of each generation.
//
//   p = sum_e w_e q_e                  w by ExpertTracker; of the stacks, q by TrackingSoftmax
//
// Of two classes this is the mixture of mixture.hpp, which goes on with the third class: families, weights, stacks and
// generations stay as they were. Of a class that begins nobody knew: all experts lose the same.
#pragma once
#include "boosters/generations.hpp"
#include "boosters/multiclass_booster.hpp"
#include "boosters/tracking_softmax.hpp"

namespace onlineboost {

class MulticlassMixture final : public MulticlassBooster {
   public:
    MulticlassMixture(std::size_t families, double variance, double forgetting, GenerationOptions options);
    static std::unique_ptr<MulticlassBooster> build(const Parameters& p, std::size_t learners);

    bool gives_probabilities() const override { return true; }
    void vote(Scratch& scratch, double* f) const override;
    void learn(Bank& bank, Scratch& scratch, const double* f, double s) override;
    void serialise(Archive& archive) override;

   private:
    // What vote() leaves in the room of a scratch: for each generation its families' logs, a row over families per
    // class, and its stack's probabilities; then room for those of a step, and for what experts gave.
    struct View {
        double *logs, *stacks, *p, *q;
    };
    View view(Scratch& scratch, std::size_t classes) const;
    bool speaks(const Scratch& scratch, std::size_t place) const {
        return all_.present(place) && scratch.shares[0][place] <= 1.0;
    }

    std::size_t families_;
    GenerationOptions options_;
    Generations<TrackingSoftmax> all_;
};

}  // namespace onlineboost
