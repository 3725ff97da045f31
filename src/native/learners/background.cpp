#include "learners/background.hpp"

#include <algorithm>

#include "engine/build.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

struct BackgroundBank::Own final : Scratch {
    Own(Layout layout, const Bank& bank) : Scratch(layout), inner(bank.make_scratch()) {}
    std::unique_ptr<Scratch> inner;
};

BackgroundBank::BackgroundBank(std::unique_ptr<Bank> inner)
    : Bank(inner->layout.learners / 2), inner_(std::move(inner)), second_(layout.learners), begun_(layout.learners) {}

std::unique_ptr<Scratch> BackgroundBank::make_scratch() const { return std::make_unique<Own>(layout, *inner_); }

Scratch& BackgroundBank::inside(Scratch& scratch) const {
    Scratch& inner = *static_cast<Own&>(scratch).inner;
    inner.row = scratch.row;
    inner.threads = scratch.threads;
    inner.rests = scratch.rests;
    return inner;
}

void BackgroundBank::score(Scratch& scratch) const {
    Scratch& inner = inside(scratch);
    inner_->score(inner);
    for (std::size_t i = 0; i < layout.learners; ++i) scratch.h[i] = inner.h[speaker(i)];
}

void BackgroundBank::score_classes(Scratch& scratch) const {
    Scratch& inner = inside(scratch);
    inner_->score_classes(inner);
    scratch.clear_shares(inner.shares.size());
    for (std::size_t k = 0; k < inner.shares.size(); ++k)
        for (std::size_t i = 0; i < layout.learners; ++i) scratch.shares[k][i] = inner.shares[k][speaker(i)];
}

void BackgroundBank::expect(Scratch& scratch, std::size_t label) {
    scratch.label = label;
    inner_->expect(inside(scratch), label);
}

void BackgroundBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    inner_->make_room(inside(scratch), fresh);
}

void BackgroundBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    inner_->meet(inside(scratch), ids, from);
}

const double* BackgroundBank::weigh(Scratch& inner, const double* w) const {
    for (std::size_t i = 0; i < layout.learners; ++i) {
        inner.weights[speaker(i)] = w[i];
        inner.weights[understudy(i)] = begun_[i] != 0 ? w[i] : 0.0;
    }
    return inner.weights.data();
}

void BackgroundBank::update(Scratch& scratch, double y, const double* w) {
    Scratch& inner = inside(scratch);
    inner_->update(inner, y, weigh(inner, w));
}

void BackgroundBank::update_class(Scratch& scratch, const double* w) {
    Scratch& inner = inside(scratch);
    inner_->update_class(inner, weigh(inner, w));
}

double BackgroundBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    Scratch& inner = inside(scratch);
    if (begun_[i] != 0) inner_->step(inner, understudy(i), y, w, times);
    return inner_->step(inner, speaker(i), y, w, times);
}

void BackgroundBank::finish(Scratch& scratch) { inner_->finish(inside(scratch)); }

void BackgroundBank::prepare(std::size_t i) {
    inner_->forget(understudy(i));
    begun_[i] = 1;
}

// The one that leaves is idle until it is forgotten, when an understudy is asked for again.
void BackgroundBank::replace(std::size_t i) {
    if (begun_[i] == 0) return inner_->forget(speaker(i));
    second_[i] = 1 - second_[i];
    begun_[i] = 0;
}

void BackgroundBank::serialise_roles(Archive& archive) {
    for (auto* roles : {&second_, &begun_}) {
        const char* name = roles == &second_ ? "second_speaks" : "understudies";
        archive.integers(name, *roles);
        Archive::check(roles->size() == layout.learners, name);
        for (const std::int64_t one : *roles) Archive::check(one == 0 || one == 1, name);
    }
}

void BackgroundBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise_roles(archive);
    PrefixedArchive named(archive, "inner.");
    inner_->serialise(named, ids);
}

void BackgroundBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    serialise_roles(archive);
    PrefixedArchive named(archive, "inner.");
    inner_->serialise_classes(named, ids, classes);
}

void BackgroundBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise_roles(archive);
    PrefixedArchive named(archive, "inner.");
    inner_->adopt(named, ids);
}

std::unique_ptr<Bank> BackgroundBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<BackgroundBank>(build_inner(p, *p.inside("inner"), 2 * learners));
}

}  // namespace onlineboost
