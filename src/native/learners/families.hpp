// Whole models as the learners of a bank: family k is a bank and a booster of its own, and its output is 2 p - 1, p its probability
// before the update. All of them see the row that was read once, with its slots.
//
// A margin f that is trained as a probability says (1 + f) / 2, others need calibration. p is Bayes' rule over the two: the weight of
// each is exp(-its log-loss so far), so that p is as good as the better one but for ln 2 in all.
#pragma once
#include "boosters/booster.hpp"
#include "engine/calibration.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

class FamiliesBank final : public Bank {
   public:
    struct Member {
        std::unique_ptr<Bank> bank;  // null once the family has retired
        std::unique_ptr<Booster> booster;
        std::size_t most_features;  // with more it retires
    };
    explicit FamiliesBank(std::vector<Member> members);

    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void retire(std::size_t i) override;
    std::size_t most_features() const override;  // that one of them can take
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Family {
        Member member;
        Calibration calibration;
        double losses[2] = {0.0, 0.0};  // of the margin as it is, and of the calibrated one
    };
    struct Says {
        double plain, calibrated, p;
    };
    static Says says(const Family& family, double vote);
    void teach(Scratch& scratch, std::size_t k, double y, double w);
    std::vector<Family> families_;
    std::size_t features_ = 0;  // met
};

}  // namespace onlineboost
