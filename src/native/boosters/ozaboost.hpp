// OzaBoost (Oza & Russell, AISTATS 2001): AdaBoost's weights by Poisson sampling, errors from running sums. SPEC 5.1.
// With a watch over its learners it is OzaBoostADWIN; with learners in the order of their accuracy it is BOLE.
#pragma once
#include "boosters/booster.hpp"
#include "drift/watch.hpp"

namespace onlineboost {

class OzaBoost final : public Booster {
   public:
    struct Options {
        bool poisson;   // k ~ Poisson(lambda) updates; otherwise one update of weight lambda
        bool after;     // judge a learner by its output after its update
        bool by_count;  // lambda *= n / (2 sum) with n the weight of all examples, instead of sc + sw
        std::uint64_t seed;
        // BOLE: from the worst learner on; after one that was right the best that is left, after one that was wrong the
        // worst. A learner of an error up to `bound` votes, with log((1-eps)/eps) + shift.
        bool ordered = false;
        double bound = 0.5, shift = 0.0;
    };
    OzaBoost(std::size_t learners, Options options, std::optional<DriftWatch> watch);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    std::size_t room() const override { return watch_ ? correct_.size() : 0; }
    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    void refresh();
    void sort();

    std::size_t learners_;
    Options options_;
    Vector correct_, wrong_;  // sc and sw
    double count_ = 0.0;
    std::optional<DriftWatch> watch_;
    std::vector<std::int64_t> order_;  // BOLE: learners, the best first
    std::vector<double> accuracy_;     // room of sort()
    Vector votes_;                     // derived: log((1-eps)/eps), 0 for eps >= 1/2
    double total_ = 0.0;               // of the votes' sizes
};

}  // namespace onlineboost
