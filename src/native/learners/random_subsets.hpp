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
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    void regress(Scratch& scratch, double y, const double* pull, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return groups_[0].bank->most_features(); }
    std::string limit() const override { return groups_[0].bank->limit(); }

   private:
    struct Own;
    struct Group {
        std::unique_ptr<Bank> bank;
        std::size_t first;                 // its first learner
        std::vector<std::int32_t> inside;  // the inner slot of each slot; kUnseen: not in the subset
        std::vector<FeatureId> ids;        // of the features in the subset
    };
    bool sees(std::size_t group, FeatureId id) const;
    void admit(std::size_t g, FeatureId id);

    std::vector<Group> groups_;
    std::size_t size_;  // learners per group
    double share_;
    std::uint64_t seed_;
};

}  // namespace onlineboost
