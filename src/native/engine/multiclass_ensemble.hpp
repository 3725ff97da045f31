// A bank of many classes, the booster that weighs its learners, and the calibration of the shares that come out.
//
// For each row in turn: vote() before its label is known; make_room(), meet() and learn() once it is. A class is begun
// by learn().
#pragma once
#include "boosters/multiclass_booster.hpp"
#include "engine/calibration.hpp"

namespace onlineboost {

// P(k) is proportional to the calibrated probability of class k against the rest, by its margin to the best rival,
// f_k - max_{l != k} f_l, which of two classes is that of the vote.
class MulticlassCalibration {
   public:
    explicit MulticlassCalibration(bool intercept) : intercept_(intercept) {}

    // A class as it is before the update.
    struct Placed {
        double margin;
        Calibration::Place at;
    };

    void place(const std::vector<double>& f, std::vector<Placed>& placed) const {
        placed.resize(f.size());
        const Leaders leaders(f);
        for (std::size_t k = 0; k < f.size(); ++k) {
            const double margin = leaders.margin(f, k);
            placed[k] = {margin, classes_[k].place(margin)};
        }
    }
    void probabilities(const std::vector<Placed>& placed, double* p) const {
        double total = 0.0;
        for (std::size_t k = 0; k < placed.size(); ++k) total += p[k] = classes_[k].probability(placed[k].at);
        for (std::size_t k = 0; k < placed.size(); ++k)
            p[k] = total > 0.0 ? p[k] / total : 1.0 / static_cast<double>(placed.size());
    }
    void make_room() { onlineboost::make_room(classes_, classes_.size() + 1); }
    // `f` has the label's share, 0 for a class that begins; `placed` is that of place(), where none began.
    void learn(const std::vector<double>& f, std::vector<Placed>& placed, std::size_t label, double s) {
        if (label == classes_.size()) {
            classes_.emplace_back(intercept_);
            place(f, placed);
        }
        for (std::size_t k = 0; k < f.size(); ++k)
            classes_[k].learn(placed[k].at, placed[k].margin, k == label ? 1.0 : -1.0, s);
    }
    void serialise(Archive& archive, std::size_t classes);
    // Of a model of two classes.
    void adopt(Archive& archive);

   private:
    // The class with the largest value, and the largest value of the others.
    struct Leaders {
        explicit Leaders(const std::vector<double>& f) {
            for (std::size_t k = 1; k < f.size(); ++k) {
                if (f[k] > f[first]) first = k;
            }
            for (std::size_t k = 0; k < f.size(); ++k)
                if (k != first) second = std::max(second, f[k]);
        }
        double margin(const std::vector<double>& f, std::size_t k) const {
            return f[k] - (k == first ? second : f[first]);
        }
        std::size_t first = 0;
        double second = 0.0;
    };

    bool intercept_;
    std::vector<Calibration> classes_;
};

class MulticlassEnsemble {
   public:
    using Placed = std::vector<MulticlassCalibration::Placed>;

    MulticlassEnsemble(std::unique_ptr<Bank> bank, std::unique_ptr<MulticlassBooster> booster, bool intercept)
        : bank_(std::move(bank)), booster_(std::move(booster)), calibration_(intercept) {}

    std::unique_ptr<Scratch> make_scratch() const {
        auto made = bank_->make_scratch();
        made->room.resize(booster_->room());
        return made;
    }
    // What speaks for each class that has begun, in [0, 1], of the row in the scratch.
    void vote(Scratch& scratch, std::vector<double>& f) const {
        bank_->score_classes(scratch);
        f.assign(scratch.shares.size(), 0.0);
        booster_->vote(scratch, f.data());
    }
    // `placed` becomes what learn() needs to know of f.
    void probabilities(const std::vector<double>& f, Placed& placed, double* p) const {
        if (booster_->gives_probabilities()) {
            booster_->weigh(f, p);
            return;
        }
        calibration_.place(f, placed);
        calibration_.probabilities(placed, p);
    }
    // After vote(), with the label: allocates what meet() and learn() need, which then cannot fail. A class that begins
    // gets a share of 0.
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh, std::size_t label, std::vector<double>& f,
                   Placed& placed) {
        if (label == f.size()) {
            f.push_back(0.0);
            onlineboost::make_room(placed, f.size());
            scratch.shares.emplace_back(scratch.h.size(), 0.0);
            calibration_.make_room();
        }
        bank_->expect(scratch, label);
        bank_->make_room(scratch, fresh);
        booster_->make_room(scratch);
    }
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
        bank_->meet(scratch, ids, from);
    }
    // After probabilities() of the same f.
    void learn(Scratch& scratch, const std::vector<double>& f, Placed& placed, double s) {
        if (!booster_->gives_probabilities()) calibration_.learn(f, placed, scratch.label, s);
        booster_->learn(*bank_, scratch, f.data(), s);
        ++booster_->rounds;
    }

    void serialise(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
        serialise_booster(archive, classes);
        bank_->serialise_classes(archive, ids, classes);
    }
    void serialise_booster(Archive& archive, std::size_t classes) {
        archive.counter("rounds", booster_->rounds);
        if (!booster_->gives_probabilities()) calibration_.serialise(archive, classes);
        booster_->serialise(archive, classes);
    }
    // Takes over the state of an ensemble of two classes.
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) {
        archive.counter("rounds", booster_->rounds);
        if (!booster_->gives_probabilities()) calibration_.adopt(archive);
        booster_->adopt(archive);
        bank_->adopt(archive, ids);
    }

    Bank& bank() { return *bank_; }
    const Bank& bank() const { return *bank_; }
    const MulticlassBooster& booster() const { return *booster_; }

   private:
    std::unique_ptr<Bank> bank_;
    std::unique_ptr<MulticlassBooster> booster_;
    MulticlassCalibration calibration_;
};

}  // namespace onlineboost
