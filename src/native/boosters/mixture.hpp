// A mixture of families that give probabilities, in generations: experts are the families and a stack of each
// generation.
//
//   l_k = log p_k / (1 - p_k), kept within +-12             what family k says
//   q_k = sigmoid(l_k),  q_0 = sigmoid(<m, l>)              the experts' probabilities (see TrackingStack)
//   p   = sum_e w_e q_e                                     w by ExpertTracker
//
// Families come in generations; see generations.hpp.
//
// With weights as targets (see EffectiveWeights) everything above is about p and examples of weight r; what comes out
// is p with its odds multiplied by the classes' odds: those of the sample weights, and those that the caller gives. The
// vote's sign is a decision: by these, by the costs of the classes, and by the cut of the metric.
#pragma once
#include "boosters/booster.hpp"
#include "boosters/effective_weights.hpp"
#include "boosters/generations.hpp"
#include "boosters/tracking_stack.hpp"
#include "boosters/weighing.hpp"

namespace onlineboost {

class Mixture final : public Booster {
   public:
    struct Options {
        double variance;    // of a coefficient of a stack at the start
        double walk = 0.0;  // of the coefficients of one that follows the stream
        GenerationOptions lives;
        Weighing weighing;
    };
    Mixture(std::size_t families, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return all_.size() * (3 * families_ + 3) + 1; }
    double vote(Scratch& scratch) const override;
    double probability(double vote, double) const override { return tilted(0.5 + 0.5 * vote, 1.0 / costs()); }
    void set_decision(const Decision& decision) override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    double counted(double s) const override { return options_.weighing.targets ? weights_.last() : s; }
    void serialise(Archive& archive) override;

    static constexpr double kLargestLogit = TrackingStack::kLargestLogit;

   private:
    // Where things of generation g are in scratch.room.
    double* logits(Scratch& scratch, std::size_t g) const { return scratch.room.data() + g * families_; }
    double* probabilities(Scratch& scratch) const { return scratch.room.data() + all_.size() * families_; }
    double* given(Scratch& scratch) const { return probabilities(scratch) + all_.experts(); }
    double& plain(Scratch& scratch) const { return scratch.room.data()[room() - 1]; }  // p
    double forecast(Scratch& scratch) const;
    double class_odds() const;
    double costs() const { return (weighs() ? costs_ : 1.0) * point_.odds(); }
    // Before both classes have an example, labels, and so what the caller gives for them, depend on what is to come.
    bool weighs() const { return !options_.weighing.targets || weights_.complete(); }

    std::size_t families_;
    Options options_;
    Generations<TrackingStack> all_;
    EffectiveWeights weights_{2};  // of -1 and of +1
    OperatingPoint point_;
    double odds_ = 1.0, costs_ = 1.0;  // that the caller gives; not part of the state
    std::vector<double> mistakes_;     // of the mixture, then of each family as the generation that led had it
    bool counts_ = true;               // an older file has not counted them
};

}  // namespace onlineboost
