#include "learners/families.hpp"

#include <algorithm>
#include <string>

#include "engine/build.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestProbability = 1e-6;
}

struct FamiliesBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<Opinion> opinions;
};

std::unique_ptr<Scratch> FamiliesBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    made->opinions.resize(places_.size());
    return made;
}

FamiliesBank::FamiliesBank(std::vector<Member> members, std::size_t generations)
    : Bank(members.size() * generations), members_(std::move(members)), places_(members_.size() * generations) {
    newborns_.reserve(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k)
        if (members_[k].begins) places_[k].ensemble.emplace(fresh(k));
}

Ensemble FamiliesBank::fresh(std::size_t i) {
    Member& member = members_[i % members_.size()];
    Ensemble made = member.make();
    member.most_features = std::min(member.most_features, made.bank().most_features());
    return made;
}

void FamiliesBank::hear(const Place& place, const Ensemble& ensemble, Opinion& opinion) {
    const auto within = [](double p) { return std::clamp(p, kSmallestProbability, 1.0 - kSmallestProbability); };
    opinion.vote = ensemble.vote(*opinion.scratch);
    opinion.at = ensemble.place(opinion.vote);
    const double plain = within(0.5 + 0.5 * opinion.vote);
    const double calibrated = within(ensemble.probability(opinion.vote, opinion.at));
    const double weight = sigmoid(std::clamp(place.losses[1] - place.losses[0], -700.0, 700.0));
    opinion.says = {plain, calibrated, weight * plain + (1.0 - weight) * calibrated};
}

void FamiliesBank::score(Scratch& scratch) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].ensemble) {
            scratch.h[i] = kSilent;
            continue;
        }
        Opinion& own = static_cast<Own&>(scratch).opinions[i];
        if (!own.scratch) own.scratch = places_[i].ensemble->make_scratch();
        own.scratch->threads = scratch.threads;
        own.scratch->row = scratch.row;
        hear(places_[i], *places_[i].ensemble, own);
        scratch.h[i] = 2.0 * own.says.p - 1.0;
    }
}

void FamiliesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh_ids) {
    const std::size_t features = ids_.size() + fresh_ids.size();
    onlineboost::make_room(ids_, features);
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].ensemble && features <= limit_of(i))
            places_[i].ensemble->make_room(*static_cast<Own&>(scratch).opinions[i].scratch, fresh_ids);
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
        hear(places_[i], ensemble, opinion);
        ensemble.make_room(*opinion.scratch, all);
    }
}

void FamiliesBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    auto& opinions = static_cast<Own&>(scratch).opinions;
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].ensemble) continue;
        opinions[i].scratch->rests = places_[i].rests;
        if (ids.size() > limit_of(i))
            retire(i);
        else if (!places_[i].rests || from < ids.size())
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

void FamiliesBank::teach(Scratch& scratch, std::size_t i, double y, double w) {
    auto& [ensemble, losses, awaited, rests] = places_[i];
    if (!ensemble) return;
    const auto& [own, vote, at, said] = static_cast<Own&>(scratch).opinions[i];
    if (!(w >= kNegligible)) {
        if (!ensemble->bank().follows_labels()) return;
        std::fill(own->weights.begin(), own->weights.end(), 0.0);
        return ensemble->bank().update(*own, y, own->weights.data());
    }
    losses[0] -= w * math::log_fixed(y > 0.0 ? said.plain : 1.0 - said.plain);
    losses[1] -= w * math::log_fixed(y > 0.0 ? said.calibrated : 1.0 - said.calibrated);
    ensemble->learn(*own, vote, at, y, w);
}

void FamiliesBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t i = 0; i < places_.size(); ++i) teach(scratch, i, y, w[i]);
}

double FamiliesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    teach(scratch, i, y, w * times);
    return scratch.h[i];
}

void FamiliesBank::retire(std::size_t i) { places_[i] = {}; }

void FamiliesBank::ask_for(std::size_t i) {
    places_[i] = {};
    places_[i].awaited = awaits_ = true;
}

std::size_t FamiliesBank::most_features() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i].ensemble) most = std::max(most, limit_of(i));
    return most;
}

std::string FamiliesBank::limit() const {
    return "the families of the mixture take at most " + std::to_string(most_features()) +
           " features, and these rows bring more: raise the limit of a family or add one without a limit";
}

void FamiliesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> at_work;
    for (const Place& place : places_) at_work.push_back(place.ensemble ? 1 : place.awaited ? 2 : 0);
    archive.integers("families_at_work", at_work);
    std::vector<std::int64_t> resting;
    for (const Place& place : places_) resting.push_back(place.rests ? 1 : 0);
    if (places_.size() > members_.size() && archive.has("families_resting")) {  // not in older files
        archive.integers("families_resting", resting);
        Archive::check(resting.size() == places_.size(), "families_resting");
    }
    ids_ = ids;
    if (at_work.size() != places_.size())
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const bool first = i < members_.size();
        Archive::check(at_work[i] == 0 || at_work[i] == 1 || (at_work[i] == 2 && places_.size() > members_.size()),
                       "families_at_work");
        if (archive.loading() && at_work[i] == 2) ask_for(i);
        if (archive.loading() && at_work[i] == 0) retire(i);
        if (at_work[i] != 1) continue;
        if (archive.loading() && !places_[i].ensemble) {
            Archive::check(!first || members_[i].begins, "families_at_work");
            places_[i].ensemble.emplace(fresh(i));
        }
        Archive::check(ids.size() <= limit_of(i), "families_at_work");
        PrefixedArchive named(archive, "family" + std::to_string(i) + ".");
        if (archive.loading()) places_[i].rests = resting[i] != 0;
        named.sums("calibration_losses", places_[i].losses, 2);
        places_[i].ensemble->serialise(named, ids);
    }
}

std::unique_ptr<Bank> FamiliesBank::build(const Parameters& p, std::size_t learners) {
    std::vector<Member> members;
    for (const auto& [count, part] : p.parts("members")) {
        const std::shared_ptr<const Parameters> stored = part->kept();
        const auto make = [stored, learners = count] {
            return build_ensemble(*stored->inside("bank"), *stored->inside("booster"), learners);
        };
        members.push_back({make, stored->count("most_features"), stored->flag("begins")});
    }
    const std::size_t generations = learners / std::max<std::size_t>(members.size(), 1);
    if (members.empty() || generations * members.size() != learners)
        throw std::invalid_argument("every generation has all families");
    return std::make_unique<FamiliesBank>(std::move(members), generations);
}

}  // namespace onlineboost
