#include "learners/random_subsets.hpp"

#include <string>

#include "engine/build.hpp"
#include "engine/random.hpp"

namespace onlineboost {

struct RandomSubsetsBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<std::unique_ptr<InnerScratch>> groups;
    std::vector<Vector> curvatures;  // weights of the targets, per group
    static std::vector<std::unique_ptr<InnerScratch>>& of(Scratch& scratch) {
        return static_cast<Own&>(scratch).groups;
    }
};

std::unique_ptr<Scratch> RandomSubsetsBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    for (const Group& group : groups_) {
        made->groups.push_back(std::make_unique<InnerScratch>(*group.bank));
        made->curvatures.emplace_back(made->groups.back()->scratch->h.size());
    }
    return made;
}

RandomSubsetsBank::RandomSubsetsBank(std::size_t learners, std::vector<std::unique_ptr<Bank>> banks, double share,
                                     std::uint64_t seed)
    : Bank(learners), size_(banks.at(0)->layout.learners), share_(share), seed_(seed) {
    std::size_t first = 0;
    for (auto& bank : banks) {
        const std::size_t count = bank->layout.learners;
        groups_.push_back({std::move(bank), first, {}, {}, {}});
        first += count;
    }
}

bool RandomSubsetsBank::sees(std::size_t group, FeatureId id) const {
    return uniform(hash64(seed_, Purpose::kSubset, group, id)) < share_;
}

void RandomSubsetsBank::admit(std::size_t g, FeatureId id) {
    Group& group = groups_[g];
    const bool in = sees(g, id);
    group.inside.push_back(in ? static_cast<std::int32_t>(group.ids.size()) : Features::kUnseen);
    if (in) group.ids.push_back(id);
}

InnerScratch& RandomSubsetsBank::hand_on(Scratch& scratch, std::size_t g) const {
    const Row& row = *scratch.row;
    const Group& group = groups_[g];
    InnerScratch& own = *Own::of(scratch)[g];
    own.scratch->threads = scratch.threads;
    own.row.clear();
    own.row.slots.clear();
    auto gap = row.gaps.begin();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const std::int32_t slot = row.slots[k];
        const bool missing = gap != row.gaps.end() && *gap == k;
        gap += missing ? 1 : 0;
        const bool known = slot != Features::kUnseen;
        const std::int32_t inside = known ? group.inside[static_cast<std::size_t>(slot)] : Features::kUnseen;
        if (known ? inside == Features::kUnseen : !sees(g, row.ids[k])) continue;
        if (missing) own.row.gaps.push_back(static_cast<std::uint32_t>(own.row.size()));
        own.row.push(row.ids[k], row.raw[k]);
        own.row.slots.push_back(inside);
    }
    return own;
}

void RandomSubsetsBank::score(Scratch& scratch) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        InnerScratch& own = hand_on(scratch, g);
        group.bank->score(*own.scratch);
        std::copy_n(own.scratch->h.begin(), group.bank->layout.learners,
                    scratch.h.begin() + static_cast<std::ptrdiff_t>(group.first));
    }
}

void RandomSubsetsBank::score_classes(Scratch& scratch) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        const std::vector<Vector>& inside = hand_on(scratch, g).scratch->shares;
        group.bank->score_classes(*Own::of(scratch)[g]->scratch);
        if (g == 0) scratch.clear_shares(inside.size());
        for (std::size_t k = 0; k < inside.size(); ++k)
            std::copy_n(inside[k].begin(), group.bank->layout.learners,
                        scratch.shares[k].begin() + static_cast<std::ptrdiff_t>(group.first));
    }
}

void RandomSubsetsBank::expect(Scratch& scratch, std::size_t label) {
    scratch.label = label;
    for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].bank->expect(*Own::of(scratch)[g]->scratch, label);
}

void RandomSubsetsBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Group& group = groups_[g];
        group.coming.clear();
        onlineboost::make_room(group.coming, fresh.size());
        for (const FeatureId id : fresh)
            if (sees(g, id)) group.coming.push_back(id);
        onlineboost::make_room(group.inside, group.inside.size() + fresh.size());
        onlineboost::make_room(group.ids, group.ids.size() + group.coming.size());
        group.bank->make_room(*Own::of(scratch)[g]->scratch, group.coming);
    }
}

void RandomSubsetsBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Group& group = groups_[g];
        InnerScratch& own = *Own::of(scratch)[g];
        const std::size_t before = group.ids.size();
        for (std::size_t slot = from; slot < ids.size(); ++slot) admit(g, ids[slot]);
        std::size_t inside =
            before;  // new features stand in the row in the order of their slots; some may have left it on the way
        for (std::size_t k = 0; k < own.row.size(); ++k) {
            if (own.row.slots[k] != Features::kUnseen) continue;
            while (group.ids[inside] != own.row.ids[k]) ++inside;
            own.row.slots[k] = static_cast<std::int32_t>(inside);
        }
        own.scratch->rests = scratch.rests;
        group.bank->meet(*own.scratch, group.ids, before);
    }
}

// The weights of a group's learners; their padding stays 0.
Scratch& RandomSubsetsBank::weigh(Scratch& scratch, std::size_t g, const double* w) const {
    Scratch& own = *Own::of(scratch)[g]->scratch;
    std::copy_n(w + groups_[g].first, groups_[g].bank->layout.learners, own.weights.begin());
    return own;
}

void RandomSubsetsBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Scratch& own = weigh(scratch, g, w);
        groups_[g].bank->update(own, y, own.weights.data());
    }
}

void RandomSubsetsBank::update_class(Scratch& scratch, const double* w) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Scratch& own = weigh(scratch, g, w);
        groups_[g].bank->update_class(own, own.weights.data());
    }
}

void RandomSubsetsBank::regress(Scratch& scratch, double y, const double* pull, const double* w) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Scratch& own = weigh(scratch, g, pull);
        Vector& curvatures = static_cast<Own&>(scratch).curvatures[g];
        std::copy_n(w + groups_[g].first, groups_[g].bank->layout.learners, curvatures.begin());
        groups_[g].bank->regress(own, y, own.weights.data(), curvatures.data());
    }
}

double RandomSubsetsBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    const std::size_t g = i / size_;
    return groups_[g].bank->step(*Own::of(scratch)[g]->scratch, i - groups_[g].first, y, w, times);
}

void RandomSubsetsBank::finish(Scratch& scratch) {
    for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].bank->finish(*Own::of(scratch)[g]->scratch);
}

template <class F>
void RandomSubsetsBank::serialise_groups(Archive& archive, const std::vector<FeatureId>& ids, F inner) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (archive.loading())
            for (const FeatureId id : ids) admit(g, id);
        PrefixedArchive named(archive, "subset" + std::to_string(g) + ".");
        inner(*groups_[g].bank, named, groups_[g].ids);
    }
}

void RandomSubsetsBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise_groups(archive, ids, [](Bank& bank, Archive& named, const std::vector<FeatureId>& inside) {
        bank.serialise(named, inside);
    });
}

void RandomSubsetsBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    serialise_groups(archive, ids, [classes](Bank& bank, Archive& named, const std::vector<FeatureId>& inside) {
        bank.serialise_classes(named, inside, classes);
    });
}

void RandomSubsetsBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise_groups(archive, ids, [](Bank& bank, Archive& named, const std::vector<FeatureId>& inside) {
        bank.adopt(named, inside);
    });
}

std::unique_ptr<Bank> RandomSubsetsBank::build(const Parameters& p, std::size_t learners) {
    std::vector<std::unique_ptr<Bank>> banks;
    for (const auto& [count, part] : p.parts("inner")) banks.push_back(build_inner(p, *part, count));
    return std::make_unique<RandomSubsetsBank>(learners, std::move(banks), p.number("share"), p.whole("seed"));
}

}  // namespace onlineboost
