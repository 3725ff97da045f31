// Whole ensembles of many classes as the learners of a bank: family k gives each class its probability before the
// update. All of them see the row that was read once, with its slots.
//
// As in families.hpp, a family's vote is taken as probabilities as it is, and calibrated; Bayes' rule over the two is
// as good as the better one but for ln 2 in all.
#pragma once
#include <optional>

#include "engine/multiclass_ensemble.hpp"

namespace onlineboost {

class MulticlassFamilies final : public ClassBank {
   public:
    struct Member {
        std::optional<MulticlassEnsemble> ensemble;  // none once the family has retired, or where it knows two classes
        std::size_t most_features;                   // with more it retires
    };
    explicit MulticlassFamilies(std::vector<Member> members);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    static constexpr double kSmallestProbability = 1e-6;

    std::unique_ptr<Scratch> make_scratch() const override;
    void score_classes(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update_class(Scratch& scratch, const double* w) override;
    void retire(std::size_t i) override { families_[i].member.ensemble.reset(); }
    std::size_t most_features() const override;
    std::string limit() const override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Family {
        Member member;
        double losses[2] = {0.0, 0.0};  // of the vote as it is, and calibrated
    };
    struct Own;
    void say(const Family& family, Scratch& scratch, std::size_t k) const;
    template <class F>
    void serialise_families(Archive& archive, const std::vector<FeatureId>& ids, bool adopted, F each);

    std::vector<Family> families_;
    std::size_t classes_ = 0;   // that have begun
    std::size_t features_ = 0;  // met
};

}  // namespace onlineboost
