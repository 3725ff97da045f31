#include "learners/families.hpp"

#include <algorithm>
#include <string>

#include "engine/build.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

void FamiliesBank::hear(const Places::Place& place, const Ensemble& ensemble, Opinion& opinion) {
    opinion.vote = ensemble.vote(*opinion.scratch);
    opinion.at = ensemble.place(opinion.vote);
    opinion.says = {opinion.vote, ensemble.probability(opinion.vote, opinion.at), place.losses};
}

void FamiliesBank::score(Scratch& scratch) const {
    std::fill_n(scratch.h.begin(), places_.size(), kSilent);
    places_.each_at_work(scratch, [&](std::size_t i) {
        Opinion& own = places_.opinion(scratch, i);
        hear(places_[i], *places_[i].ensemble, own);
        scratch.h[i] = 2.0 * own.says.p - 1.0;
    });
}

void FamiliesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    places_.make_room(scratch, fresh, hear,
                      [](std::size_t, Ensemble& ensemble, Opinion& opinion, std::span<const FeatureId> ids) {
                          ensemble.make_room(*opinion.scratch, ids);
                      });
}

void FamiliesBank::teach(Scratch& scratch, std::size_t i, double y, double w) {
    auto& [ensemble, losses, awaited, rests] = places_[i];
    if (!ensemble) return;
    const auto& [own, vote, at, said] = Places::opinions(scratch)[i];
    if (!(w >= kNegligible)) {
        if (!ensemble->bank().follows_labels()) return;
        std::fill(own->weights.begin(), own->weights.end(), 0.0);
        return ensemble->bank().update(*own, y, own->weights.data());
    }
    said.learn(losses, y, w);
    ensemble->learn(*own, vote, at, y, w);
}

void FamiliesBank::update(Scratch& scratch, double y, const double* w) {
    places_.each_at_work(scratch, [&](std::size_t i) { teach(scratch, i, y, w[i]); });
}

double FamiliesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    teach(scratch, i, y, w * times);
    return scratch.h[i];
}

void FamiliesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> codes = places_.codes(), resting;
    for (std::int64_t& code : codes) {
        resting.push_back(code == 3 ? 1 : 0);
        if (code == 3) code = 1;
    }
    archive.integers("families_at_work", codes);
    if (places_.generations() > 1 && archive.has("families_resting")) {  // not in older files
        archive.integers("families_resting", resting);
        Archive::check(resting.size() == places_.size(), "families_resting");
    }
    for (std::size_t i = 0; i < std::min(codes.size(), resting.size()); ++i) {
        Archive::check(codes[i] <= 2, "families_at_work");
        if (codes[i] == 1 && resting[i] != 0) codes[i] = 3;
    }
    places_.serialise(archive, ids, codes,
                      [&](std::size_t i, Archive& named) { places_[i].ensemble->serialise(named, ids); });
}

std::unique_ptr<Bank> FamiliesBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<FamiliesBank>(
        Places::build(p, learners, [](std::shared_ptr<const Parameters> stored, std::size_t count) {
            return
                [stored, count] { return build_ensemble(*stored->inside("bank"), *stored->inside("booster"), count); };
        }));
}

}  // namespace onlineboost
