// N learners with an understudy each: one bank of 2 N, of which N speak. An understudy begins when its learner's errors
// are suspected to rise, is taught what its learner is, and takes its place if they have risen (Gomes et al., Machine
// Learning 106, 2017: background trees). Until then it is untaught.
#pragma once
#include "learners/bank.hpp"

namespace onlineboost {

class BackgroundBank final : public Bank {
   public:
    explicit BackgroundBank(std::unique_ptr<Bank> inner);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    void forget(std::size_t i) override { inner_->forget(speaker(i)); }
    void prepare(std::size_t i) override;
    void replace(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

    void score_classes(Scratch& scratch) const override;
    void expect(Scratch& scratch, std::size_t label) override;
    void update_class(Scratch& scratch, const double* w) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

    std::size_t most_features() const override { return inner_->most_features(); }
    std::string limit() const override { return inner_->limit(); }

   private:
    struct Own;
    Scratch& inside(Scratch& scratch) const;
    std::size_t speaker(std::size_t i) const { return i + (second_[i] != 0 ? layout.learners : 0); }
    std::size_t understudy(std::size_t i) const { return i + (second_[i] != 0 ? 0 : layout.learners); }
    const double* weigh(Scratch& inner, const double* w) const;
    void serialise_roles(Archive& archive);

    std::unique_ptr<Bank> inner_;
    std::vector<std::int64_t>
        second_;  // 1: learner N + i of the inner bank speaks for learner i, and learner i does not
    std::vector<std::int64_t> begun_;  // 1: the other one is taught
};

}  // namespace onlineboost
