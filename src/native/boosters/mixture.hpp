// A mixture of families that give probabilities, in generations: experts are the families and a stack of each
// generation.
//
//   l_k = log p_k / (1 - p_k), kept within +-12             what family k says
//   q_k = sigmoid(l_k),  q_0 = sigmoid(<m, l>)              the experts' probabilities (see LogitStack)
//   p   = sum_e w_e q_e                                     w by ExpertTracker
//
// A generation is a copy of every family with a stack of its own. One leads: it learns, and most of the weight is its
// own. A young one is born when the error rises (ADWIN over the mixture's mistakes) and at counts of examples that
// double; it leaves if it does not come to lead. One that led before rests: it predicts but learns nothing, so that a
// concept that comes back finds it as it was. Weights decide who leads, and the tracker's bounds hold whatever is born
// and whenever it leaves. A family that carries little in its generation is retired, at counts that double.
//
// With no generations (0) there is one that is never replaced, and w is Bayes' rule alone.
//
// With weights as targets (see EffectiveWeights) everything above is about p and examples of weight r; what comes out
// is p with its odds multiplied by the classes' odds: those of the sample weights, and those that the caller gives. The
// vote's sign is a decision: by these, by the costs of the classes, and by the cut of the metric.
#pragma once
#include "boosters/booster.hpp"
#include "boosters/effective_weights.hpp"
#include "boosters/expert_tracker.hpp"
#include "boosters/logit_stack.hpp"
#include "boosters/operating_point.hpp"
#include "drift/adwin.hpp"

namespace onlineboost {

class Mixture final : public Booster {
   public:
    struct Options {
        double variance;                   // of a coefficient of a stack at the start
        std::uint64_t first_look;          // at a family that may retire; 0: none does
        double least_weight;               // w_k below this, and
        double least_share;                // a share in the stack below this
        std::size_t generations = 0;       // at most, at a time; 0: see above
        double delta = 0.3;                // of ADWIN
        std::uint64_t clock = 4;           // of ADWIN
        std::uint64_t trial = 1000;        // examples after which a young generation is judged
        std::uint64_t first_birth = 4000;  // without an alarm
        std::uint64_t rest = 20'000;       // examples after which a generation that rests leaves
        double lead = 0.9;                 // the weight that makes a generation lead
        bool targets = false;              // weights are targets; if not, an example of weight 2 counts as two
        bool balanced = false;             // with them: the classes weigh the same
        OperatingPoint::Metric metric = OperatingPoint::Metric::kNone;
    };
    Mixture(std::size_t families, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return generations_.size() * (3 * families_ + 3) + 1; }
    double vote(Scratch& scratch) const override;
    double probability(double vote, double) const override {
        return tilted(0.5 + 0.5 * vote, 1.0 / (costs_ * point_.odds()));
    }
    void set_decision(const Decision& decision) override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

    static constexpr double kLargestLogit = 12.0;

   private:
    enum class Status : std::int64_t { kEmpty, kLearns, kRests, kAwaited };
    enum class Event : std::int64_t { kAlarm, kYoungLeads, kOldLeads, kRetired };
    struct Generation {
        LogitStack stack;
        Status status = Status::kEmpty;
        std::uint64_t born = 0, led = 0;  // examples learned before it began; when it led last
        double weight = 0.0;              // of the examples before it began
    };
    // Where things of generation g are in scratch.room.
    double* logits(Scratch& scratch, std::size_t g) const { return scratch.room.data() + g * families_; }
    double* probabilities(Scratch& scratch) const { return scratch.room.data() + generations_.size() * families_; }
    double* given(Scratch& scratch) const { return probabilities(scratch) + experts(); }
    double& plain(Scratch& scratch) const { return scratch.room.data()[room() - 1]; }  // p
    double forecast(Scratch& scratch) const;
    double class_odds() const;
    std::size_t experts() const { return generations_.size() * (families_ + 1); }
    std::size_t stack_expert(std::size_t g) const { return g * (families_ + 1); }
    std::size_t expert(std::size_t place) const { return place + place / families_ + 1; }
    bool present(std::size_t place) const { return present_[place] > 0.0; }

    double generation_weight(std::size_t g) const;
    void retire(Bank& bank, std::size_t place);
    void look(Bank& bank, std::size_t g);
    void live(Bank& bank, bool alarm);
    bool lead();
    void be_born(Bank& bank, bool alarm);
    void join(Bank& bank);
    void leave(Bank& bank, std::size_t g);
    void note(Event event, std::size_t family);
    std::size_t heaviest() const;

    std::size_t families_;
    Options options_;
    std::vector<Generation> generations_;
    std::vector<double> present_;  // of each place, 1 or 0
    std::vector<double> before_;   // the experts' weights
    ExpertTracker tracker_;
    Adwin alarm_;
    EffectiveWeights weights_;
    OperatingPoint point_;
    double odds_ = 1.0, costs_ = 1.0;  // that the caller gives; not part of the state
    std::size_t leads_ = 0;
    double weight_ = 0.0;               // of the examples
    std::vector<double> mistakes_;      // of the mixture, then of each family as the generation that led had it
    bool counts_ = true;                // an older file has not counted them
    std::vector<std::int64_t> events_;  // the last ones: example, event, family
};

}  // namespace onlineboost
