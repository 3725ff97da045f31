// OzaBoost (Oza & Russell, AISTATS 2001): AdaBoost's weights by Poisson sampling, errors from running sums. SPEC 5.1.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class OzaBoost final : public Booster {
   public:
    struct Options {
        bool poisson;   // k ~ Poisson(lambda) updates; otherwise one update of weight lambda
        bool after;     // judge a learner by its output after its update
        bool by_count;  // lambda *= n / (2 sum) with n the weight of all examples, instead of sc + sw
        std::uint64_t seed;
    };
    OzaBoost(std::size_t learners, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    void refresh();

    std::size_t learners_;
    Options options_;
    Vector correct_, wrong_;  // sc and sw
    double count_ = 0.0;
    Vector votes_;        // derived: log((1-eps)/eps), 0 for eps >= 1/2
    double total_ = 0.0;  // of the votes
};

}  // namespace onlineboost
