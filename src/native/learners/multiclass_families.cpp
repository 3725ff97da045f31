#include "learners/multiclass_families.hpp"

#include <algorithm>
#include <string>

#include "boosters/multiclass_mixture.hpp"
#include "engine/build.hpp"
#include "kernels/kernels.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

struct MulticlassFamilies::Own final : Scratch {
    using Scratch::Scratch;
    // What one family made of the row: until it learns the row, nothing of it changes.
    struct Opinion {
        std::unique_ptr<Scratch> scratch;
        std::vector<double> f, plain, calibrated;
    };
    std::vector<Opinion> opinions;
};

std::unique_ptr<Scratch> MulticlassFamilies::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    for (const Family& family : families_)
        made->opinions.push_back(
            {family.member.ensemble ? family.member.ensemble->make_scratch() : nullptr, {}, {}, {}});
    return made;
}

MulticlassFamilies::MulticlassFamilies(std::vector<Member> members) : ClassBank(members.size()) {
    for (Member& member : members) {
        if (member.ensemble)
            member.most_features = std::min(member.most_features, member.ensemble->bank().most_features());
        families_.push_back({std::move(member)});
    }
}

namespace {

// None below the smallest, and all of them 1.
void keep_apart_from_zero(std::vector<double>& p) {
    double total = 0.0;
    for (double& one : p) total += one = std::max(one, MulticlassFamilies::kSmallestProbability);
    for (double& one : p) one /= total;
}

}  // namespace

void MulticlassFamilies::say(const Family& family, Scratch& scratch, std::size_t k) const {
    Own::Opinion& own = static_cast<Own&>(scratch).opinions[k];
    own.scratch->threads = scratch.threads;
    own.scratch->row = scratch.row;
    family.member.ensemble->vote(*own.scratch, own.f);
    own.plain = own.f;
    keep_apart_from_zero(own.plain);
    own.calibrated.resize(own.f.size());
    family.member.ensemble->probabilities(own.f, own.calibrated.data());
    keep_apart_from_zero(own.calibrated);
    const double weight = sigmoid(std::clamp(family.losses[1] - family.losses[0], -700.0, 700.0));
    for (std::size_t c = 0; c < classes_; ++c)
        scratch.shares[c][k] = weight * own.plain[c] + (1.0 - weight) * own.calibrated[c];
}

void MulticlassFamilies::score_classes(Scratch& scratch) const {
    scratch.clear_shares(classes_);
    for (std::size_t k = 0; k < families_.size(); ++k) {
        if (families_[k].member.ensemble)
            say(families_[k], scratch, k);
        else
            for (Vector& row : scratch.shares) row[k] = kSilent;
    }
}

void MulticlassFamilies::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Member& member = families_[k].member;
        if (!member.ensemble || features_ + fresh.size() > member.most_features) continue;
        Own::Opinion& own = static_cast<Own&>(scratch).opinions[k];
        member.ensemble->make_room(*own.scratch, fresh, scratch.label, own.f);
    }
}

void MulticlassFamilies::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    features_ = ids.size();
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Member& member = families_[k].member;
        if (!member.ensemble) continue;
        if (ids.size() > member.most_features)
            retire(k);
        else
            member.ensemble->meet(*static_cast<Own&>(scratch).opinions[k].scratch, ids, from);
    }
}

// A class that begins surprises both ways alike.
void MulticlassFamilies::update_class(Scratch& scratch, const double* w) {
    const std::size_t label = scratch.label;
    for (std::size_t k = 0; k < families_.size(); ++k) {
        auto& [member, losses] = families_[k];
        if (!member.ensemble || !(w[k] >= kNegligible)) continue;
        Own::Opinion& own = static_cast<Own&>(scratch).opinions[k];
        if (label < classes_) {
            losses[0] -= w[k] * math::log_fixed(own.plain[label]);
            losses[1] -= w[k] * math::log_fixed(own.calibrated[label]);
        }
        member.ensemble->learn(*own.scratch, own.f, w[k]);
    }
    classes_ = std::max(classes_, label + 1);
}

std::size_t MulticlassFamilies::most_features() const {
    std::size_t most = 0;
    for (const Family& family : families_)
        if (family.member.ensemble) most = std::max(most, family.member.most_features);
    return most;
}

std::string MulticlassFamilies::limit() const {
    return "the families of the mixture take at most " + std::to_string(most_features()) +
           " features, and these rows bring more: raise the limit of a family or add one without a limit";
}

template <class F>
void MulticlassFamilies::serialise_families(Archive& archive, const std::vector<FeatureId>& ids, bool adopted, F each) {
    std::vector<std::int64_t> at_work;
    for (const Family& family : families_) at_work.push_back(family.member.ensemble ? 1 : 0);
    archive.integers("families_at_work", at_work);
    features_ = ids.size();
    if (at_work.size() < families_.size() || (!adopted && at_work.size() > families_.size()))
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    // Of the generations of a mixture of two classes, the one that leads.
    const std::size_t first = adopted ? MulticlassMixture::leading_generation(archive) * families_.size() : 0;
    if (first + families_.size() > at_work.size())
        throw std::invalid_argument("state field 'families_at_work' has the wrong shape");
    for (std::size_t k = 0; k < families_.size(); ++k) {
        Archive::check(at_work[first + k] == 0 || at_work[first + k] == 1, "families_at_work");
        if (at_work[first + k] == 0) {
            retire(k);
            continue;
        }
        auto& [member, losses] = families_[k];
        if (adopted && !member.ensemble) continue;
        Archive::check(member.ensemble.has_value(), "families_at_work");
        Archive::check(ids.size() <= member.most_features, "families_at_work");
        PrefixedArchive named(archive, "family" + std::to_string(first + k) + ".");
        named.sums("calibration_losses", losses, 2);
        each(*member.ensemble, named);
    }
}

void MulticlassFamilies::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    if (archive.loading()) classes_ = classes;
    serialise_families(archive, ids, false,
                       [&](MulticlassEnsemble& one, Archive& named) { one.serialise(named, ids, classes); });
}

void MulticlassFamilies::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    classes_ = 2;
    serialise_families(archive, ids, true, [&](MulticlassEnsemble& one, Archive& named) { one.adopt(named, ids); });
}

std::unique_ptr<Bank> MulticlassFamilies::build(const Parameters& p, std::size_t) {
    std::vector<Member> members;
    for (const auto& [count, part] : p.parts("members")) {
        Member& member = members.emplace_back(std::nullopt, part->count("most_features"));
        const auto booster = part->inside("booster");
        if (boosts_classes(*booster))
            member.ensemble.emplace(build_class_ensemble(*part->inside("bank"), *booster, count));
    }
    return std::make_unique<MulticlassFamilies>(std::move(members));
}

}  // namespace onlineboost
