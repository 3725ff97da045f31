// Whole ensembles of many classes as the learners of a bank: family k gives each class its probability before the
// update. All of them see the row that was read once, with its slots.
//
// As in families.hpp, a family's vote is taken as probabilities as it is, and calibrated; Bayes' rule over the two is
// as good as the better one but for ln 2 in all; and there are places for several generations.
//
// A generation numbers classes in the order in which it has learned them. After n examples, a class that it has not
// learned gets 1 / (n + K) of K classes in all; those that it has learned share the rest.
#pragma once
#include <functional>
#include <optional>

#include "engine/multiclass_ensemble.hpp"

namespace onlineboost {

class MulticlassFamilies final : public ClassBank {
   public:
    struct Member {
        std::function<MulticlassEnsemble()> make;  // none where it knows two classes only
        std::size_t most_features;                 // with more it retires
        bool begins = true;
    };
    MulticlassFamilies(std::vector<Member> members, std::size_t generations);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    static constexpr double kSmallestProbability = 1e-6;

    std::unique_ptr<Scratch> make_scratch() const override;
    void score_classes(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update_class(Scratch& scratch, const double* w) override;
    bool at_work(std::size_t i) const override { return places_[i].ensemble.has_value(); }
    void retire(std::size_t i) override { places_[i] = {}; }
    void ask_for(std::size_t i) override;
    void rest(std::size_t i, bool rests) override { places_[i].rests = rests && at_work(i); }
    std::size_t most_features() const override;
    std::string limit() const override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Place {
        std::optional<MulticlassEnsemble> ensemble;  // none before it begins and once it has retired
        double losses[2] = {0.0, 0.0};               // of the vote as it is, and calibrated
        bool awaited = false;                        // it begins with the next row
        bool rests = false;
    };
    struct Generation {
        std::vector<std::int64_t> order;  // the classes that it has learned
        std::int64_t examples = 0;        // learned
        std::size_t label = 0;            // its number of the class that is going to be learned
    };
    struct Own;
    // What one family made of the row: until it learns the row, nothing of it changes.
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        std::vector<double> f, plain, calibrated;
    };
    // A fresh copy on its first row, every feature of which is new to it.
    struct Newborn {
        std::size_t place;
        MulticlassEnsemble ensemble;
        Opinion opinion;
        Row row;
    };
    void say(Scratch& scratch, std::size_t i) const;
    static void hear(const MulticlassEnsemble& ensemble, Opinion& opinion);
    MulticlassEnsemble fresh(std::size_t i);
    std::size_t limit_of(std::size_t i) const { return members_[i % members_.size()].most_features; }
    Generation& generation_of(std::size_t i) { return generations_[i / members_.size()]; }
    // Whether a place sees a row that brings so many new features.
    bool sees(const Place& place, std::size_t features) const {
        return place.ensemble && (!place.rests || features > 0);
    }
    void serialise_order(Archive& archive, std::size_t classes);
    template <class F>
    void serialise_families(Archive& archive, const std::vector<FeatureId>& ids, std::vector<std::int64_t>& at_work,
                            F each);

    std::vector<Member> members_;
    std::vector<Place> places_;
    std::vector<Generation> generations_;
    std::vector<std::unique_ptr<Newborn>> newborns_;
    std::size_t classes_ = 0;     // that have begun
    std::vector<FeatureId> ids_;  // met
    bool awaits_ = false;
};

}  // namespace onlineboost
