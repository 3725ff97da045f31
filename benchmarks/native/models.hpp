// The models that the native benchmarks run, by name: "<booster>-<learner>", with the package's default parameters.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "boosters/adaboost_ol.hpp"
#include "boosters/bbm.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "engine/model.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/online_gradient.hpp"
#include "learners/perceptron.hpp"

namespace onlineboost::benchmark {

constexpr double kGamma = 0.1, kTheta = kGamma / (2.0 + kGamma);
constexpr std::uint64_t kSeed = 7;

inline std::unique_ptr<Bank> make_bank(const std::string& kind, std::size_t learners, std::size_t columns) {
    const Normalise normalise{true, true};
    const double alpha = 1e-16, floor = 1e-9;
    if (kind == "perceptron")
        return std::make_unique<PerceptronBank>(learners, normalise, true, kSeed, static_cast<double>(columns + 1));
    if (kind == "gradient") return std::make_unique<OnlineGradientBank>(learners, normalise);
    if (kind == "bernoulli") return std::make_unique<NaiveBayesBank>(learners, normalise, NaiveBayesBank::Kind::kBernoulli, alpha, floor, false);
    if (kind == "gaussian") return std::make_unique<NaiveBayesBank>(learners, normalise, NaiveBayesBank::Kind::kGaussian, alpha, floor, false);
    throw std::invalid_argument("there is no learner '" + kind + "'");
}

inline std::unique_ptr<Booster> make_booster(const std::string& kind, std::size_t learners) {
    const OSBoost::Options options{kGamma, kTheta, 1.0, 0.0};
    if (kind == "uniform") return std::make_unique<OSBoost>(learners, options, std::make_unique<UniformVote>(learners));
    if (kind == "ocp")
        return std::make_unique<OSBoost>(learners, options,
                                         std::make_unique<ConvexVote>(learners, ConvexVote::Options{kTheta, 1.0, false, ConvexVote::Projection::kNewton, kSeed}));
    if (kind == "eg") return std::make_unique<OSBoost>(learners, options, std::make_unique<EntropicVote>(learners, kTheta));
    if (kind == "experts")
        return std::make_unique<OSBoost>(
            learners, options, std::make_unique<ExpertVote>(learners, ExpertVote::Options{ExpertVote::Rate::kAdaHedge, 0.0, false, kSeed}));
    if (kind == "bbm") return std::make_unique<BBM>(learners, BBM::Options{0.1, true, true});
    if (kind == "adaboost_ol")
        return std::make_unique<AdaBoostOL>(learners, AdaBoostOL::Options{false, false, kSeed},
                                            ExpertVote::Options{ExpertVote::Rate::kFixed, 1.0, false, kSeed});
    if (kind == "ozaboost") return std::make_unique<OzaBoost>(learners, OzaBoost::Options{true, true, false, kSeed});
    if (kind == "ogboost")
        return std::make_unique<OGBoost>(learners, OGBoost::Options{1, OGBoost::Loss::kLogit, 1.0, 0.0, 1.0, true});
    throw std::invalid_argument("there is no booster '" + kind + "'");
}

inline std::unique_ptr<Model> make_model(const std::string& name, std::size_t learners, std::size_t columns) {
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) throw std::invalid_argument("a model is called <booster>-<learner>, not '" + name + "'");
    return std::make_unique<Model>(Ensemble(make_bank(name.substr(dash + 1), learners, columns), make_booster(name.substr(0, dash), learners)));
}

}  // namespace onlineboost::benchmark
