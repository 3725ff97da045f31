// The models that the native benchmarks run, by name: "<booster>-<learner>" or "mixture", with the package's default
// parameters.
#pragma once
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "boosters/adaboost_ol.hpp"
#include "boosters/bbm.hpp"
#include "boosters/mixture.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "boosters/unboosted.hpp"
#include "boosters/window_boost.hpp"
#include "engine/model.hpp"
#include "learners/adagrad.hpp"
#include "learners/averaged_perceptron.hpp"
#include "learners/families.hpp"
#include "learners/gaussian.hpp"
#include "learners/hoeffding_tree.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/neighbours.hpp"
#include "learners/online_gradient.hpp"
#include "learners/perceptron.hpp"
#include "learners/random_fourier.hpp"
#include "learners/scaled.hpp"
#include "learners/typed_bayes.hpp"
#include "learners/window_trees.hpp"

namespace onlineboost::benchmark {

constexpr double kGamma = 0.1, kTheta = kGamma / (2.0 + kGamma);
constexpr std::uint64_t kSeed = 7;
constexpr double kAll = 1.0;  // is kept: nothing is forgotten

inline std::unique_ptr<Bank> make_bank(const std::string& kind, std::size_t learners, std::size_t columns) {
    const Normalise normalise{true, true};
    const double alpha = 1e-16, floor = 1e-9;
    if (kind == "perceptron")
        return std::make_unique<PerceptronBank>(learners, normalise, true, LaneSeeds{kSeed},
                                                static_cast<double>(columns + 1));
    if (kind == "gradient") return std::make_unique<OnlineGradientBank>(learners, normalise);
    if (kind == "bernoulli")
        return std::make_unique<NaiveBayesBank>(learners, normalise, NaiveBayesBank::Kind::kBernoulli, alpha, floor,
                                                false, kAll);
    if (kind == "gaussian")
        return std::make_unique<NaiveBayesBank>(learners, normalise, NaiveBayesBank::Kind::kGaussian, alpha, floor,
                                                false, kAll);
    throw std::invalid_argument("there is no learner '" + kind + "'");
}

inline std::unique_ptr<Booster> make_booster(const std::string& kind, std::size_t learners) {
    const OSBoost::Options options{kGamma, kTheta, 1.0, 0.0, false};
    if (kind == "uniform")
        return std::make_unique<OSBoost>(learners, options, std::make_unique<UniformVote>(learners), std::nullopt);
    if (kind == "ocp")
        return std::make_unique<OSBoost>(
            learners, options,
            std::make_unique<ConvexVote>(
                learners, ConvexVote::Options{kTheta, 1.0, false, ConvexVote::Projection::kNewton, kSeed}),
            std::nullopt);
    if (kind == "eg")
        return std::make_unique<OSBoost>(learners, options, std::make_unique<EntropicVote>(learners, kTheta),
                                         std::nullopt);
    if (kind == "experts")
        return std::make_unique<OSBoost>(
            learners, options,
            std::make_unique<ExpertVote>(learners, ExpertVote::Options{ExpertVote::Rate::kAdaHedge, 0.0, false, kSeed}),
            std::nullopt);
    if (kind == "bbm") return std::make_unique<BBM>(learners, BBM::Options{0.1, true, true});
    if (kind == "adaboost_ol")
        return std::make_unique<AdaBoostOL>(learners, AdaBoostOL::Options{false, false, kSeed},
                                            ExpertVote::Options{ExpertVote::Rate::kFixed, 1.0, false, kSeed});
    if (kind == "ozaboost")
        return std::make_unique<OzaBoost>(learners, OzaBoost::Options{true, true, false, kSeed}, std::nullopt);
    if (kind == "ogboost")
        return std::make_unique<OGBoost>(learners, OGBoost::Options{1, OGBoost::Loss::kLogit, 1.0, 0.0, 1.0, true});
    throw std::invalid_argument("there is no booster '" + kind + "'");
}

// The families of OnlineBoostClassifier().
inline std::vector<FamiliesBank::Member> default_families() {
    const Normalise normalise{true, true};
    const OSBoost::Options options{kGamma, kTheta, 1.0, 0.0, false};
    std::vector<FamiliesBank::Member> members;
    const auto once = [&](Ensemble made, std::size_t most) {
        const auto held = std::make_shared<Ensemble>(std::move(made));
        members.push_back({[held] { return std::move(*held); }, most});
    };
    const auto boosted = [&](std::unique_ptr<Bank> bank, OSBoost::Options own, std::size_t most) {
        const std::size_t learners = bank->layout.learners;
        once(Ensemble(std::move(bank),
                      std::make_unique<OSBoost>(learners, own, std::make_unique<UniformVote>(learners), std::nullopt)),
             most);
    };
    const auto alone = [&](std::unique_ptr<Bank> bank, std::size_t most) {
        once(Ensemble(std::move(bank), std::make_unique<Unboosted>()), most);
    };
    const auto scaled = [](std::unique_ptr<Bank> bank) {
        return std::make_unique<ScaledBank>(std::move(bank), ScaledBank::Method::kStandard, 5.0);
    };
    const std::size_t any = std::size_t{1} << 31, each = (std::size_t{256} << 20) / 3;
    boosted(std::make_unique<HoeffdingTreeBank>(
                10, TreeBank::Growth{50.0, 1e-10, 16, 0.7, false, any, any, each / 4, kSeed},
                HoeffdingTreeBank::Options{HoeffdingTreeBank::LeafRule::kAdaptive, Criterion::kGini,
                                           HoeffdingTreeBank::Rule::kEvidence, 0.05, 6.0}),
            {0.5, 0.5 / 2.5, 1.0, 0.0, false}, any);
    boosted(std::make_unique<TypedBayesBank>(20, 0.001, 1e-9, 10, kAll), options, 2000);
    boosted(scaled(std::make_unique<AdaGradBank>(20, normalise, 0.5, kAll)), options, any);
    alone(std::make_unique<GaussianBank>(
              1, normalise, GaussianBank::Options{GaussianBank::Rule::kArow, false, 0.1, 0.0, 1.0, false, 0.0}),
          any);
    alone(std::make_unique<GaussianBank>(
              1, normalise, GaussianBank::Options{GaussianBank::Rule::kArow, true, 0.1, 0.0, 1.0, false, 0.0}),
          400);
    alone(scaled(std::make_unique<GaussianBank>(
              1, Normalise{true, false},
              GaussianBank::Options{GaussianBank::Rule::kLogistic, true, 0.0, 0.0, 0.2, true, 0.0})),
          400);
    boosted(scaled(std::make_unique<RandomFourierBank>(
                std::make_unique<AveragedPerceptronBank>(
                    10, normalise, AveragedPerceptronBank::Options{false, true, LaneSeeds{kSeed}, 301.0}),
                normalise, RandomFourierBank::Options{300, 0.7, kSeed})),
            options, 2000);
    once(Ensemble(scaled(std::make_unique<NeighboursBank>(4, NeighboursBank::Options{15, 4000, kSeed})),
                  std::make_unique<Mixture>(4, Mixture::Options{0.1, GenerationOptions{0, 0.0, 0.0}})),
         400);
    once(Ensemble(std::make_unique<WindowTreesBank>(
                      128, WindowTreesBank::Options{200'000, each / 2, 0, 192, kSeed,
                                                    TreeGrower::Options{255, 0.1, 1.0, 1.0, 256}}),
                  std::make_unique<WindowBoost>(128)),
         400);
    return members;
}

inline std::unique_ptr<Model> make_mixture() {
    auto families = default_families();
    // One generation: what an example costs where nothing changes.
    auto mixture = std::make_unique<Mixture>(
        families.size(),
        Mixture::Options{0.1, GenerationOptions{4000, 0.001, 0.02, 1, 0.3, 4, 1000, 4000, 20'000, 0.9}, true});
    return std::make_unique<Model>(
        Ensemble(std::make_unique<FamiliesBank>(std::move(families), 1), std::move(mixture)));
}

inline std::unique_ptr<Model> make_model(const std::string& name, std::size_t learners, std::size_t columns) {
    if (name == "mixture") return make_mixture();
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos)
        throw std::invalid_argument("a model is called <booster>-<learner>, not '" + name + "'");
    return std::make_unique<Model>(
        Ensemble(make_bank(name.substr(dash + 1), learners, columns), make_booster(name.substr(0, dash), learners)));
}

}  // namespace onlineboost::benchmark
