#include "learners/multiclass_families.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/build.hpp"
#include "kernels/kernels.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

struct MulticlassFamilies::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<Opinion> opinions;
};

std::unique_ptr<Scratch> MulticlassFamilies::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    made->opinions.resize(places_.size());
    return made;
}

MulticlassFamilies::MulticlassFamilies(std::vector<Member> members, std::size_t generations)
    : ClassBank(members.size() * generations), members_(std::move(members)), places_(members_.size() * generations),
      generations_(generations) {
    newborns_.reserve(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k)
        if (members_[k].make && members_[k].begins) places_[k].ensemble.emplace(fresh(k));
}

MulticlassEnsemble MulticlassFamilies::fresh(std::size_t i) {
    Member& member = members_[i % members_.size()];
    MulticlassEnsemble made = member.make();
    member.most_features = std::min(member.most_features, made.bank().most_features());
    return made;
}

namespace {

// None below the smallest, and all of them 1.
void keep_apart_from_zero(std::vector<double>& p) {
    double total = 0.0;
    for (double& one : p) total += one = std::max(one, MulticlassFamilies::kSmallestProbability);
    for (double& one : p) one /= total;
}

}  // namespace

void MulticlassFamilies::hear(const MulticlassEnsemble& ensemble, Opinion& opinion) {
    ensemble.vote(*opinion.scratch, opinion.f);
    opinion.plain = opinion.f;
    keep_apart_from_zero(opinion.plain);
    opinion.calibrated.resize(opinion.f.size());
    ensemble.probabilities(opinion.f, opinion.calibrated.data());
    keep_apart_from_zero(opinion.calibrated);
}

void MulticlassFamilies::say(Scratch& scratch, std::size_t i) const {
    Opinion& own = static_cast<Own&>(scratch).opinions[i];
    const Place& place = places_[i];
    if (!own.scratch) own.scratch = place.ensemble->make_scratch();
    own.scratch->threads = scratch.threads;
    own.scratch->row = scratch.row;
    hear(*place.ensemble, own);
    const double weight = sigmoid(std::clamp(place.losses[1] - place.losses[0], -700.0, 700.0));
    const auto& [order, examples, label] = generations_[i / members_.size()];
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
        if (places_[i].ensemble)
            say(scratch, i);
        else
            for (Vector& row : scratch.shares) row[i] = kSilent;
    }
}

void MulticlassFamilies::make_room(Scratch& scratch, std::span<const FeatureId> fresh_ids) {
    const std::size_t features = ids_.size() + fresh_ids.size();
    onlineboost::make_room(ids_, features);
    for (Generation& one : generations_) {
        const auto known = std::find(one.order.begin(), one.order.end(), static_cast<std::int64_t>(scratch.label));
        one.label = static_cast<std::size_t>(known - one.order.begin());
        onlineboost::make_room(one.order, one.order.size() + 1);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!sees(places_[i], fresh_ids.size()) || features > limit_of(i)) continue;
        Opinion& own = static_cast<Own&>(scratch).opinions[i];
        const std::size_t label = places_[i].rests ? 0 : generation_of(i).label;  // no class begins while it rests
        places_[i].ensemble->make_room(*own.scratch, fresh_ids, label, own.f);
    }
    if (!awaits_) return;
    std::vector<FeatureId> all(ids_);
    all.insert(all.end(), fresh_ids.begin(), fresh_ids.end());
    newborns_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].awaited || features > limit_of(i)) continue;
        newborns_.push_back(std::make_unique<Newborn>(Newborn{i, fresh(i), {}, *scratch.row}));
        auto& [place, ensemble, opinion, row] = *newborns_.back();
        std::fill(row.slots.begin(), row.slots.end(), Features::kUnseen);
        row.met = false;
        opinion.scratch = ensemble.make_scratch();
        opinion.scratch->threads = scratch.threads;
        opinion.scratch->row = &row;
        hear(ensemble, opinion);
        ensemble.make_room(*opinion.scratch, all, 0, opinion.f);
    }
}

void MulticlassFamilies::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    auto& opinions = static_cast<Own&>(scratch).opinions;
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!sees(places_[i], ids.size() - from)) continue;
        opinions[i].scratch->rests = places_[i].rests;
        if (ids.size() > limit_of(i))
            retire(i);
        else
            places_[i].ensemble->meet(*opinions[i].scratch, ids, from);
    }
    if (!awaits_) return;
    for (Place& place : places_) place.awaited = false;
    awaits_ = false;
    for (const auto& newborn : newborns_) {
        auto& [place, ensemble, opinion, row] = *newborn;
        opinion.scratch->row = scratch.row;
        places_[place].ensemble.emplace(std::move(ensemble));
        opinions[place] = std::move(opinion);
        places_[place].ensemble->meet(*opinions[place].scratch, ids, 0);
    }
    newborns_.clear();
}

// A class that begins surprises both ways alike.
void MulticlassFamilies::update_class(Scratch& scratch, const double* w) {
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        Generation& generation = generations_[g];
        bool taught = false;
        for (std::size_t i = g * members_.size(); i < (g + 1) * members_.size(); ++i) {
            Place& place = places_[i];
            if (!place.ensemble) continue;
            Opinion& own = static_cast<Own&>(scratch).opinions[i];
            if (!(w[i] >= kNegligible)) {
                if (!place.ensemble->bank().follows_labels() || generation.label >= generation.order.size()) continue;
                own.scratch->label = generation.label;
                std::fill(own.scratch->weights.begin(), own.scratch->weights.end(), 0.0);
                place.ensemble->bank().update_class(*own.scratch, own.scratch->weights.data());
                continue;
            }
            if (generation.label < generation.order.size()) {
                place.losses[0] -= w[i] * math::log_fixed(own.plain[generation.label]);
                place.losses[1] -= w[i] * math::log_fixed(own.calibrated[generation.label]);
            }
            place.ensemble->learn(*own.scratch, own.f, w[i]);
            taught = true;
        }
        if (!taught) continue;
        ++generation.examples;
        if (generation.label == generation.order.size())
            generation.order.push_back(static_cast<std::int64_t>(scratch.label));
    }
    classes_ = std::max(classes_, scratch.label + 1);
}

void MulticlassFamilies::ask_for(std::size_t i) {
    places_[i] = {};
    generation_of(i).order.clear();
    generation_of(i).examples = 0;
    if (members_[i % members_.size()].make) places_[i].awaited = awaits_ = true;
}

std::size_t MulticlassFamilies::most_features() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].ensemble) most = std::max(most, limit_of(i));
    return most;
}

std::string MulticlassFamilies::limit() const {
    return "the families of the mixture take at most " + std::to_string(most_features()) +
           " features, and these rows bring more: raise the limit of a family or add one without a limit";
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

// 0: no family, 1: it learns, 2: it begins with the next row, 3: it rests.
template <class F>
void MulticlassFamilies::serialise_families(Archive& archive, const std::vector<FeatureId>& ids,
                                            std::vector<std::int64_t>& at_work, F each) {
    ids_ = ids;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const bool works = at_work[i] == 1 || at_work[i] == 3;
        Archive::check(works || at_work[i] == 0 || (at_work[i] == 2 && generations_.size() > 1), "families_at_work");
        if (archive.loading() && !works) retire(i);
        if (archive.loading() && at_work[i] == 2) ask_for(i);
        if (!works) continue;
        if (archive.loading() && !places_[i].ensemble) {
            const Member& member = members_[i % members_.size()];
            Archive::check(member.make && (i >= members_.size() || member.begins), "families_at_work");
            places_[i].ensemble.emplace(fresh(i));
        }
        places_[i].rests = at_work[i] == 3;
        Archive::check(ids.size() <= limit_of(i), "families_at_work");
        PrefixedArchive named(archive, "family" + std::to_string(i) + ".");
        named.sums("calibration_losses", places_[i].losses, 2);
        each(*places_[i].ensemble, named, generation_of(i).order.size());
    }
}

void MulticlassFamilies::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    std::vector<std::int64_t> at_work;
    for (const Place& place : places_)
        at_work.push_back(place.ensemble ? (place.rests ? 3 : 1) : place.awaited ? 2 : 0);
    archive.integers("families_at_work", at_work);
    if (archive.loading()) {
        classes_ = classes;
        if (at_work.size() == members_.size()) {  // without generations, or older than these
            places_.resize(members_.size());
            generations_.resize(1);
        }
    }
    if (at_work.size() != places_.size())
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    if (generations_.size() > 1) {
        serialise_order(archive, classes);
    } else if (archive.loading()) {
        generations_[0].order.resize(classes);
        std::iota(generations_[0].order.begin(), generations_[0].order.end(), 0);
    }
    serialise_families(archive, ids, at_work, [&](MulticlassEnsemble& one, Archive& named, std::size_t own) {
        one.serialise(named, ids, own);
    });
}

// Families that know two classes only do not go on.
void MulticlassFamilies::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> at_work, lives;
    archive.integers("families_at_work", at_work);
    if (at_work.size() != places_.size())
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    if (archive.has("generations")) archive.integers("generations", lives);
    std::uint64_t rounds = 0;
    archive.counter("rounds", rounds);
    classes_ = 2;
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        const bool known = lives.size() == 3 * generations_.size() + 1;
        generations_[g].order = {0, 1};
        generations_[g].examples = static_cast<std::int64_t>(rounds) - (known ? lives[3 * g + 2] : 0);
        generations_[g].examples = std::max<std::int64_t>(generations_[g].examples, 2);
        for (std::size_t i = g * members_.size(); i < (g + 1) * members_.size(); ++i) {
            if (!members_[i % members_.size()].make) at_work[i] = 0;
            if (at_work[i] == 1 && known && lives[3 * g + 1] == 2) at_work[i] = 3;
        }
    }
    serialise_families(archive, ids, at_work,
                       [&](MulticlassEnsemble& one, Archive& named, std::size_t) { one.adopt(named, ids); });
}

std::unique_ptr<Bank> MulticlassFamilies::build(const Parameters& p, std::size_t learners) {
    std::vector<Member> members;
    for (const auto& [count, part] : p.parts("members")) {
        const std::shared_ptr<const Parameters> stored = part->kept();
        Member member{{}, part->count("most_features"), part->flag("begins")};
        if (boosts_classes(*part->inside("booster")))
            member.make = [stored, learners = count] {
                return build_class_ensemble(*stored->inside("bank"), *stored->inside("booster"), learners);
            };
        members.push_back(std::move(member));
    }
    const std::size_t generations = learners / std::max<std::size_t>(members.size(), 1);
    if (members.empty() || generations * members.size() != learners)
        throw std::invalid_argument("every generation has all families");
    return std::make_unique<MulticlassFamilies>(std::move(members), generations);
}

}  // namespace onlineboost
