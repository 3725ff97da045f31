// The models that the native benchmarks run: by name, "<booster>-<learner>" with the package's default parameters, or
// from a file "<name>.parameters".
#pragma once
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "boosters/adaboost_ol.hpp"
#include "boosters/bbm.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "engine/build.hpp"
#include "engine/kept_parameters.hpp"
#include "engine/model.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/online_gradient.hpp"
#include "learners/perceptron.hpp"

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

// A name, a type and a value each, up to "}": what instructions.py writes of a declared model.
inline KeptParameters::Nested read_parameters(std::istream& in) {
    auto made = std::make_shared<KeptParameters>();
    for (std::string name, type, value; in >> name && name != "}";) {
        KeptParameters::Value& to = made->values[name];
        in >> type;
        if (type == "{") {
            to = read_parameters(in);
        } else if (type == "[") {
            std::vector<std::pair<std::size_t, KeptParameters::Nested>> parts;
            while (in >> value && value == "{") {
                const auto part = read_parameters(in);
                parts.emplace_back(part->count("learners"), part);
            }
            to = std::move(parts);
        } else {
            in >> value;
            if (type == "flag") to = value == "True";
            if (type == "whole") to = std::uint64_t{std::stoull(value)};
            if (type == "number") to = std::stod(value);
            if (type == "text") to = value;
        }
    }
    return made;
}

// A file with the parameters of a bank and of a booster.
inline std::unique_ptr<Model> read_model(const std::string& path) {
    std::ifstream in(path);
    const auto whole = read_parameters(in);
    return std::make_unique<Model>(
        build_ensemble(*whole->inside("bank"), *whole->inside("booster"), whole->count("learners")));
}

inline std::unique_ptr<Model> make_model(const std::string& name, std::size_t learners, std::size_t columns) {
    if (name.ends_with(".parameters")) return read_model(name);
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos)
        throw std::invalid_argument("a model is called <booster>-<learner> or <file>.parameters, not '" + name + "'");
    return std::make_unique<Model>(
        Ensemble(make_bank(name.substr(dash + 1), learners, columns), make_booster(name.substr(0, dash), learners)));
}

}  // namespace onlineboost::benchmark
