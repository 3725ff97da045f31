#include "learners/per_class.hpp"

#include <string>

#include "engine/build.hpp"
#include "engine/random.hpp"
#include "learners/lanes.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kFirstRoom = 4;  // classes
}

struct PerClassBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<std::unique_ptr<Scratch>> groups;  // of each, and of the one that is coming
    Vector totals;
    Row none;
};

PerClassBank::PerClassBank(std::size_t learners, StoredParameters parameters)
    : ClassBank(learners), parameters_(std::move(parameters)),
      late_(parameters_.has("late") ? parameters_.count("late") : 0), probe_(build_bank(parameters_, learners)) {}

std::size_t PerClassBank::lanes_of(std::size_t first) const {
    return late_ > 0 && first >= kFirstRoom ? std::min(late_, layout.learners) : layout.learners;
}

PerClassBank::Group PerClassBank::build(std::size_t first) const {
    StoredParameters own = parameters_;
    const std::size_t lanes = lanes_of(first);
    const bool turned = begun() > 1 && signs_[1] < 0.0;
    if (!probe_->lanes_apart() ||
        own.has("half_life")) {  // what is forgotten is counted from the class's own beginning
        if (own.has("seed")) own.set("seed", class_seed(own.whole("seed"), turned && first == 1 ? 0 : first));
        return {build_bank(own, lanes), first, 1, lanes};
    }
    own.set("class_lanes", std::uint64_t{lanes});
    own.set("first_class", std::uint64_t{first});
    own.set("turned", turned);
    const std::size_t room = std::max(first, kFirstRoom);
    return {build_bank(own, room * lanes), first, room, lanes};
}

std::unique_ptr<Scratch> PerClassBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    made->totals.resize(made->h.size());
    for (const Group& group : groups_) made->groups.push_back(group.bank->make_scratch());
    return made;
}

void PerClassBank::hear(const Group& group, Scratch& inner, const Own& own) const {
    inner.row = own.row;
    inner.threads = own.threads;
    group.bank->score(inner);
}

void PerClassBank::score_classes(Scratch& scratch) const {
    auto& own = static_cast<Own&>(scratch);
    while (own.groups.size() < groups_.size()) own.groups.push_back(groups_[own.groups.size()].bank->make_scratch());
    scratch.clear_shares(begun());
    double* totals = own.totals.data();
    std::fill(own.totals.begin(), own.totals.end(), 0.0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        hear(groups_[g], *own.groups[g], own);
        for (std::size_t k = groups_[g].first; k < end_of(groups_[g]); ++k) {
            const double* h = own.groups[g]->h.data() + lane(groups_[g], k);
            double* shares = scratch.shares[k].data();
            const std::size_t lanes = groups_[g].lanes;
            for (std::size_t i = 0; i < lanes; ++i) shares[i] = 1.0 + signs_[k] * h[i];
            for (std::size_t i = lanes; i < layout.learners; ++i) shares[i] = shares[i - lanes];
            for (std::size_t i = 0; i < layout.learners; ++i) totals[i] += shares[i];
        }
    }
    const double even = 1.0 / static_cast<double>(begun());
    for (Vector& row : scratch.shares)
        for (std::size_t i = 0; i < layout.learners; ++i) row[i] = totals[i] > 0.0 ? row[i] / totals[i] : even;
}

// A class that begins has met all features before this row, in none of whose rows it took part.
void PerClassBank::prepare(Own& own, std::span<const FeatureId> fresh) {
    const std::size_t k = begun();
    onlineboost::make_room(signs_, k + 1);
    if (!groups_.empty() && k < groups_.back().first + groups_.back().room) {
        Bank& bank = *groups_.back().bank;
        const std::size_t from = lane(groups_.back(), k);
        for (std::size_t i = 0; i < groups_.back().lanes; ++i) bank.forget(from + i);
        bank.use(from + groups_.back().lanes);
        hear(groups_.back(), *own.groups[groups_.size() - 1], own);
        return;
    }
    onlineboost::make_room(groups_, groups_.size() + 1);
    Group group = build(k);
    own.groups.resize(groups_.size());
    own.groups.push_back(group.bank->make_scratch());
    Scratch& inner = *own.groups.back();
    group.bank->use(group.lanes);
    if (!ids_.empty()) {
        inner.row = &own.none;
        group.bank->score(inner);
        group.bank->make_room(inner, ids_);
        group.bank->meet(inner, ids_, 0);
    }
    hear(group, inner, own);
    group.bank->make_room(inner, fresh);
    coming_ = std::make_unique<Group>(std::move(group));
}

void PerClassBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    auto& own = static_cast<Own&>(scratch);
    onlineboost::make_room(ids_, ids_.size() + fresh.size());
    coming_.reset();
    if (scratch.label == begun()) prepare(own, fresh);
    for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].bank->make_room(*own.groups[g], fresh);
}

void PerClassBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    auto& own = static_cast<Own&>(scratch);
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
    if (coming_) groups_.push_back(std::move(*coming_));
    coming_.reset();
    if (scratch.label == begun()) signs_.push_back(1.0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        own.groups[g]->rests = scratch.rests;
        groups_[g].bank->meet(*own.groups[g], ids, from);
    }
}

// First all classes that are told -1 at once, then each that is told +1, of which there are one or two.
void PerClassBank::teach(const Group& group, Scratch& inner, std::size_t label, const double* w) const {
    const std::size_t lanes = group.lanes, end = end_of(group);
    const auto told = [&](std::size_t k) { return k == label ? signs_[k] : -signs_[k]; };
    double* weights = inner.weights.data();
    std::fill(inner.weights.begin(), inner.weights.end(), 0.0);
    if (group.room == 1) {
        std::copy_n(w, lanes, weights);
        return group.bank->update(inner, told(group.first), weights);
    }
    for (std::size_t k = group.first; k < end; ++k)
        if (told(k) < 0.0) std::copy_n(w, lanes, weights + lane(group, k));
    group.bank->update_lanes(inner, -1.0, weights, 0, group.bank->layout.stride);
    for (std::size_t k = group.first; k < end; ++k) {
        if (told(k) < 0.0) continue;
        const std::size_t from = lane(group, k) / 8 * 8, to = round_up(lane(group, k) + lanes);
        std::fill(inner.weights.begin(), inner.weights.end(), 0.0);
        std::copy_n(w, lanes, weights + lane(group, k));
        group.bank->update_lanes(inner, 1.0, weights, from, std::min(to, group.bank->layout.stride));
    }
}

void PerClassBank::update_class(Scratch& scratch, const double* w) {
    auto& own = static_cast<Own&>(scratch);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        own.groups[g]->rests = scratch.rests;
        teach(groups_[g], *own.groups[g], scratch.label, w);
    }
}

void PerClassBank::forget(std::size_t i) {
    for (const Group& group : groups_)
        for (std::size_t k = group.first; k < end_of(group); ++k)
            if (i < group.lanes) group.bank->forget(lane(group, k) + i);
}

void PerClassBank::serialise_groups(Archive& archive, const std::vector<FeatureId>& ids, bool adopted) {
    for (std::size_t k = 0; archive.loading() && k < begun(); k += groups_.back().room) {
        groups_.push_back(build(k));
        groups_.back().bank->use(lane(groups_.back(), end_of(groups_.back())));
    }
    for (Group& group : groups_) {
        std::vector<std::unique_ptr<Archive>> named;
        std::vector<Archive*> parts;
        for (std::size_t k = group.first; k < end_of(group); ++k) {
            named.push_back(
                std::make_unique<PrefixedArchive>(archive, adopted ? "" : "class" + std::to_string(k) + "."));
            parts.push_back(named.back().get());
        }
        if (group.room == 1) {
            group.bank->serialise(*parts[0], ids);
            continue;
        }
        LanesArchive lanes(std::move(parts), group.lanes);
        group.bank->serialise(lanes, ids);
    }
}

void PerClassBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    std::vector<std::int64_t> signs;
    for (const double sign : signs_) signs.push_back(sign > 0.0 ? 1 : -1);
    archive.integers("class_signs", signs);
    if (archive.loading()) {
        if (signs.size() != classes) throw std::invalid_argument("state field 'class_signs' has the wrong shape");
        for (std::size_t k = 0; k < classes; ++k) {
            Archive::check(signs[k] == 1 || (signs[k] == -1 && k == 1), "class_signs");
            signs_.push_back(static_cast<double>(signs[k]));
        }
        ids_ = ids;
    }
    serialise_groups(archive, ids, false);
}

void PerClassBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    ids_ = ids;
    signs_ = {1.0, -1.0};
    serialise_groups(archive, ids, true);
}

}  // namespace onlineboost
