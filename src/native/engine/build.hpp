// From parameters to what they describe. Each learner and each booster has a build() of its own; the tables that list
// them are in build.cpp.
#pragma once
#include <memory>

#include "boosters/class_booster.hpp"
#include "boosters/label_booster.hpp"
#include "engine/ensemble.hpp"
#include "engine/multiclass_ensemble.hpp"
#include "engine/parameters.hpp"

namespace onlineboost {

std::unique_ptr<Bank> build_bank(const Parameters& p, std::size_t learners);
std::unique_ptr<Booster> build_booster(const Parameters& p, std::size_t learners);
std::unique_ptr<ClassBooster> build_class_booster(const Parameters& p, std::size_t learners);
std::unique_ptr<LabelBooster> build_label_booster(const Parameters& p, std::size_t learners);
// A bank of many classes (see Bank::score_classes).
std::unique_ptr<Bank> build_class_bank(const Parameters& p, std::size_t learners);
// The bank inside one that has parameters p: of many classes where that one is.
std::unique_ptr<Bank> build_inner(const Parameters& p, const Parameters& inner, std::size_t learners);
// Whether there is a booster of many classes for these parameters.
bool boosts_classes(const Parameters& booster);
MulticlassEnsemble build_class_ensemble(const Parameters& bank, const Parameters& booster, std::size_t learners);
// The booster's parameters may say `intercept_calibration`, which is true where they do not.
Ensemble build_ensemble(const Parameters& bank, const Parameters& booster, std::size_t learners);

}  // namespace onlineboost
