// Whole ensembles as the learners of a bank: the output of a family is 2 p - 1, p its probability before the update.
// All of them see the row that was read once, with its slots.
//
// A margin f that is trained as a probability says (1 + f) / 2, others need calibration. p is Bayes' rule over the two:
// the weight of each is exp(-its log-loss so far), so that p is as good as the better one but for ln 2 in all.
//
// There are places for several generations of K families: learner g K + k is family k of generation g. Those of the
// first begin at once; another begins as a fresh copy when the booster asks for it, with the next row that is learned.
#pragma once
#include <functional>
#include <optional>

#include "engine/ensemble.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

class FamiliesBank final : public Bank {
   public:
    struct Member {
        std::function<Ensemble()> make;
        std::size_t most_features;  // with more it retires
        bool begins = true;
    };
    FamiliesBank(std::vector<Member> members, std::size_t generations);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    bool at_work(std::size_t i) const override { return places_[i].ensemble.has_value(); }
    void retire(std::size_t i) override;
    void ask_for(std::size_t i) override;
    void rest(std::size_t i, bool rests) override { places_[i].rests = rests && at_work(i); }
    std::size_t most_features() const override;  // that one of them can take
    std::string limit() const override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Place {
        std::optional<Ensemble> ensemble;  // none before it begins and once it has retired
        double losses[2] = {0.0, 0.0};     // of the margin as it is, and of the calibrated one
        bool awaited = false;              // it begins with the next row
        bool rests = false;                // it keeps what it knows
    };
    struct Own;
    struct Says {
        double plain, calibrated, p;
    };
    // What one family made of the row: until it learns the row, nothing of it changes.
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        double vote = 0.0;
        Calibration::Place at{};
        Says says{};
    };
    // A fresh copy on its first row, every feature of which is new to it.
    struct Newborn {
        std::size_t place;
        Ensemble ensemble;
        Opinion opinion;
        Row row;
    };
    static void hear(const Place& place, const Ensemble& ensemble, Opinion& opinion);
    Ensemble fresh(std::size_t i);
    std::size_t limit_of(std::size_t i) const { return members_[i % members_.size()].most_features; }
    void teach(Scratch& scratch, std::size_t i, double y, double w);

    std::vector<Member> members_;
    std::vector<Place> places_;
    std::vector<std::unique_ptr<Newborn>> newborns_;
    std::vector<FeatureId> ids_;  // met
    bool awaits_ = false;
};

}  // namespace onlineboost
