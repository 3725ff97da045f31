#include "engine/labels.hpp"

#include <algorithm>
#include <string>

#include "engine/copy.hpp"
#include "engine/lookup.hpp"
#include "engine/slice.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr const char* kOrder = "labels must be numbered in the order of their first example";
constexpr std::size_t kMostLabels = std::size_t{1} << 20;

// The labels that have begun after a row with these.
std::size_t begun_after(const std::uint8_t* has, std::size_t labels, std::size_t begun) {
    std::size_t next = begun;
    for (std::size_t k = begun; k < labels; ++k) {
        if (!has[k]) continue;
        if (k != next) throw std::invalid_argument(kOrder);
        ++next;
    }
    return next;
}
}  // namespace

Labels::Labels(Make make, std::unique_ptr<LabelBooster> booster)
    : make_(std::move(make)), booster_(std::move(booster)) {
    add_place(places_, booster_->sign(false));
    places_[0].scratch->row = &row_;
}

void Labels::add_place(Places& places, double sign) const {
    Ensemble ensemble = make_();
    auto scratch = ensemble.make_scratch();
    places.push_back({std::move(ensemble), std::move(scratch), sign});
}

void Labels::tell(const LabelScratches& heard, const double* margins, std::size_t row, const Report& report) const {
    const std::size_t width = report.columns;
    double *decisions = report.decisions + row * width, *probabilities = report.probabilities + row * width;
    booster_->decide(places_, heard, margins, decisions, probabilities);
    std::fill(decisions + places_.size(), decisions + width, decisions[0]);
    std::fill(probabilities + places_.size(), probabilities + width, probabilities[0]);
}

void Labels::predict(const Source& source, const Report& report) const {
    const std::shared_lock lock(mutex_);
    if (report.columns != places_.size()) throw std::invalid_argument("there is another number of labels by now");
    predict_rows(source, report);
}

void Labels::predict(const Source& source, std::vector<double>& decisions, std::vector<double>& probabilities) const {
    const std::shared_lock lock(mutex_);
    decisions.resize(source.rows() * places_.size());
    probabilities.resize(decisions.size());
    predict_rows(source, {places_.size(), decisions.data(), probabilities.data()});
}

void Labels::predict_rows(const Source& source, const Report& report) const {
    Row row;
    std::vector<std::unique_ptr<Scratch>> own;
    LabelScratches heard;
    for (const LabelEnsemble& one : places_) {
        own.push_back(one.ensemble.make_scratch());
        own.back()->row = &row;
        own.back()->threads = threads();
        own.back()->sign = one.sign;
        heard.push_back(own.back().get());
    }
    std::vector<double> margins(places_.size());
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        missing_.fill(row);
        find_slots(features_, row);
        for (std::size_t k = 0; k < places_.size(); ++k) margins[k] = booster_->hear(places_[k].ensemble, *heard[k]);
        tell(heard, margins.data(), r, report);
    }
}

void Labels::check_sets(const Source& source, const Sets& sets, const double* s) const {
    std::size_t begun = places_.size() - 1;
    for (std::size_t r = 0; r < source.rows(); ++r)
        if (!s || s[r] >= kNegligible) begun = begun_after(sets.of(r), sets.labels, begun);
}

// The labels that begin with the row: copies of what the label that no row has has learned.
void Labels::expect(const std::uint8_t* has, std::size_t labels) {
    coming_.clear();
    const std::size_t begun = places_.size() - 1, after = begun_after(has, labels, begun);
    if (after > begun) {
        const bool first = booster_->rounds == 0;
        CopyArchive state;
        if (!first) places_[0].ensemble.serialise(state, features_.ids());
        state.give();
        for (std::size_t k = begun; k < after; ++k) {
            add_place(coming_, booster_->sign(first));
            LabelEnsemble& one = coming_.back();
            if (!first) one.ensemble.serialise(state, features_.ids());
            one.scratch->row = &row_;
            one.scratch->threads = threads();
            one.scratch->sign = one.sign;
        }
        for (LabelEnsemble& one : coming_) {
            margins_.push_back(booster_->hear(one.ensemble, *one.scratch));
            heard_.push_back(one.scratch.get());
        }
    }
    present_.assign(after + 1, 0);
    for (std::size_t k = 0; k < after; ++k) present_[k + 1] = k < labels && has[k] ? 1 : 0;
}

// Room is made first, in all labels; nothing that follows can run out of memory, and so nothing is left half done.
void Labels::learn_row(const std::uint8_t* has, std::size_t labels, double weight) {
    decisions_.resize(places_.size());
    probabilities_.resize(places_.size());
    booster_->decide(places_, heard_, margins_.data(), decisions_.data(), probabilities_.data());
    expect(has, labels);
    double p = 1.0;  // of the least probable label that the row has
    for (std::size_t k = 1; k < present_.size(); ++k)
        if (present_[k]) p = std::min(p, probabilities_[k < places_.size() ? k : 0]);
    const std::size_t met = features_.ids().size();
    missing_.make_room(row_);
    list_fresh(row_, fresh_);
    features_.make_room(fresh_);
    summary_.make_room(met + fresh_.size());
    for (LabelEnsemble& one : places_) one.ensemble.make_room(*one.scratch, fresh_);
    for (LabelEnsemble& one : coming_) one.ensemble.make_room(*one.scratch, fresh_);
    booster_->make_room(heard_, present_);
    make_room(places_, present_.size());
    for (LabelEnsemble& one : coming_) places_.push_back(std::move(one));
    coming_.clear();
    booster_->begin(places_.size());
    add_slots(features_, row_);
    for (LabelEnsemble& one : places_) one.ensemble.meet(*one.scratch, features_.ids(), met);
    missing_.learn(row_);
    booster_->learn(places_, heard_, margins_.data(), present_, weight);
    ++booster_->rounds;
    summary_.learn(row_, p, weight, booster_->rounds);
}

std::size_t Labels::learn(const Source& source, const Sets& sets, const double* s, const Report& report,
                          std::size_t start) {
    const std::unique_lock lock(mutex_);
    if (start == 0) {
        check_sets(source, sets, s);
        check_room(places_[0].ensemble.bank(), features_, missing_, source, s, row_);
    }
    for (LabelEnsemble& one : places_) {
        one.scratch->row = &row_;
        one.scratch->threads = threads();
        one.scratch->sign = one.sign;
    }
    std::vector<std::uint8_t> has(sets.labels);
    Slice slice(source.rows() - start);
    std::size_t r = start;
    for (; r < source.rows(); ++r) {
        if (slice.over()) break;
        const double weight = s ? s[r] : 1.0;  // read once, as the labels are: another thread may write there
        std::copy_n(sets.of(r), sets.labels, has.begin());
        if (s) recheck_weight(weight);
        source.read(r, row_);
        missing_.fill(row_);
        find_slots(features_, row_);
        heard_.clear();
        margins_.clear();
        for (LabelEnsemble& one : places_) {
            margins_.push_back(booster_->hear(one.ensemble, *one.scratch));
            heard_.push_back(one.scratch.get());
        }
        if (report.decisions) {
            if (places_.size() > report.columns) throw std::invalid_argument(kOrder);
            tell(heard_, margins_.data(), r, report);
        }
        if (weight >= kNegligible) learn_row(has.data(), has.size(), weight);
    }
    return r;
}

void Labels::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", booster_->rounds);
    serialise_features(archive, features_);
    std::vector<std::int64_t> signs;
    for (const LabelEnsemble& one : places_) signs.push_back(one.sign > 0.0 ? 1 : -1);
    archive.integers("label_signs", signs);
    if (archive.loading()) {
        Archive::check(!signs.empty() && signs.size() <= kMostLabels + 1, "label_signs");
        for (std::size_t k = 0; k < signs.size(); ++k) {
            const double sign = static_cast<double>(signs[k]);
            Archive::check(sign == booster_->sign(false) || (k > 0 && sign == booster_->sign(true)), "label_signs");
        }
    }
    for (std::size_t k = 0; k < signs.size(); ++k) {
        if (k >= places_.size()) add_place(places_, static_cast<double>(signs[k]));
        PrefixedArchive named(archive, "label" + std::to_string(k) + ".");
        places_[k].ensemble.serialise(named, features_.ids());
    }
    booster_->serialise(archive, places_.size());
    missing_.serialise(archive);
    summary_.serialise(archive, features_.ids().size());
}

void Labels::save_summary(Archive& archive) {
    const std::unique_lock lock(mutex_);
    serialise_features(archive, features_);
    summary_.serialise(archive, features_.ids().size());
}

std::size_t Labels::count() const {
    const std::shared_lock lock(mutex_);
    return places_.size() - 1;
}

std::uint64_t Labels::rounds() const {
    const std::shared_lock lock(mutex_);
    return booster_->rounds;
}

std::size_t Labels::features() const {
    const std::shared_lock lock(mutex_);
    return features_.ids().size();
}

}  // namespace onlineboost
