#include "engine/classes.hpp"

#include <algorithm>
#include <string>

#include "engine/lookup.hpp"
#include "engine/slice.hpp"
#include "engine/snapshot.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr const char* kOrder = "classes must be numbered in the order of their first example";
}

void Classes::add(Ensemble ensemble, Guard guard) {
    const std::unique_lock lock(mutex_);
    if (ensemble.boosted() != booster_->boosts_each_class())
        throw std::invalid_argument(ensemble.boosted() ? "these classes share one booster"
                                                       : "one against the rest needs a booster for each class");
    HeardRow heard(ensemble);
    guard([&] {
        make_room(classes_, classes_.size() + 1);
        booster_->add();
        classes_.push_back({std::move(ensemble), {}, std::move(heard), 1.0});
    });
}

void Classes::drop(std::size_t classes, Guard guard) {
    const std::unique_lock lock(mutex_);
    if (classes < begun_ || classes > classes_.size()) throw std::invalid_argument("a class that has begun stays");
    booster_->drop(classes);
    guard([&] { classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(classes), classes_.end()); });
}

std::size_t Classes::count() const {
    const std::shared_lock lock(mutex_);
    return classes_.size();
}

void Classes::hear(const Row& row, std::size_t k, const HeardRow& heard, double& margin) const {
    heard.row->ids = row.ids;
    heard.row->raw = row.raw;
    heard.row->gaps = row.gaps;
    heard.scratch->threads = threads();
    heard.scratch->sign = classes_[k].sign;
    find_slots(classes_[k].features, *heard.row);
    margin = booster_->hear(classes_[k].ensemble, *heard.scratch);
}

void Classes::check_count(const Report& report) const {
    if (report.decisions && report.columns != classes_.size())
        throw std::invalid_argument("there is another number of classes by now");
}

void Classes::decide(const Scratches& heard, const double* margins, std::size_t row, double* decisions,
                     double* probabilities) const {
    decisions += row * classes_.size();
    probabilities += row * classes_.size();
    std::fill_n(decisions, classes_.size(), ClassBooster::kNotBegun);
    std::fill_n(probabilities, classes_.size(), 0.0);
    if (!heard.empty()) booster_->decide(classes_, heard, margins, decisions, probabilities);
}

void Classes::predict(const Source& source, const Report& report) const {
    const std::shared_lock lock(mutex_);
    check_count(report);
    predict_rows(source, report.decisions, report.probabilities);
}

void Classes::predict(const Source& source, std::vector<double>& decisions, std::vector<double>& probabilities) const {
    const std::shared_lock lock(mutex_);
    decisions.resize(source.rows() * classes_.size());
    probabilities.resize(decisions.size());
    predict_rows(source, decisions.data(), probabilities.data());
}

void Classes::predict_rows(const Source& source, double* decisions, double* probabilities) const {
    std::vector<HeardRow> own;
    Scratches heard;
    for (std::size_t k = 0; k < begun_; ++k) heard.push_back(own.emplace_back(classes_[k].ensemble).scratch.get());
    std::vector<double> margins(begun_);
    Row row;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        missing_.fill(row);
        for (std::size_t k = 0; k < begun_; ++k) hear(row, k, own[k], margins[k]);
        decide(heard, margins.data(), r, decisions, probabilities);
    }
}

// Labels must be below count(), and a class may begin only after all before it: the state of a model has no gaps.
void Classes::check_labels(const Source& source, const std::int64_t* labels, const double* s) const {
    auto next = static_cast<std::int64_t>(begun_);
    for (std::size_t r = 0; r < source.rows(); ++r) {
        if (s && !(s[r] >= kNegligible)) continue;
        if (labels[r] < 0 || labels[r] > next || labels[r] >= static_cast<std::int64_t>(classes_.size()))
            throw std::invalid_argument(kOrder);
        if (labels[r] == next) ++next;
    }
}

std::size_t Classes::learn(const Source& source, const std::int64_t* labels, const double* s, const Report& report,
                           std::size_t start) {
    const std::unique_lock lock(mutex_);
    check_count(report);
    if (start == 0) {
        check_labels(source, labels, s);
        if (!classes_.empty())
            check_room(classes_[0].ensemble.bank(), classes_[0].features, missing_, source, s,
                       row_);  // no class has met more than the first
    }
    heard_.clear();
    for (std::size_t k = 0; k < begun_; ++k) heard_.push_back(classes_[k].heard.scratch.get());
    margins_.resize(begun_);
    Slice slice(source.rows() - start);
    std::size_t r = start;
    for (; r < source.rows(); ++r) {
        if (slice.over()) break;
        const double weight = s ? s[r] : 1.0;  // read once, as the label is: another thread may write there
        const std::int64_t given = labels[r];
        if (s) recheck_weight(weight);
        source.read(r, row_);
        missing_.fill(row_);
        for (std::size_t k = 0; k < begun_; ++k) hear(row_, k, classes_[k].heard, margins_[k]);
        if (report.decisions) decide(heard_, margins_.data(), r, report.decisions, report.probabilities);
        if (!(weight >= kNegligible)) continue;
        const auto label = static_cast<std::size_t>(given);
        if (given < 0 || label > begun_ || label >= classes_.size()) throw std::invalid_argument(kOrder);
        heard_.resize(begun_);
        margins_.resize(begun_);
        double p = 0.0;  // of the label
        if (label < begun_) {
            decisions_.resize(classes_.size());
            probabilities_.resize(classes_.size());
            decide(heard_, margins_.data(), 0, decisions_.data(), probabilities_.data());
            p = probabilities_[label];
        }
        if (label == begun_) {
            heard_.push_back(classes_[label].heard.scratch.get());
            margins_.push_back(0.0);
            hear(row_, label, classes_[label].heard, margins_[label]);
        }
        if (classes_[0].ensemble.bank().may_raise())
            learn_or_undo(label, weight);
        else
            learn_row(label, weight);
        summary_.learn(*classes_[0].heard.row, p, weight,
                       booster_->rounds);  // no class has met more features than the first
    }
    return r;
}

// Room is made first, in all classes; nothing that follows can run out of memory, and so nothing is left half done.
void Classes::learn_row(std::size_t label, double weight) {
    const std::size_t count = heard_.size();
    if (fresh_.size() < count) fresh_.resize(count);
    missing_.make_room(row_);
    for (std::size_t k = 0; k < count; ++k) {
        list_fresh(*classes_[k].heard.row, fresh_[k]);
        classes_[k].features.make_room(fresh_[k]);
        classes_[k].ensemble.make_room(*heard_[k], fresh_[k]);
    }
    booster_->make_room(heard_, label);
    summary_.make_room(classes_[0].features.ids().size() + fresh_[0].size());
    for (std::size_t k = 0; k < count; ++k) {
        Features& features = classes_[k].features;
        const std::size_t from = features.ids().size();
        add_slots(features, *classes_[k].heard.row);
        classes_[k].ensemble.meet(*heard_[k], features.ids(), from);
    }
    booster_->learn(classes_, heard_, margins_.data(), label, weight);
    ++booster_->rounds;
    begun_ = count;
    missing_.learn(row_);
}

// All that is learned but the banks.
void Classes::serialise_boosters(Archive& archive) {
    booster_->serialise(archive);
    for (ClassEnsemble& one : classes_) one.ensemble.serialise_booster(archive);
}

void Classes::learn_or_undo(std::size_t label, double weight) {
    Snapshot before;
    serialise_boosters(before);
    std::vector<std::size_t> met;
    for (const ClassEnsemble& one : classes_) met.push_back(one.features.ids().size());
    try {
        learn_row(label, weight);
    } catch (...) {
        for (std::size_t k = 0; k < classes_.size(); ++k) classes_[k].features.forget(met[k]);
        before.restore();
        serialise_boosters(before);
        for (ClassEnsemble& one : classes_) one.ensemble.bank().undo();
        throw;
    }
}

// Only classes that took over from a model of two have them.
void Classes::serialise_signs(Archive& archive) {
    std::vector<std::int64_t> signs;
    bool turned = false;
    for (const ClassEnsemble& one : classes_) {
        signs.push_back(one.sign > 0.0 ? 1 : -1);
        turned |= one.sign < 0.0;
    }
    if (archive.loading() ? !archive.has("class_signs") : !turned) return;
    archive.integers("class_signs", signs);
    if (signs.size() != classes_.size()) throw std::invalid_argument("state field 'class_signs' has the wrong shape");
    for (std::size_t k = 0; k < signs.size(); ++k) {
        Archive::check(signs[k] == 1 || signs[k] == -1, "class_signs");
        classes_[k].sign = static_cast<double>(signs[k]);
    }
}

void Classes::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", booster_->rounds);
    booster_->serialise(archive);
    serialise_signs(archive);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        PrefixedArchive named(archive, "class" + std::to_string(k) + ".");
        serialise_features(named, classes_[k].features);
        classes_[k].ensemble.serialise(named, classes_[k].features.ids());
    }
    missing_.serialise(archive);
    summary_.serialise(archive, classes_.empty() ? 0 : classes_[0].features.ids().size());
    if (archive.loading()) begun_ = classes_.size();
}

void Classes::save_summary(Archive& archive) {
    const std::unique_lock lock(mutex_);
    Features none;
    Features& features = classes_.empty() ? none : classes_[0].features;
    serialise_features(archive, features);
    summary_.serialise(archive, features.ids().size());
}

std::uint64_t Classes::rounds() const {
    const std::shared_lock lock(mutex_);
    return booster_->rounds;
}

std::size_t Classes::features() const {
    const std::shared_lock lock(mutex_);
    return classes_.empty() ? 0 : classes_[0].features.ids().size();
}

}  // namespace onlineboost
