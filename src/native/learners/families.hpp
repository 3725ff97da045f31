// Whole ensembles as the learners of a bank: the output of a family is 2 p - 1, p its probability before the update.
// All of them see the row that was read once, with its slots.
#pragma once
#include "engine/ensemble.hpp"
#include "engine/probability_pair.hpp"
#include "learners/family_places.hpp"

namespace onlineboost {

class FamiliesBank final : public Bank {
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        double vote = 0.0;
        Calibration::Place at{};
        ProbabilityPair says{};
    };
    using Places = FamilyPlaces<Ensemble, Opinion>;

   public:
    using Member = Places::Member;
    FamiliesBank(std::vector<Member> members, std::size_t generations)
        : FamiliesBank(Places(std::move(members), generations)) {}
    explicit FamiliesBank(Places places) : Bank(places.size()), places_(std::move(places)) {}
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override { return places_.make_scratch(layout); }
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override {
        places_.meet(scratch, ids, from);
    }
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    double cost(std::size_t i) const override { return places_.member_of(i).cost; }
    bool at_work(std::size_t i) const override { return places_.at_work(i); }
    void retire(std::size_t i) override { places_.retire(i); }
    void ask_for(std::size_t i) override { places_.ask_for(i); }
    void rest(std::size_t i, bool rests) override { places_.rest(i, rests); }
    std::size_t most_features() const override { return places_.most_features(); }  // that one of them can take
    std::string limit() const override { return places_.limit(); }
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    static void hear(const Places::Place& place, const Ensemble& ensemble, Opinion& opinion);
    void teach(Scratch& scratch, std::size_t i, double y, double w);

    Places places_;
};

}  // namespace onlineboost
