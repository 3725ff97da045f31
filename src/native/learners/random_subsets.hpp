// Random subsets: every `group` neighbouring learners share a bank that sees a random share of the features.
#pragma once
#include "learners/wrapper.hpp"

namespace onlineboost {

class RandomSubsetsBank final : public Bank {
   public:
    RandomSubsetsBank(std::size_t learners, std::vector<std::unique_ptr<Bank>> banks, double share, std::uint64_t seed);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    void regress(Scratch& scratch, double y, const double* pull, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void forget(std::size_t i) override { groups_[i / size_].bank->forget(i % size_); }
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    void score_classes(Scratch& scratch) const override;
    void expect(Scratch& scratch, std::size_t label) override;
    void update_class(Scratch& scratch, const double* w) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return groups_[0].bank->most_features(); }
    std::string limit() const override { return groups_[0].bank->limit(); }

   private:
    struct Own;
    struct Group {
        std::unique_ptr<Bank> bank;
        std::size_t first;                 // its first learner
        std::vector<std::int32_t> inside;  // the inner slot of each slot; kUnseen: not in the subset
        std::vector<FeatureId> ids;        // of the features in the subset
        std::vector<FeatureId> coming;     // those of them that meet adds
    };
    bool sees(std::size_t group, FeatureId id) const;
    // The row as the group sees it.
    InnerScratch& hand_on(Scratch& scratch, std::size_t group) const;
    Scratch& weigh(Scratch& scratch, std::size_t group, const double* w) const;
    template <class F>
    void serialise_groups(Archive& archive, const std::vector<FeatureId>& ids, F inner);
    void admit(std::size_t g, FeatureId id);

    std::vector<Group> groups_;
    std::size_t size_;  // learners per group
    double share_;
    std::uint64_t seed_;
};

}  // namespace onlineboost
