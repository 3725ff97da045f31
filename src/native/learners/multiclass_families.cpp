#include "learners/multiclass_families.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/build.hpp"
#include "kernels/kernels.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {

// None below the smallest, and all of them 1.
void keep_apart_from_zero(std::vector<double>& p) {
    double total = 0.0;
    for (double& one : p) total += one = std::max(one, MulticlassFamilies::kSmallestProbability);
    for (double& one : p) one /= total;
}

}  // namespace

void MulticlassFamilies::hear(const Places::Place&, const MulticlassEnsemble& ensemble, Opinion& opinion) {
    ensemble.vote(*opinion.scratch, opinion.f);
    opinion.plain = opinion.f;
    keep_apart_from_zero(opinion.plain);
    opinion.calibrated.resize(opinion.f.size());
    ensemble.probabilities(opinion.f, opinion.placed, opinion.calibrated.data());
    keep_apart_from_zero(opinion.calibrated);
}

void MulticlassFamilies::say(Scratch& scratch, std::size_t i) const {
    Opinion& own = places_.opinion(scratch, i);
    const Places::Place& place = places_[i];
    hear(place, *place.ensemble, own);
    const double weight = sigmoid(std::clamp(place.losses[1] - place.losses[0], -700.0, 700.0));
    const auto& [order, examples, label] = generations_[i / places_.members()];
    for (std::size_t j = 0; j < order.size(); ++j)
        scratch.shares[static_cast<std::size_t>(order[j])][i] =
            weight * own.plain[j] + (1.0 - weight) * own.calibrated[j];
    if (order.size() == classes_) return;
    const double none = 1.0 / static_cast<double>(examples + static_cast<std::int64_t>(classes_));
    const double rest = 1.0 - none * static_cast<double>(classes_ - order.size());
    for (Vector& row : scratch.shares) row[i] = row[i] > 0.0 ? std::max(rest * row[i], kSmallestProbability) : none;
}

void MulticlassFamilies::score_classes(Scratch& scratch) const {
    scratch.clear_shares(classes_);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_.at_work(i)) continue;
        for (Vector& row : scratch.shares) row[i] = kSilent;
    }
    places_.each_at_work(scratch, [&](std::size_t i) { say(scratch, i); });
}

void MulticlassFamilies::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    for (Generation& one : generations_) {
        const auto known = std::find(one.order.begin(), one.order.end(), static_cast<std::int64_t>(scratch.label));
        one.label = static_cast<std::size_t>(known - one.order.begin());
        onlineboost::make_room(one.order, one.order.size() + 1);
    }
    // No class begins while a family rests; one that begins has none.
    places_.make_room(
        scratch, fresh, hear,
        [this](std::size_t i, MulticlassEnsemble& ensemble, Opinion& opinion, std::span<const FeatureId> ids) {
            const bool none = places_[i].rests || places_[i].awaited;
            ensemble.make_room(*opinion.scratch, ids, none ? 0 : generation_of(i).label, opinion.f, opinion.placed);
        });
}

// A class that begins surprises both ways alike.
void MulticlassFamilies::teach(Scratch& scratch, std::size_t i, double w) {
    Places::Place& place = places_[i];
    Opinion& own = Places::opinions(scratch)[i];
    const auto& [order, examples, label] = generation_of(i);
    if (!(w >= kNegligible)) {
        if (!place.ensemble->bank().follows_labels() || label >= order.size()) return;
        own.scratch->label = label;
        std::fill(own.scratch->weights.begin(), own.scratch->weights.end(), 0.0);
        return place.ensemble->bank().update_class(*own.scratch, own.scratch->weights.data());
    }
    if (label < order.size()) {
        place.losses[0] -= w * math::log_fixed(own.plain[label]);
        place.losses[1] -= w * math::log_fixed(own.calibrated[label]);
    }
    place.ensemble->learn(*own.scratch, own.f, own.placed, w);
}

void MulticlassFamilies::update_class(Scratch& scratch, const double* w) {
    places_.each_at_work(scratch, [&](std::size_t i) { teach(scratch, i, w[i]); });
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        Generation& generation = generations_[g];
        bool taught = false;
        for (std::size_t i = g * places_.members(); i < (g + 1) * places_.members(); ++i)
            taught |= places_.at_work(i) && w[i] >= kNegligible;
        if (!taught) continue;
        ++generation.examples;
        if (generation.label == generation.order.size())
            generation.order.push_back(static_cast<std::int64_t>(scratch.label));
    }
    classes_ = std::max(classes_, scratch.label + 1);
}

void MulticlassFamilies::ask_for(std::size_t i) {
    places_.ask_for(i);
    generation_of(i).order.clear();
    generation_of(i).examples = 0;
}

// Of several generations, the classes in the order of each, and its examples.
void MulticlassFamilies::serialise_order(Archive& archive, std::size_t classes) {
    std::vector<std::int64_t> counts, order, examples;
    for (const Generation& one : generations_) {
        counts.push_back(static_cast<std::int64_t>(one.order.size()));
        order.insert(order.end(), one.order.begin(), one.order.end());
        examples.push_back(one.examples);
    }
    archive.integers("generation_classes", counts);
    archive.integers("generation_class_order", order);
    archive.integers("generation_examples", examples);
    Archive::check(counts.size() == generations_.size() && examples.size() == counts.size(), "generation_classes");
    std::size_t at = 0;
    for (std::size_t g = 0; g < counts.size(); ++g) {
        Archive::check(counts[g] >= 0 && static_cast<std::uint64_t>(counts[g]) <= order.size() - at,
                       "generation_classes");
        Archive::check(examples[g] >= counts[g] && examples[g] <= Archive::kLargestCount, "generation_examples");
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(at);
        std::vector<std::int64_t> own(from, from + counts[g]), sorted = own;
        std::sort(sorted.begin(), sorted.end());
        Archive::check(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() &&
                           (own.empty() || (sorted[0] >= 0 && static_cast<std::uint64_t>(sorted.back()) < classes)),
                       "generation_class_order");
        at += own.size();
        generations_[g].order = std::move(own);
        generations_[g].examples = examples[g];
    }
    Archive::check(at == order.size(), "generation_class_order");
}

// A generation that is awaited has learned no class.
void MulticlassFamilies::begin_awaited(const Archive& archive, const std::vector<std::int64_t>& codes) {
    for (std::size_t i = 0; i < codes.size(); ++i)
        if (archive.loading() && codes[i] == 2) ask_for(i);
}

void MulticlassFamilies::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    std::vector<std::int64_t> codes = places_.codes();
    archive.integers("families_at_work", codes);
    if (archive.loading()) {
        classes_ = classes;
        if (codes.size() == places_.members()) {  // without generations, or older than these
            places_.keep_one_generation();
            generations_.resize(1);
        }
    }
    places_.check_shape(codes);
    if (generations_.size() > 1) {
        serialise_order(archive, classes);
    } else if (archive.loading()) {
        generations_[0].order.resize(classes);
        std::iota(generations_[0].order.begin(), generations_[0].order.end(), 0);
    }
    begin_awaited(archive, codes);
    places_.serialise(archive, ids, codes, [&](std::size_t i, Archive& named) {
        places_[i].ensemble->serialise(named, ids, generation_of(i).order.size());
    });
}

// Families that know two classes only do not go on.
void MulticlassFamilies::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> codes, lives;
    archive.integers("families_at_work", codes);
    places_.check_shape(codes);
    if (archive.has("generations")) archive.integers("generations", lives);
    std::uint64_t rounds = 0;
    archive.counter("rounds", rounds);
    classes_ = 2;
    const bool known = lives.size() == 3 * generations_.size() + 1;
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        generations_[g].order = {0, 1};
        generations_[g].examples = static_cast<std::int64_t>(rounds) - (known ? lives[3 * g + 2] : 0);
        generations_[g].examples = std::max<std::int64_t>(generations_[g].examples, 2);
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!places_.member_of(i).make) codes[i] = 0;
        if (codes[i] == 1 && known && lives[3 * (i / places_.members()) + 1] == 2) codes[i] = 3;
    }
    begin_awaited(archive, codes);
    places_.serialise(archive, ids, codes,
                      [&](std::size_t i, Archive& named) { places_[i].ensemble->adopt(named, ids); });
}

std::unique_ptr<Bank> MulticlassFamilies::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<MulticlassFamilies>(Places::build(
        p, learners,
        [](std::shared_ptr<const Parameters> stored, std::size_t count) -> std::function<MulticlassEnsemble()> {
            if (!boosts_classes(*stored->inside("booster"))) return {};
            return [stored, count] {
                return build_class_ensemble(*stored->inside("bank"), *stored->inside("booster"), count);
            };
        }));
}

}  // namespace onlineboost
