// Bank of projected gradient ascents on the unit ball (SPEC 6.1), the learner for which the weak-learning assumption is
// proved: u <- Proj(u + sqrt(2/S) w y x), S the running sum of w^2 |x|^2; h = <u,x>.
#pragma once
#include "learners/bank.hpp"
#include "learners/normalise.hpp"

namespace onlineboost {

struct OnlineGradientScratch final : Scratch, NormalisedRow {
    explicit OnlineGradientScratch(Layout layout) : Scratch(layout), s(h.size()), c(h.size()) {}
    std::vector<double*> rows;  // of V, one per value
    Vector s;                   // scores <u,x>, unclipped
    Vector c;                   // steps in units of V; with step(), those that wait for finish()
};

class OnlineGradientBank final : public BankWith<OnlineGradientScratch> {
   public:
    OnlineGradientBank(std::size_t learners, Normalise normalise);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void gather(OnlineGradientScratch& scratch) const;
    void rescale(std::size_t from, std::size_t to);

    Normalise normalise_;
    // u = scale * V, so that a projection costs one number instead of a sweep over all features.
    Table v_;
    std::size_t offset_;
    Vector scale_, norm2_, sum_sq_;
};

}  // namespace onlineboost
