#include "engine/model.hpp"

#include <algorithm>

#include "engine/lookup.hpp"
#include "engine/snapshot.hpp"

namespace onlineboost {

Model::Model(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster)
    : bank_(std::move(bank)), booster_(std::move(booster)), scratch_(std::make_unique<Scratch>(bank_->layout)) {}

// Room is made first; nothing that follows can run out of memory, and so nothing is left half done.
[[gnu::always_inline]] inline void Model::learn_row(Scratch& scratch, const Example& example) {
    list_fresh(scratch.row, fresh_);
    features_.make_room(fresh_);
    bank_->make_room(scratch, fresh_);
    const std::size_t from = features_.ids().size();
    add_slots(features_, scratch.row);
    bank_->meet(scratch, features_.ids(), from);
    calibration_.learn(example.place, example.vote, example.y, example.weight);
    booster_->learn(*bank_, scratch, example.y, example.weight, example.vote);
    ++booster_->rounds;
}

void Model::learn_or_undo(Scratch& scratch, const Example& example) {
    Snapshot before;
    booster_->serialise(before);
    const Calibration calibration = calibration_;
    const std::size_t met = features_.ids().size();
    try {
        learn_row(scratch, example);
    } catch (...) {
        features_.forget(met);
        calibration_ = calibration;
        before.restore();
        booster_->serialise(before);
        throw;
    }
}

void Model::predict(const Source& source, double* margins, double* probabilities) const {
    const std::shared_lock lock(mutex_);
    Scratch scratch(bank_->layout);
    scratch.threads = threads();
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, scratch.row);
        find_slots(features_, scratch.row);
        bank_->score(scratch);
        booster_->see(scratch);
        margins[r] = std::clamp(booster_->vote(scratch), -1.0, 1.0);  // rounding may pass 1
        if (probabilities) probabilities[r] = booster_->probability(margins[r], calibration_.probability(calibration_.place(margins[r])));
    }
}

void Model::learn(const Source& source, const double* y, const double* s, const Report& report) {
    const std::unique_lock lock(mutex_);
    Scratch& scratch = *scratch_;
    scratch.threads = threads();
    check_room(*bank_, features_, source, s, scratch.row);
    const bool may_raise = bank_->may_raise();
    for (std::size_t r = 0; r < source.rows(); ++r) {
        const double label = y[r], weight = s ? s[r] : 1.0;  // read once: another thread may write there
        check_example(label, weight);
        source.read(r, scratch.row);
        find_slots(features_, scratch.row);
        bank_->score(scratch);
        booster_->see(scratch);
        const double vote = std::clamp(booster_->vote(scratch), -1.0, 1.0);
        if (report.outputs) std::copy_n(scratch.h.data(), learners(), report.outputs + r * learners());
        if (report.margins) report.margins[r] = booster_->test(scratch, vote);
        const Calibration::Place place = calibration_.place(vote);
        if (report.probabilities) report.probabilities[r] = booster_->probability(vote, calibration_.probability(place));
        if (report.expected_errors) report.expected_errors[r] = booster_->expected_error(scratch, vote, label);
        if (weight >= kNegligible) {
            if (may_raise)
                learn_or_undo(scratch, {label, weight, vote, place});
            else
                learn_row(scratch, {label, weight, vote, place});
        }
    }
}

void Model::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", booster_->rounds);
    serialise_features(archive, features_);
    calibration_.serialise(archive);
    booster_->serialise(archive);
    bank_->serialise(archive, features_.ids());
}

void Model::save_booster(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", booster_->rounds);
    booster_->serialise(archive);
}

std::uint64_t Model::rounds() const {
    const std::shared_lock lock(mutex_);
    return booster_->rounds;
}

std::size_t Model::features() const {
    const std::shared_lock lock(mutex_);
    return features_.ids().size();
}

}  // namespace onlineboost
