// Whole ensembles of many classes as the learners of a bank: family k gives each class its probability before the
// update. All of them see the row that was read once, with its slots.
//
// As in families.hpp, a family's vote is taken as probabilities as it is, and calibrated; Bayes' rule over the two is
// as good as the better one but for ln 2 in all.
//
// A generation numbers classes in the order in which it has learned them. After n examples, a class that it has not
// learned gets 1 / (n + K) of K classes in all; those that it has learned share the rest.
#pragma once
#include "engine/multiclass_ensemble.hpp"
#include "learners/family_places.hpp"

namespace onlineboost {

class MulticlassFamilies final : public ClassBank {
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        std::vector<double> f, plain, calibrated;
        MulticlassEnsemble::Placed placed;
    };
    using Places = FamilyPlaces<MulticlassEnsemble, Opinion>;

   public:
    explicit MulticlassFamilies(Places places)
        : ClassBank(places.size()), places_(std::move(places)), generations_(places_.generations()) {}
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    static constexpr double kSmallestProbability = 1e-6;

    std::unique_ptr<Scratch> make_scratch() const override { return places_.make_scratch(layout); }
    void score_classes(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override {
        places_.meet(scratch, ids, from);
    }
    void update_class(Scratch& scratch, const double* w) override;
    double cost(std::size_t i) const override { return places_.member_of(i).cost; }
    bool at_work(std::size_t i) const override { return places_.at_work(i); }
    void retire(std::size_t i) override { places_.retire(i); }
    void ask_for(std::size_t i) override;
    void rest(std::size_t i, bool rests) override { places_.rest(i, rests); }
    std::size_t most_features() const override { return places_.most_features(); }
    std::string limit() const override { return places_.limit(); }
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Generation {
        std::vector<std::int64_t> order;  // the classes that it has learned
        std::int64_t examples = 0;        // learned
        std::size_t label = 0;            // its number of the class that is going to be learned
    };
    void say(Scratch& scratch, std::size_t i) const;
    static void hear(const Places::Place& place, const MulticlassEnsemble& ensemble, Opinion& opinion);
    void teach(Scratch& scratch, std::size_t i, double w);
    Generation& generation_of(std::size_t i) { return generations_[i / places_.members()]; }
    void begin_awaited(const Archive& archive, const std::vector<std::int64_t>& codes);
    void serialise_order(Archive& archive, std::size_t classes);

    Places places_;
    std::vector<Generation> generations_;
    std::size_t classes_ = 0;  // that have begun
};

}  // namespace onlineboost
