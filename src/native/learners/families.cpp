#include "learners/families.hpp"

#include <algorithm>
#include <string>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestProbability = 1e-6;
}

FamiliesBank::FamiliesBank(std::vector<Member> members) : Bank(members.size()) {
    for (Member& member : members) {
        member.most_features = std::min(member.most_features, member.bank->most_features());
        families_.push_back({std::move(member), {}});
    }
}

FamiliesBank::Says FamiliesBank::says(const Family& family, double vote) {
    const auto within = [](double p) { return std::clamp(p, kSmallestProbability, 1.0 - kSmallestProbability); };
    const double plain = within(0.5 + 0.5 * vote);
    const double place = family.calibration.probability(family.calibration.place(vote));
    const double calibrated = within(family.member.booster->probability(vote, place));
    const double weight = sigmoid(std::clamp(family.losses[1] - family.losses[0], -700.0, 700.0));
    return {plain, calibrated, weight * plain + (1.0 - weight) * calibrated};
}

void FamiliesBank::score(Scratch& scratch) const {
    for (std::size_t k = 0; k < families_.size(); ++k) {
        const Member& member = families_[k].member;
        if (!member.bank) {
            scratch.h[k] = kSilent;
            continue;
        }
        Scratch& own = inner_scratch(scratch, k, *member.bank);
        own.threads = scratch.threads;
        own.row = scratch.row;
        member.bank->score(own);
        member.booster->see(own);
        own.vote = std::clamp(member.booster->vote(own), -1.0, 1.0);
        scratch.h[k] = 2.0 * says(families_[k], own.vote).p - 1.0;
    }
}

void FamiliesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    for (std::size_t k = 0; k < families_.size(); ++k)
        if (const Member& member = families_[k].member; member.bank && features_ + fresh.size() <= member.most_features)
            member.bank->make_room(*scratch.inner[k], fresh);
}

void FamiliesBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    features_ = ids.size();
    for (std::size_t k = 0; k < families_.size(); ++k) {
        const Member& member = families_[k].member;
        if (!member.bank) continue;
        if (ids.size() > member.most_features) {
            retire(k);
            continue;
        }
        Scratch& own = *scratch.inner[k];
        own.row.slots = scratch.row.slots;
        member.bank->meet(own, ids, from);
    }
}

void FamiliesBank::teach(Scratch& scratch, std::size_t k, double y, double w) {
    auto& [member, calibration, losses] = families_[k];
    if (!member.bank || !(w >= kNegligible)) return;
    Scratch& own = *scratch.inner[k];
    const Says said = says(families_[k], own.vote);
    losses[0] -= w * math::log_fixed(y > 0.0 ? said.plain : 1.0 - said.plain);
    losses[1] -= w * math::log_fixed(y > 0.0 ? said.calibrated : 1.0 - said.calibrated);
    calibration.learn(calibration.place(own.vote), own.vote, y, w);
    member.booster->learn(*member.bank, own, y, w, own.vote);
    ++member.booster->rounds;
}

void FamiliesBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t k = 0; k < families_.size(); ++k) teach(scratch, k, y, w[k]);
}

double FamiliesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    teach(scratch, i, y, w * times);
    return scratch.h[i];
}

void FamiliesBank::retire(std::size_t i) {
    families_[i].member.bank.reset();
    families_[i].member.booster.reset();
}

std::size_t FamiliesBank::most_features() const {
    std::size_t most = 0;
    for (const Family& family : families_)
        if (family.member.bank) most = std::max(most, family.member.most_features);
    return most;
}

void FamiliesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> at_work;
    for (const Family& family : families_) at_work.push_back(family.member.bank ? 1 : 0);
    archive.integers("families_at_work", at_work);
    features_ = ids.size();
    if (at_work.size() != families_.size()) throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Archive::check(at_work[k] == 0 || at_work[k] == 1, "families_at_work");
        if (at_work[k] == 0) {
            retire(k);
            continue;
        }
        auto& [member, calibration, losses] = families_[k];
        Archive::check(ids.size() <= member.most_features, "families_at_work");
        PrefixedArchive named(archive, "family" + std::to_string(k) + ".");
        named.counter("rounds", member.booster->rounds);
        calibration.serialise(named);
        named.sums("calibration_losses", losses, 2);
        member.booster->serialise(named);
        member.bank->serialise(named, ids);
    }
}

}  // namespace onlineboost
