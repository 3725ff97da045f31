#include "engine/classes.hpp"

#include <algorithm>
#include <string>

#include "engine/lookup.hpp"
#include "engine/snapshot.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr const char* kOrder = "classes must be numbered in the order of their first example";
}

void Classes::add(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster, Guard guard) {
    const std::unique_lock lock(mutex_);
    auto scratch = std::make_unique<Scratch>(bank->layout);
    guard([&] {
        make_room(classes_, classes_.size() + 1);
        booster_->add(std::move(booster));
        classes_.push_back({std::move(bank), {}, std::move(scratch)});
    });
    count_.store(classes_.size(), std::memory_order_release);
}

void Classes::drop(std::size_t classes, Guard guard) {
    const std::unique_lock lock(mutex_);
    if (classes < begun_ || classes > classes_.size()) throw std::invalid_argument("a class that has begun stays");
    booster_->drop(classes);
    guard([&] { classes_.resize(classes); });
    count_.store(classes, std::memory_order_release);
}

void Classes::hear(const Row& row, std::size_t k, Scratch& scratch, double& margin) const {
    scratch.row.ids = row.ids;
    scratch.row.raw = row.raw;
    scratch.threads = threads();
    find_slots(classes_[k].features, scratch.row);
    classes_[k].bank->score(scratch);
    margin = booster_->hear(scratch, k);
}

void Classes::report(const Scratches& heard, const double* margins, double* decisions, double* probabilities) const {
    std::fill_n(decisions, classes_.size(), ClassBooster::kNotBegun);
    std::fill_n(probabilities, classes_.size(), 0.0);
    if (!heard.empty()) booster_->decide(heard, margins, decisions, probabilities);
}

void Classes::predict(const Source& source, std::size_t count, double* decisions, double* probabilities) const {
    const std::shared_lock lock(mutex_);
    if (count != classes_.size()) throw std::invalid_argument("there is another number of classes by now");
    std::vector<std::unique_ptr<Scratch>> own;
    Scratches heard;
    for (std::size_t k = 0; k < begun_; ++k) {
        own.push_back(std::make_unique<Scratch>(classes_[k].bank->layout));
        heard.push_back(own.back().get());
    }
    std::vector<double> margins(begun_);
    Row row;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        source.read(r, row);
        for (std::size_t k = 0; k < begun_; ++k) hear(row, k, *heard[k], margins[k]);
        report(heard, margins.data(), decisions + r * classes_.size(), probabilities + r * classes_.size());
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

void Classes::learn(const Source& source, const std::int64_t* labels, const double* s, double* decisions, double* probabilities) {
    const std::unique_lock lock(mutex_);
    check_labels(source, labels, s);
    if (!classes_.empty()) check_room(*classes_[0].bank, classes_[0].features, source, s, row_);  // no class has met more than the first
    heard_.clear();
    for (std::size_t k = 0; k < begun_; ++k) heard_.push_back(classes_[k].scratch.get());
    margins_.resize(begun_);
    for (std::size_t r = 0; r < source.rows(); ++r) {
        const double weight = s ? s[r] : 1.0;  // read once, as the label is: another thread may write there
        const std::int64_t given = labels[r];
        check_weight(weight);
        source.read(r, row_);
        for (std::size_t k = 0; k < begun_; ++k) hear(row_, k, *heard_[k], margins_[k]);
        if (decisions) report(heard_, margins_.data(), decisions + r * classes_.size(), probabilities + r * classes_.size());
        if (!(weight >= kNegligible)) continue;
        const auto label = static_cast<std::size_t>(given);
        if (given < 0 || label > begun_ || label >= classes_.size()) throw std::invalid_argument(kOrder);
        heard_.resize(begun_);
        margins_.resize(begun_);
        if (label == begun_) {
            heard_.push_back(classes_[label].scratch.get());
            margins_.push_back(0.0);
            hear(row_, label, *heard_[label], margins_[label]);
        }
        if (classes_[0].bank->may_raise())
            learn_or_undo(label, weight);
        else
            learn_row(label, weight);
    }
}

// Room is made first, in all classes; nothing that follows can run out of memory, and so nothing is left half done.
void Classes::learn_row(std::size_t label, double weight) {
    const std::size_t count = heard_.size();
    if (fresh_.size() < count) fresh_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        list_fresh(heard_[k]->row, fresh_[k]);
        classes_[k].features.make_room(fresh_[k]);
        classes_[k].bank->make_room(*heard_[k], fresh_[k]);
    }
    booster_->make_room(heard_, label);
    for (std::size_t k = 0; k < count; ++k) {
        Features& features = classes_[k].features;
        const std::size_t from = features.ids().size();
        add_slots(features, heard_[k]->row);
        classes_[k].bank->meet(*heard_[k], features.ids(), from);
    }
    booster_->learn(classes_, heard_, margins_.data(), label, weight);
    ++booster_->rounds;
    begun_ = count;
}

void Classes::learn_or_undo(std::size_t label, double weight) {
    Snapshot before;
    booster_->serialise(before);
    std::vector<std::size_t> met;
    for (const ClassBank& one : classes_) met.push_back(one.features.ids().size());
    try {
        learn_row(label, weight);
    } catch (...) {
        for (std::size_t k = 0; k < classes_.size(); ++k) classes_[k].features.forget(met[k]);
        before.restore();
        booster_->serialise(before);
        throw;
    }
}

void Classes::serialise(Archive& archive) {
    const std::unique_lock lock(mutex_);
    archive.counter("rounds", booster_->rounds);
    booster_->serialise(archive);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        PrefixedArchive named(archive, "class" + std::to_string(k) + ".");
        serialise_features(named, classes_[k].features);
        classes_[k].bank->serialise(named, classes_[k].features.ids());
    }
    if (archive.loading()) begun_ = classes_.size();
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
