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
    // What one family made of the row: until it learns the row, nothing of it changes.
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        double vote;
        Calibration::Place at;
        Says says;
    };
    std::vector<Opinion> opinions;
};

std::unique_ptr<Scratch> FamiliesBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    for (const Family& family : families_)
        made->opinions.push_back(
            {family.member.ensemble ? family.member.ensemble->make_scratch() : nullptr, 0.0, {}, {}});
    return made;
}

FamiliesBank::FamiliesBank(std::vector<Member> members) : Bank(members.size()) {
    for (Member& member : members) {
        member.most_features = std::min(member.most_features, member.ensemble->bank().most_features());
        families_.push_back({std::move(member)});
    }
}

FamiliesBank::Says FamiliesBank::says(const Family& family, double vote, const Calibration::Place& at) {
    const auto within = [](double p) { return std::clamp(p, kSmallestProbability, 1.0 - kSmallestProbability); };
    const double plain = within(0.5 + 0.5 * vote);
    const double calibrated = within(family.member.ensemble->probability(vote, at));
    const double weight = sigmoid(std::clamp(family.losses[1] - family.losses[0], -700.0, 700.0));
    return {plain, calibrated, weight * plain + (1.0 - weight) * calibrated};
}

void FamiliesBank::score(Scratch& scratch) const {
    for (std::size_t k = 0; k < families_.size(); ++k) {
        const Member& member = families_[k].member;
        if (!member.ensemble) {
            scratch.h[k] = kSilent;
            continue;
        }
        Own::Opinion& own = static_cast<Own&>(scratch).opinions[k];
        own.scratch->threads = scratch.threads;
        own.scratch->row = scratch.row;
        own.vote = member.ensemble->vote(*own.scratch);
        own.at = member.ensemble->place(own.vote);
        own.says = says(families_[k], own.vote, own.at);
        scratch.h[k] = 2.0 * own.says.p - 1.0;
    }
}

void FamiliesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    for (std::size_t k = 0; k < families_.size(); ++k)
        if (Member& member = families_[k].member; member.ensemble && features_ + fresh.size() <= member.most_features)
            member.ensemble->make_room(*static_cast<Own&>(scratch).opinions[k].scratch, fresh);
}

void FamiliesBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    features_ = ids.size();
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Member& member = families_[k].member;
        if (!member.ensemble) continue;
        if (ids.size() > member.most_features) {
            retire(k);
            continue;
        }
        member.ensemble->meet(*static_cast<Own&>(scratch).opinions[k].scratch, ids, from);
    }
}

void FamiliesBank::teach(Scratch& scratch, std::size_t k, double y, double w) {
    auto& [member, losses] = families_[k];
    if (!member.ensemble || !(w >= kNegligible)) return;
    const auto& [own, vote, at, said] = static_cast<Own&>(scratch).opinions[k];
    losses[0] -= w * math::log_fixed(y > 0.0 ? said.plain : 1.0 - said.plain);
    losses[1] -= w * math::log_fixed(y > 0.0 ? said.calibrated : 1.0 - said.calibrated);
    member.ensemble->learn(*own, vote, at, y, w);
}

void FamiliesBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t k = 0; k < families_.size(); ++k) teach(scratch, k, y, w[k]);
}

double FamiliesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    teach(scratch, i, y, w * times);
    return scratch.h[i];
}

void FamiliesBank::retire(std::size_t i) { families_[i].member.ensemble.reset(); }

std::size_t FamiliesBank::most_features() const {
    std::size_t most = 0;
    for (const Family& family : families_)
        if (family.member.ensemble) most = std::max(most, family.member.most_features);
    return most;
}

std::string FamiliesBank::limit() const {
    return "the families of the mixture take at most " + std::to_string(most_features()) +
           " features, and these rows bring more: raise the limit of a family or add one without a limit";
}

void FamiliesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> at_work;
    for (const Family& family : families_) at_work.push_back(family.member.ensemble ? 1 : 0);
    archive.integers("families_at_work", at_work);
    features_ = ids.size();
    if (at_work.size() != families_.size())
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Archive::check(at_work[k] == 0 || at_work[k] == 1, "families_at_work");
        if (at_work[k] == 0) {
            retire(k);
            continue;
        }
        auto& [member, losses] = families_[k];
        Archive::check(ids.size() <= member.most_features, "families_at_work");
        PrefixedArchive named(archive, "family" + std::to_string(k) + ".");
        named.sums("calibration_losses", losses, 2);
        member.ensemble->serialise(named, ids);
    }
}

std::unique_ptr<Bank> FamiliesBank::build(const Parameters& p, std::size_t) {
    std::vector<Member> members;
    for (const auto& [count, part] : p.parts("members"))
        members.push_back(
            {build_ensemble(*part->inside("bank"), *part->inside("booster"), count), part->count("most_features")});
    return std::make_unique<FamiliesBank>(std::move(members));
}

}  // namespace onlineboost
