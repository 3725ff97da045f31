#include "boosters/one_vs_rest.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "learners/wrapper.hpp"

namespace onlineboost {

void OneVsRest::add(std::unique_ptr<Booster> booster) {
    if (!booster) throw std::invalid_argument("one against the rest needs a booster for each class");
    classes_.push_back({std::move(booster), {}});
}

double OneVsRest::hear(Scratch& scratch, std::size_t k) const {
    classes_[k].booster->see(scratch);
    return std::clamp(classes_[k].booster->vote(scratch), -1.0, 1.0);
}

void OneVsRest::decide(const Scratches& heard, const double* margins, double* decisions, double* probabilities) const {
    for (std::size_t k = 0; k < heard.size(); ++k) {
        const auto& [booster, calibration] = classes_[k];
        decisions[k] = margins[k];
        probabilities[k] = booster->probability(margins[k], calibration.probability(calibration.place(margins[k])));
    }
    normalise(probabilities, heard.size());
}

void OneVsRest::learn(std::vector<ClassBank>& classes, const Scratches& heard, const double* margins, std::size_t label, double s) {
    for (std::size_t k = 0; k < heard.size(); ++k) {
        const double y = k == label ? 1.0 : -1.0;
        auto& [booster, calibration] = classes_[k];
        calibration.learn(calibration.place(margins[k]), margins[k], y, s);
        booster->learn(*classes[k].bank, *heard[k], y, s, margins[k]);
        ++booster->rounds;
    }
}

void OneVsRest::serialise(Archive& archive) {
    for (std::size_t k = 0; k < classes_.size(); ++k) {
        PrefixedArchive named(archive, "class" + std::to_string(k) + ".");
        named.counter("rounds", classes_[k].booster->rounds);
        classes_[k].calibration.serialise(named);
        classes_[k].booster->serialise(named);
    }
}

}  // namespace onlineboost
