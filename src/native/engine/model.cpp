#include "engine/model.hpp"

#include <algorithm>

#include "engine/lookup.hpp"

namespace onlineboost {

Model::Model(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster)
    : bank_(std::move(bank)), booster_(std::move(booster)), scratch_(std::make_unique<Scratch>(bank_->layout)) {}

void Model::meet(Scratch& scratch) {
    const std::size_t from = features_.ids().size();
    add_slots(features_, scratch.row);
    bank_->meet(scratch, features_.ids(), from);
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
    for (std::size_t r = 0; r < source.rows(); ++r) {
        const double weight = s ? s[r] : 1.0;
        source.read(r, scratch.row);
        find_slots(features_, scratch.row);
        bank_->score(scratch);
        booster_->see(scratch);
        const double vote = std::clamp(booster_->vote(scratch), -1.0, 1.0);
        if (report.outputs) std::copy_n(scratch.h.data(), learners(), report.outputs + r * learners());
        if (report.margins) report.margins[r] = booster_->test(scratch, vote);
        const Calibration::Place place = calibration_.place(vote);
        if (report.probabilities) report.probabilities[r] = booster_->probability(vote, calibration_.probability(place));
        if (report.expected_errors) report.expected_errors[r] = booster_->expected_error(scratch, vote, y[r]);
        if (weight >= kNegligible) {
            meet(scratch);
            calibration_.learn(place, vote, y[r], weight);
            booster_->learn(*bank_, scratch, y[r], weight, vote);
            ++booster_->rounds;
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
