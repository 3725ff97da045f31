// A mixture of families that give probabilities of many classes, in generations: experts are the families and a stack
// of each generation.
//
//   p = sum_e w_e q_e                  w by ExpertTracker; of the stacks, q by TrackingSoftmax
//
// Of two classes this is the mixture of mixture.hpp, which goes on with the third class: families, weights, stacks and
// generations stay as they were. Of a class that begins nobody knew: all experts lose the same.
//
// With weights as targets (see EffectiveWeights) all this is about examples of weight r, and p is weighed at the end.
// What decides is p; with a metric, what MacroMetric makes of p as sample weights alone weigh it. Costs are the
// caller's.
#pragma once
#include "boosters/effective_weights.hpp"
#include "boosters/generations.hpp"
#include "boosters/macro_metric.hpp"
#include "boosters/multiclass_booster.hpp"
#include "boosters/tracking_softmax.hpp"
#include "boosters/weighing.hpp"

namespace onlineboost {

class MulticlassMixture final : public MulticlassBooster {
   public:
    struct Options {
        double variance;          // of a coefficient of a stack at the start
        double forgetting = 0.0;  // of a stack that follows the stream
        GenerationOptions lives;
        Weighing weighing;
    };
    MulticlassMixture(std::size_t families, const Options& options);
    static std::unique_ptr<MulticlassBooster> build(const Parameters& p, std::size_t learners);

    bool gives_probabilities() const override { return true; }
    void vote(Scratch& scratch, double* f) const override;
    void weigh(const std::vector<double>& f, double* p) const override {
        weigh(f.data(), f.size(), weighing_.balanced, p);
    }
    void decide(const std::vector<double>& f, double* decisions) const override;
    void make_room(Scratch&) override {
        weights_.make_room();
        metric_.make_room();
    }
    void learn(Bank& bank, Scratch& scratch, const double* f, double s) override;
    double counted(double s) const override { return weighing_.targets ? weights_.last() : s; }
    void serialise(Archive& archive, std::size_t classes) override;
    void adopt(Archive& archive) override;

   private:
    // What vote() leaves in the room of a scratch: for each generation its families' logs, a row over families per
    // class, and its stack's probabilities; then room for those of a step, and for what experts gave.
    struct View {
        double *logs, *stacks, *p, *q;
    };
    View view(Scratch& scratch, std::size_t classes) const;
    void weigh(const double* f, std::size_t classes, bool balanced, double* p) const;
    bool speaks(const Scratch& scratch, std::size_t place) const {
        return all_.present(place) && scratch.shares[0][place] <= 1.0;
    }

    std::size_t families_;
    Weighing weighing_;
    Generations<TrackingSoftmax> all_;
    EffectiveWeights weights_{0};
    MacroMetric metric_;
};

}  // namespace onlineboost
