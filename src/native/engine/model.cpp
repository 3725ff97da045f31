#include "engine/model.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kMostFeatures = std::numeric_limits<std::int32_t>::max();  // slots are 32-bit
}

Model::Model(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster)
    : bank_(std::move(bank)), booster_(std::move(booster)), scratch_(std::make_unique<Scratch>(bank_->layout)) {}

void Model::find_slots(Row& row) const {
    row.slots.resize(row.size());
    row.met = true;
    for (std::size_t k = 0; k < row.size(); ++k) {
        row.slots[k] = features_.find(row.ids[k]);
        row.met &= row.slots[k] != Features::kUnseen;
    }
}

void Model::meet(Scratch& scratch) {
    const std::size_t from = features_.ids().size();
    Row& row = scratch.row;
    if (!row.met)
        for (std::size_t k = 0; k < row.size(); ++k)
            if (row.slots[k] == Features::kUnseen) row.slots[k] = features_.add(row.ids[k]);
    bank_->meet(scratch, features_.ids(), from);
}

// Asks for no row twice where the bank takes any number of features.
void Model::check_room(const Source& source, const double* s) {
    const std::size_t most = bank_->most_features();
    if (most == ~std::size_t{0}) return;
    std::unordered_set<FeatureId> fresh;
    Row& row = scratch_->row;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        if (s && !(s[r] >= kNegligible)) continue;
        source.read(r, row);
        for (const FeatureId id : row.ids)
            if (features_.find(id) == Features::kUnseen) fresh.insert(id);
        if (features_.ids().size() + fresh.size() > most)
            throw std::invalid_argument("a full covariance takes at most " + std::to_string(most) +
                                        " features, and these rows bring more: use covariance=\"diagonal\" or a diagonal learner");
    }
}

void Model::predict(const Source& source, double* margins, double* probabilities) const {
    const std::shared_lock lock(mutex_);
    Scratch scratch(bank_->layout);
    scratch.threads = threads();
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, scratch.row);
        find_slots(scratch.row);
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
    check_room(source, s);
    for (std::size_t r = 0; r < source.rows(); ++r) {
        const double weight = s ? s[r] : 1.0;
        source.read(r, scratch.row);
        find_slots(scratch.row);
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
    std::vector<std::int64_t> ids(features_.ids().begin(), features_.ids().end());
    archive.integers("features", ids);
    if (archive.loading()) {
        if (!features_.ids().empty()) throw std::invalid_argument("a state is loaded into a model that was just made");
        if (ids.size() > kMostFeatures) throw std::invalid_argument("state field 'features' has too many features");
        for (const std::int64_t id : ids) {
            if (id < 0 || id >= std::numeric_limits<FeatureId>::max() || features_.find(static_cast<FeatureId>(id)) != Features::kUnseen)
                throw std::invalid_argument("state field 'features' names a feature twice or out of range");
            features_.add(static_cast<FeatureId>(id));
        }
    }
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
