// Whole ensembles as the learners of a bank: the output of family k is 2 p - 1, p its probability before the update.
// All of them see the row that was read once, with its slots.
//
// A margin f that is trained as a probability says (1 + f) / 2, others need calibration. p is Bayes' rule over the two:
// the weight of each is exp(-its log-loss so far), so that p is as good as the better one but for ln 2 in all.
#pragma once
#include <optional>

#include "engine/ensemble.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

class FamiliesBank final : public Bank {
   public:
    struct Member {
        std::optional<Ensemble> ensemble;  // none once the family has retired
        std::size_t most_features;         // with more it retires
    };
    explicit FamiliesBank(std::vector<Member> members);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void retire(std::size_t i) override;
    std::size_t most_features() const override;  // that one of them can take
    std::string limit() const override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Family {
        Member member;
        double losses[2] = {0.0, 0.0};  // of the margin as it is, and of the calibrated one
    };
    struct Own;
    struct Says {
        double plain, calibrated, p;
    };
    static Says says(const Family& family, double vote, const Calibration::Place& at);
    void teach(Scratch& scratch, std::size_t k, double y, double w);
    std::vector<Family> families_;
    std::size_t features_ = 0;  // met
};

}  // namespace onlineboost
