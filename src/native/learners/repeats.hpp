// Labels of earlier rows that were the same, in a bounded memory of hashes; see onlineboost/learners/repeats.py.
#pragma once
#include "learners/bank.hpp"

namespace onlineboost {

class RepeatsBank final : public Bank {
   public:
    RepeatsBank(std::size_t learners, std::size_t memory, std::uint64_t seed)
        : Bank(learners), memory_(memory), seed_(seed), sums_(layout.stride), labels_(layout.stride) {}
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void forget(std::size_t i) override { sums_.fill_column(i, 0.0); }
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    void score_classes(Scratch& scratch) const override;
    void update_class(Scratch& scratch, const double* w) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint64_t key_of(const Row& row) const;
    std::uint32_t& bucket(std::uint64_t key) { return heads_[key & (heads_.size() - 1)]; }
    std::uint32_t find(std::uint64_t key) const;
    void link(std::uint32_t place);
    void unlink(std::uint32_t place);
    void grow(std::size_t buckets);

    std::size_t memory_;
    std::uint64_t seed_, added_ = 0;   // rows that were new
    std::vector<std::uint64_t> keys_;  // of the rows; chains through next_ begin in heads_, a power of two
    std::vector<std::uint32_t> heads_, next_;
    Table sums_;    // of each row, per learner: its signed weight; of many classes the weight
    Table labels_;  // of the class that has this number
    std::size_t classes_ = 0;
    std::uint32_t last_ = 0;  // the place of the row that was met last
};

}  // namespace onlineboost
