// A bank, the booster that weighs its learners, and the calibration of the margin that comes out: what a model has one
// of, a mixture several, and a model of many classes one per class.
//
// For each row in turn: vote() before its label is known; make_room(), meet() and learn() once it is.
#pragma once
#include <algorithm>
#include <memory>
#include <span>

#include "boosters/booster.hpp"
#include "engine/calibration.hpp"

namespace onlineboost {

class Ensemble {
   public:
    // Without a booster the learners are weighed by someone else (see ClassBooster); then only the bank may be asked
    // for anything. Without the intercept of the calibration a probability is at least 1/2 exactly where the margin is
    // at least 0.
    Ensemble(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster, bool intercept = true)
        : bank_(std::move(bank)), booster_(std::move(booster)), calibration_(intercept), intercept_(intercept) {}

    std::unique_ptr<Scratch> make_scratch() const {
        auto made = bank_->make_scratch();
        if (booster_) made->room.resize(booster_->room());
        return made;
    }
    // The margin in [-1, 1] of the row in the scratch; the outputs stay in scratch.h.
    double vote(Scratch& scratch) const {
        bank_->score(scratch);
        booster_->see(scratch);
        return std::clamp(booster_->vote(scratch), -1.0, 1.0);  // rounding may pass 1
    }
    Calibration::Place place(double vote) const { return calibration_.place(vote); }
    // `at` is place(vote), here and in learn().
    double probability(double vote, const Calibration::Place& at) const {
        const double p = booster_->probability(vote, calibration_.probability(at));
        return intercept_ || vote >= 0.0 ? p : std::min(p, kBelowHalf);  // a margin next to 0 may be rounded away
    }
    // After vote(): allocates what meet() and learn() need for the row, with the new features `fresh`; these two then
    // cannot fail.
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) { bank_->make_room(scratch, fresh); }
    // After make_room(): the features in slots [from, ids.size()) have just appeared.
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
        bank_->meet(scratch, ids, from);
    }
    // After meet() on the same row.
    void learn(Scratch& scratch, double vote, const Calibration::Place& at, double y, double s) {
        booster_->judge(vote, calibration_.probability(at), y, s);
        calibration_.learn(at, vote, y, s);
        booster_->learn(*bank_, scratch, y, s, vote);
        ++booster_->rounds;
    }

    void serialise(Archive& archive, const std::vector<FeatureId>& ids) {
        serialise_booster(archive);
        bank_->serialise(archive, ids);
    }
    // All that is learned but the bank.
    void serialise_booster(Archive& archive) {
        if (!booster_) return;
        archive.counter("rounds", booster_->rounds);
        calibration_.serialise(archive);
        booster_->serialise(archive);
    }

    bool boosted() const { return booster_ != nullptr; }
    Bank& bank() { return *bank_; }
    const Bank& bank() const { return *bank_; }
    Booster& booster() { return *booster_; }
    const Booster& booster() const { return *booster_; }

   private:
    static constexpr double kBelowHalf = 0.5 - 0x1p-54;

    std::unique_ptr<Bank> bank_;
    std::unique_ptr<Booster> booster_;
    Calibration calibration_;
    bool intercept_;
};

}  // namespace onlineboost
