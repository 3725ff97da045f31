// Bank of `OnlineGradient` learners that restart by a clock of their own, c = sum of the weights received: a learner is
// a mixture of kLevels projected gradient ascents, of which level k restarts whenever floor(c / 2^k) changes. So on
// every interval of the stream some of them began near its start (docs/theory.md, Section 10).
#pragma once
#include "learners/online_gradient.hpp"

namespace onlineboost {

struct ClockGradientScratch final : Scratch {
    ClockGradientScratch(Layout layout, const Bank& bank)
        : Scratch(layout), inner(bank.make_scratch()), w(inner->h.size()) {}
    std::unique_ptr<Scratch> inner;
    Vector w;  // for the levels of all learners
};

class ClockGradientBank final : public Bank {
   public:
    ClockGradientBank(std::size_t learners, Normalise normalise);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override {
        return std::make_unique<ClockGradientScratch>(layout, inner_);
    }
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    static constexpr std::size_t kLevels = 20, kRates = 11;  // for clocks up to 2^20
    static ClockGradientScratch& own(Scratch& scratch) { return static_cast<ClockGradientScratch&>(scratch); }
    double output(const Scratch& inner, std::size_t i) const;
    void weigh(const Scratch& inner, std::size_t i, double y, double w, double h);
    void enter(std::size_t i, std::size_t level, double block);
    void restart(std::size_t i);
    void mix(std::size_t i);

    OnlineGradientBank inner_;  // learner i at level k is its learner i * kLevels + k
    Vector p_;                  // weights of experts (i, k, j), rate 2^-(j+1)
    Vector mix_;                // of (i, k): the sum of p times the rate over j
    Vector clock_, largest_;    // of each learner; weights are divided by the largest, which is at least 1
    Vector blocks_;             // of (i, k): floor(clock / 2^k)
};

}  // namespace onlineboost
