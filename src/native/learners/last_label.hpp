// Bank of learners that say the label before, by how often it was followed by itself; see
// onlineboost/learners/last_label.py.
#pragma once
#include "learners/bank.hpp"

namespace onlineboost {

class LastLabelBank final : public Bank {
   public:
    explicit LastLabelBank(std::size_t learners);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void make_room(Scratch&, std::span<const FeatureId>) override {}
    void meet(Scratch&, const std::vector<FeatureId>&, std::size_t) override {}
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void forget(std::size_t i) override { counts_.fill_column(i, 0.0); }
    bool follows_labels() const override { return true; }
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    enum Row : std::size_t { kLast, kFollowed, kStayed = kFollowed + 2, kRows = kStayed + 2 };
    double output(std::size_t i) const;
    void count(std::size_t i, double y, double w);

    Table counts_;  // the label before, or 0; of -1 and of +1: the weight of what followed it, and of itself among that
};

}  // namespace onlineboost
