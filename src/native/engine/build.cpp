#include "engine/build.hpp"

#include <stdexcept>
#include <string>

#include "boosters/ada_olmr.hpp"
#include "boosters/adaboost_ol.hpp"
#include "boosters/adaboost_olm.hpp"
#include "boosters/bbm.hpp"
#include "boosters/binary_relevance.hpp"
#include "boosters/defensive.hpp"
#include "boosters/gradient_boost.hpp"
#include "boosters/iboost.hpp"
#include "boosters/mbbm.hpp"
#include "boosters/mixture.hpp"
#include "boosters/multiclass_mixture.hpp"
#include "boosters/multiclass_osboost.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/one_vs_rest.hpp"
#include "boosters/online_bmr.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "boosters/unboosted.hpp"
#include "boosters/softmax_boost.hpp"
#include "boosters/window_boost.hpp"
#include "learners/adagrad.hpp"
#include "learners/averaged_perceptron.hpp"
#include "learners/background.hpp"
#include "learners/class_tree_bank.hpp"
#include "learners/clock_gradient.hpp"
#include "learners/families.hpp"
#include "learners/ftrl.hpp"
#include "learners/gaussian.hpp"
#include "learners/hoeffding_tree.hpp"
#include "learners/last_label.hpp"
#include "learners/multiclass_families.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/neighbours.hpp"
#include "learners/online_gradient.hpp"
#include "learners/passive_aggressive.hpp"
#include "learners/per_class.hpp"
#include "learners/perceptron.hpp"
#include "learners/random_fourier.hpp"
#include "learners/random_subsets.hpp"
#include "learners/regression_tree.hpp"
#include "learners/repeats.hpp"
#include "learners/scaled.hpp"
#include "learners/typed_bayes.hpp"
#include "learners/window_members.hpp"
#include "learners/window_trees.hpp"

namespace onlineboost {

namespace {

template <class T>
struct Kind {
    const char* name;
    std::unique_ptr<T> (*build)(const Parameters& p, std::size_t learners);
};

constexpr Kind<Bank> kBanks[] = {
    {"adagrad", &AdaGradBank::build},
    {"averaged_perceptron", &AveragedPerceptronBank::build},
    {"background", &BackgroundBank::build},
    {"families", &FamiliesBank::build},
    {"ftrl", &FtrlBank::build},
    {"gaussian", &GaussianBank::build},
    {"hoeffding_tree", &HoeffdingTreeBank::build},
    {"last_label", &LastLabelBank::build},
    {"naive_bayes", &NaiveBayesBank::build},
    {"neighbours", &NeighboursBank::build},
    {"online_gradient", &OnlineGradientBank::build},
    {"online_gradient_clock", &ClockGradientBank::build},
    {"passive_aggressive", &PassiveAggressiveBank::build},
    {"perceptron", &PerceptronBank::build},
    {"random_fourier", &RandomFourierBank::build},
    {"random_subsets", &RandomSubsetsBank::build},
    {"regression_tree", &RegressionTreeBank::build},
    {"repeats", &RepeatsBank::build},
    {"scaled", &ScaledBank::build},
    {"typed_bayes", &TypedBayesBank::build},
    {"window_members", &WindowMembersBank::build},
    {"window_trees", &WindowTreesBank::build},
};

constexpr Kind<Booster> kBoosters[] = {
    {"adaboost_ol", &AdaBoostOL::build},
    {"bbm", &BBM::build},
    {"defensive", &Defensive::build},
    {"gradient_boost", &GradientBoost::build},
    {"iboost", &IBoost::build},
    {"mixture", &Mixture::build},
    {"ogboost", &OGBoost::build},
    {"osboost", &OSBoost::build},
    {"ozaboost", &OzaBoost::build},
    {"single", &Unboosted::build},
    {"window_boost", &WindowBoost::build},
    {"window_softmax", &WindowBoost::build},
};

constexpr Kind<ClassBooster> kClassBoosters[] = {
    {"adaboost_olm", &AdaBoostOLM::build},
    {"mbbm", &MBBM::build},
    {"one_vs_rest", &OneVsRest::build},
    {"softmax", &SoftmaxBoost::build},
};

constexpr Kind<LabelBooster> kLabelBoosters[] = {
    {"ada_olmr", &AdaOLMR::build},
    {"binary_relevance", &BinaryRelevance::build},
    {"online_bmr", &OnlineBMR::build},
};

// Those that know many classes themselves, and wrappers around others.
constexpr Kind<Bank> kClassBanks[] = {
    {"background", &BackgroundBank::build},
    {"families", &MulticlassFamilies::build},
    {"hoeffding_tree", &ClassTreeBank::build},
    {"neighbours", &NeighboursBank::build},
    {"random_fourier", &RandomFourierBank::build},
    {"random_subsets", &RandomSubsetsBank::build},
    {"repeats", &RepeatsBank::build},
    {"scaled", &ScaledBank::build},
    {"window_trees", &WindowTreesBank::build},
};

constexpr Kind<MulticlassBooster> kMulticlassBoosters[] = {
    {"mixture", &MulticlassMixture::build},
    {"osboost", &MulticlassOSBoost::build},
    {"single", &MulticlassUnboosted::build},
    {"window_softmax", &MulticlassUnboosted::build},
};

template <class T, std::size_t N>
std::unique_ptr<T> build(const Kind<T> (&kinds)[N], const char* what, const Parameters& p, std::size_t learners) {
    const std::string name = p.kind();
    for (const Kind<T>& kind : kinds)
        if (name == kind.name) return kind.build(p, learners);
    throw std::invalid_argument(std::string("there is no ") + what + " '" + name + "'");
}

}  // namespace

std::unique_ptr<Bank> build_bank(const Parameters& p, std::size_t learners) {
    if (auto foreign = p.foreign_bank(learners)) return foreign;
    return build(kBanks, "native bank", p, learners);
}

std::unique_ptr<Bank> build_class_bank(const Parameters& p, std::size_t learners) {
    const std::string name = p.kind();
    const bool binary = p.has("reexamine") && p.number("reexamine") > 0.0;  // trees that re-examine splits
    for (const Kind<Bank>& kind : kClassBanks)
        if (name == kind.name && !binary) return kind.build(p, learners);
    return std::make_unique<PerClassBank>(learners, dynamic_cast<const StoredParameters&>(p));
}

std::unique_ptr<Bank> build_inner(const Parameters& p, const Parameters& inner, std::size_t learners) {
    return p.many_classes() ? build_class_bank(inner, learners) : build_bank(inner, learners);
}

bool boosts_classes(const Parameters& booster) {
    const std::string name = booster.kind();
    for (const Kind<MulticlassBooster>& kind : kMulticlassBoosters)
        if (name == kind.name) return true;
    return false;
}

MulticlassEnsemble build_class_ensemble(const Parameters& bank, const Parameters& booster, std::size_t learners) {
    const bool intercept = !booster.has("intercept_calibration") || booster.flag("intercept_calibration");
    auto made = build_class_bank(bank, learners);
    const std::size_t own = made->layout.learners;  // of window trees, one
    return {std::move(made), build(kMulticlassBoosters, "booster of many classes", booster, own), intercept};
}

std::unique_ptr<Booster> build_booster(const Parameters& p, std::size_t learners) {
    return build(kBoosters, "booster", p, learners);
}

std::unique_ptr<ClassBooster> build_class_booster(const Parameters& p, std::size_t learners) {
    return build(kClassBoosters, "booster of many classes", p, learners);
}

std::unique_ptr<LabelBooster> build_label_booster(const Parameters& p, std::size_t learners) {
    return build(kLabelBoosters, "booster of label sets", p, learners);
}

Ensemble build_ensemble(const Parameters& bank, const Parameters& booster, std::size_t learners) {
    const bool intercept = !booster.has("intercept_calibration") || booster.flag("intercept_calibration");
    return {build_bank(bank, learners), build_booster(booster, learners), intercept};
}

}  // namespace onlineboost
