#include "learners/per_class.hpp"

#include <string>

#include "engine/build.hpp"
#include "engine/random.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

struct PerClassBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<std::unique_ptr<Scratch>> classes;  // of each class that has begun, and of the one that is coming
    Vector totals;
    Row none;
};

PerClassBank::PerClassBank(std::size_t learners, StoredParameters parameters)
    : ClassBank(learners), parameters_(std::move(parameters)), probe_(build(0)) {}

std::unique_ptr<Bank> PerClassBank::build(std::size_t k) const {
    StoredParameters own = parameters_;
    if (own.has("seed")) own.set("seed", class_seed(own.whole("seed"), k));
    return build_bank(own, layout.learners);
}

std::unique_ptr<Scratch> PerClassBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    made->totals.resize(made->h.size());
    for (const Class& one : classes_) made->classes.push_back(one.bank->make_scratch());
    return made;
}

void PerClassBank::score_classes(Scratch& scratch) const {
    auto& own = static_cast<Own&>(scratch);
    while (own.classes.size() < classes_.size())
        own.classes.push_back(classes_[own.classes.size()].bank->make_scratch());
    scratch.clear_shares(classes_.size());
    double* totals = own.totals.data();
    std::fill(own.totals.begin(), own.totals.end(), 0.0);
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        Scratch& inner = *own.classes[k];
        inner.row = scratch.row;
        inner.threads = scratch.threads;
        classes_[k].bank->score(inner);
        double* shares = scratch.shares[k].data();
        for (std::size_t i = 0; i < layout.learners; ++i) {
            shares[i] = 1.0 + classes_[k].sign * inner.h[i];
            totals[i] += shares[i];
        }
    }
    const double even = 1.0 / static_cast<double>(classes_.size());
    for (Vector& row : scratch.shares)
        for (std::size_t i = 0; i < layout.learners; ++i) row[i] = totals[i] > 0.0 ? row[i] / totals[i] : even;
}

// A class that begins has met all features before this row, in none of whose rows it took part.
void PerClassBank::prepare(Own& own, std::span<const FeatureId> fresh) {
    const std::size_t k = classes_.size();
    onlineboost::make_room(classes_, k + 1);
    auto bank = build(k);
    own.classes.resize(k);
    own.classes.push_back(bank->make_scratch());
    Scratch& inner = *own.classes[k];
    inner.threads = own.threads;
    if (!ids_.empty()) {
        inner.row = &own.none;
        bank->score(inner);
        bank->make_room(inner, ids_);
        bank->meet(inner, ids_, 0);
    }
    inner.row = own.row;
    bank->score(inner);
    bank->make_room(inner, fresh);
    coming_ = std::move(bank);
}

void PerClassBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    auto& own = static_cast<Own&>(scratch);
    onlineboost::make_room(ids_, ids_.size() + fresh.size());
    for (std::size_t k = 0; k < classes_.size(); ++k) classes_[k].bank->make_room(*own.classes[k], fresh);
    coming_.reset();
    if (scratch.label == classes_.size()) prepare(own, fresh);
}

void PerClassBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    auto& own = static_cast<Own&>(scratch);
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
    if (coming_) classes_.push_back({std::move(coming_), 1.0});
    for (std::size_t k = 0; k < classes_.size(); ++k) classes_[k].bank->meet(*own.classes[k], ids, from);
}

void PerClassBank::update_class(Scratch& scratch, const double* w) {
    auto& own = static_cast<Own&>(scratch);
    for (std::size_t k = 0; k < classes_.size(); ++k)
        classes_[k].bank->update(*own.classes[k], k == scratch.label ? classes_[k].sign : -classes_[k].sign, w);
}

void PerClassBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    std::vector<std::int64_t> signs;
    for (const Class& one : classes_) signs.push_back(one.sign > 0.0 ? 1 : -1);
    archive.integers("class_signs", signs);
    if (archive.loading()) {
        if (signs.size() != classes) throw std::invalid_argument("state field 'class_signs' has the wrong shape");
        for (const std::int64_t sign : signs) {
            Archive::check(sign == 1 || sign == -1, "class_signs");
            classes_.push_back({build(sign > 0 ? classes_.size() : 0), static_cast<double>(sign)});
        }
        ids_ = ids;
    }
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        PrefixedArchive named(archive, "class" + std::to_string(k) + ".");
        classes_[k].bank->serialise(named, ids);
    }
}

void PerClassBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    ids_ = ids;
    for (const double sign : {1.0, -1.0}) {
        classes_.push_back({build(0), sign});
        classes_.back().bank->serialise(archive, ids);
    }
}

}  // namespace onlineboost
