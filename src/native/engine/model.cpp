#include "engine/model.hpp"

#include <algorithm>

#include "engine/lookup.hpp"

namespace onlineboost {

Model::Model(Ensemble ensemble) : ensemble_(std::move(ensemble)), scratch_(ensemble_.make_scratch()) {
    scratch_->row = &row_;
}

void Model::predict(const Source& source, double* margins, double* probabilities) const {
    const std::shared_lock lock(mutex_);
    Row row;
    const auto made = ensemble_.make_scratch();
    Scratch& scratch = *made;
    scratch.row = &row;
    scratch.threads = threads();
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        find_slots(features_, row);
        margins[r] = ensemble_.vote(scratch);
        if (probabilities) probabilities[r] = ensemble_.probability(margins[r], ensemble_.place(margins[r]));
    }
}

void Model::learn(const Source& source, const double* y, const double* s, const Report& report) {
    const std::unique_lock lock(mutex_);
    const Booster& booster = ensemble_.booster();
    Scratch& scratch = *scratch_;
    scratch.threads = threads();
    check_room(ensemble_.bank(), features_, source, s, row_);
    for (std::size_t r = 0; r < source.rows(); ++r) {
        const double weight = s ? s[r] : 1.0;
        source.read(r, row_);
        find_slots(features_, row_);
        const double vote = ensemble_.vote(scratch);
        if (report.outputs) std::copy_n(scratch.h.data(), learners(), report.outputs + r * learners());
        if (report.margins) report.margins[r] = booster.test(scratch, vote);
        const Calibration::Place place = ensemble_.place(vote);
        if (report.probabilities) report.probabilities[r] = ensemble_.probability(vote, place);
        if (report.expected_errors) report.expected_errors[r] = booster.expected_error(scratch, vote, y[r]);
        if (weight >= kNegligible) {
            const std::size_t met = features_.ids().size();
            add_slots(features_, row_);
            ensemble_.meet(scratch, features_.ids(), met);
            ensemble_.learn(scratch, vote, place, y[r], weight);
        }
    }
}

void Model::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    ensemble_.serialise(archive, features_.ids());
}

void Model::save_booster(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", ensemble_.booster().rounds);
    ensemble_.booster().serialise(archive);
}

std::uint64_t Model::rounds() const {
    const std::shared_lock lock(mutex_);
    return ensemble_.booster().rounds;
}

std::size_t Model::features() const {
    const std::shared_lock lock(mutex_);
    return features_.ids().size();
}

}  // namespace onlineboost
