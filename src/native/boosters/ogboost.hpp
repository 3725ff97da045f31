// OGBoost (Leistner, Saffari, Roth, Bischof, OLCV 2009): online gradient boosting with selectors of K candidates.
// SPEC 5.2.
#pragma once
#include "boosters/booster.hpp"

namespace onlineboost {

class OGBoost final : public Booster {
   public:
    enum class Loss { kLogit, kExp, kDoom2, kSavage };
    struct Options {
        std::size_t candidates;
        Loss loss;
        double shrinkage;
        double smallest_weight;  // a weight below is taken for 0
        double forgetting;       // factor on the candidates' errors per round; 1 keeps all
        bool after;              // F is summed from outputs after the update
    };
    // `learners` is selectors * candidates; selector m owns the learners from m * candidates on.
    OGBoost(std::size_t learners, Options options);
    static std::unique_ptr<Booster> build(const Parameters& p, std::size_t learners);

    double vote(Scratch& scratch) const override;
    void learn(Bank& bank, Scratch& scratch, double y, double s, double vote) override;
    void serialise(Archive& archive) override;

   private:
    double weight(double v) const;

    std::size_t learners_;
    Options options_;
    Vector errors_;
    std::vector<std::size_t> best_;  // derived: each selector's candidate of least error
};

}  // namespace onlineboost
