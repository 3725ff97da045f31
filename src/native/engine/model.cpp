#include "engine/model.hpp"

#include <algorithm>

#include "engine/lookup.hpp"
#include "engine/slice.hpp"
#include "engine/snapshot.hpp"

namespace onlineboost {

Model::Model(Ensemble ensemble) : ensemble_(std::move(ensemble)), scratch_(ensemble_.make_scratch()) {
    scratch_->row = &row_;
}

void Model::predict(const Source& source, double* margins, double* probabilities, double* outputs) const {
    const std::shared_lock lock(mutex_);
    Row row;
    const auto made = ensemble_.make_scratch();
    Scratch& scratch = *made;
    scratch.row = &row;
    scratch.threads = threads();
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        missing_.fill(row);
        find_slots(features_, row);
        margins[r] = ensemble_.vote(scratch);
        if (probabilities) probabilities[r] = ensemble_.probability(margins[r], ensemble_.place(margins[r]));
        if (outputs) std::copy_n(scratch.h.data(), learners(), outputs + r * learners());
    }
}

// Room is made first; nothing that follows can run out of memory, and so nothing is left half done.
[[gnu::always_inline]] inline void Model::learn_row(const Example& example) {
    const std::size_t met = features_.ids().size();
    missing_.make_room(row_);
    if (row_.met) {
        ensemble_.make_room(*scratch_, {});
    } else {
        list_fresh(row_, fresh_);
        features_.make_room(fresh_);
        summary_.make_room(met + fresh_.size());
        ensemble_.make_room(*scratch_, fresh_);
        add_slots(features_, row_);
    }
    ensemble_.meet(*scratch_, features_.ids(), met);
    ensemble_.learn(*scratch_, example.vote, example.place, example.y, example.weight);
    missing_.learn(row_);
}

void Model::learn_or_undo(const Example& example) {
    Snapshot before;
    ensemble_.serialise_booster(before);
    const std::size_t met = features_.ids().size();
    try {
        learn_row(example);
    } catch (...) {
        features_.forget(met);
        before.restore();
        ensemble_.serialise_booster(before);
        ensemble_.bank().undo();
        throw;
    }
}

std::size_t Model::learn(const Source& source, const double* y, const double* s, const Report& report,
                         std::size_t start) {
    const std::unique_lock lock(mutex_);
    const Booster& booster = ensemble_.booster();
    Scratch& scratch = *scratch_;
    scratch.threads = threads();
    if (start == 0) check_room(ensemble_.bank(), features_, missing_, source, s, row_);
    const bool may_raise = ensemble_.bank().may_raise();
    Slice slice(source.rows() - start);
    std::size_t r = start;
    for (; r < source.rows(); ++r) {
        if (slice.over()) break;
        const double label = y[r], weight = s ? s[r] : 1.0;  // read once: another thread may write there
        recheck_label(label);
        if (s) recheck_weight(weight);
        source.read(r, row_);
        missing_.fill(row_);
        find_slots(features_, row_);
        const double vote = ensemble_.vote(scratch);
        if (report.outputs) std::copy_n(scratch.h.data(), learners(), report.outputs + r * learners());
        if (report.margins) report.margins[r] = booster.test(scratch, vote);
        const Calibration::Place place = ensemble_.place(vote);
        const double plus = ensemble_.probability(vote, place);
        if (report.probabilities) report.probabilities[r] = plus;
        if (report.expected_errors) report.expected_errors[r] = booster.expected_error(scratch, vote, label);
        if (weight >= kNegligible) {
            if (may_raise)
                learn_or_undo({label, weight, vote, place});
            else
                learn_row({label, weight, vote, place});
            summary_.learn(row_, label > 0.0 ? plus : 1.0 - plus, booster.counted(weight), booster.rounds);
        }
    }
    return r;
}

void Model::set_decision(const Booster::Decision& decision) {
    const std::unique_lock lock(mutex_);
    ensemble_.booster().set_decision(decision);
}

void Model::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    ensemble_.serialise(archive, features_.ids());
    missing_.serialise(archive);
    summary_.serialise(archive, features_.ids().size());
}

void Model::save_summary(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    summary_.serialise(archive, features_.ids().size());
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
