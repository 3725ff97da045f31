// From the parameter dictionaries of the Python side to a model. The Python side has validated ranges and names.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "bindings/python_bank.hpp"
#include "boosters/adaboost_ol.hpp"
#include "boosters/bbm.hpp"
#include "boosters/defensive.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "boosters/single.hpp"
#include "engine/model.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/online_gradient.hpp"
#include "learners/perceptron.hpp"

namespace onlineboost {

class Parameters {
   public:
    explicit Parameters(nb::dict values) : values_(std::move(values)) {}
    template <class T>
    T get(const char* name) const {
        if (!values_.contains(name)) throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
        return nb::cast<T>(values_[name]);
    }
    // The position of a named choice.
    template <class Enum>
    Enum choice(const char* name, std::initializer_list<const char*> names) const {
        const auto value = get<std::string>(name);
        int k = 0;
        for (const char* candidate : names) {
            if (value == candidate) return static_cast<Enum>(k);
            ++k;
        }
        throw std::invalid_argument(std::string("parameter '") + name + "' cannot be '" + value + "'");
    }

   private:
    nb::dict values_;
};

inline std::unique_ptr<Bank> build_bank(const Parameters& p, std::size_t learners) {
    const auto kind = p.get<std::string>("kind");
    if (kind == "python") return std::make_unique<PythonBank>(p.get<nb::object>("bank"), learners, p.get<std::size_t>("features"));
    const Normalise normalise{p.get<bool>("intercept"), p.get<bool>("unit_norm")};
    if (kind == "perceptron")
        return std::make_unique<PerceptronBank>(learners, normalise, p.get<std::string>("init") == "random", p.get<std::uint64_t>("seed"),
                                                p.get<double>("width"));
    if (kind == "online_gradient") return std::make_unique<OnlineGradientBank>(learners, normalise);
    if (kind == "naive_bayes")
        return std::make_unique<NaiveBayesBank>(learners, normalise,
                                                p.choice<NaiveBayesBank::Kind>("features", {"auto", "bernoulli", "gaussian"}),
                                                p.get<double>("alpha"), p.get<double>("variance_floor"), p.get<bool>("paper"));
    throw std::invalid_argument("there is no native bank '" + kind + "'");
}

inline ExpertVote::Options expert_options(const Parameters& p) {
    return {p.choice<ExpertVote::Rate>("expert_rate", {"fixed", "anytime", "adahedge"}), p.get<double>("expert_eta"), p.get<bool>("sample"),
            p.get<std::uint64_t>("seed")};
}

inline std::unique_ptr<Vote> build_vote(const Parameters& p, std::size_t learners, double theta) {
    const auto kind = p.get<std::string>("vote");
    const auto seed = p.get<std::uint64_t>("seed");
    if (kind == "uniform") return std::make_unique<UniformVote>(learners);
    if (kind == "ocp")
        return std::make_unique<ConvexVote>(learners,
                                            ConvexVote::Options{theta, p.get<double>("eta0"), p.get<std::string>("schedule") == "adaptive",
                                                                p.choice<ConvexVote::Projection>("projection", {"newton", "sort", "pivot"}), seed});
    if (kind == "eg") return std::make_unique<EntropicVote>(learners, theta);
    if (kind == "experts")
        return std::make_unique<ExpertVote>(learners, expert_options(p));
    throw std::invalid_argument("there is no vote '" + kind + "'");
}

inline std::unique_ptr<Booster> build_booster(const Parameters& p, std::size_t learners) {
    const auto kind = p.get<std::string>("kind");
    if (kind == "single") return std::make_unique<Single>();
    if (kind == "defensive") return std::make_unique<Defensive>();
    if (kind == "osboost") {
        const auto theta = p.get<double>("theta");
        const OSBoost::Options options{p.get<double>("gamma"), theta, p.get<double>("margin_scale"), p.get<double>("keep")};
        return std::make_unique<OSBoost>(learners, options, build_vote(p, learners, theta));
    }
    if (kind == "ozaboost")
        return std::make_unique<OzaBoost>(learners, OzaBoost::Options{p.get<bool>("poisson"), p.get<bool>("after"),
                                                                      p.get<bool>("by_count"), p.get<std::uint64_t>("seed")});
    if (kind == "ogboost")
        return std::make_unique<OGBoost>(
            learners, OGBoost::Options{p.get<std::size_t>("candidates"), p.choice<OGBoost::Loss>("loss", {"logit", "exp", "doom2", "savage"}),
                                       p.get<double>("shrinkage"), p.get<double>("smallest_weight"), p.get<double>("forgetting"), p.get<bool>("after")});
    if (kind == "bbm") return std::make_unique<BBM>(learners, BBM::Options{p.get<double>("edge"), p.get<bool>("relative"), p.get<bool>("sign")});
    if (kind == "adaboost_ol")
        return std::make_unique<AdaBoostOL>(
            learners, AdaBoostOL::Options{p.get<bool>("sample_examples"), p.get<bool>("sign"), p.get<std::uint64_t>("seed")}, expert_options(p));
    throw std::invalid_argument("there is no booster '" + kind + "'");
}

}  // namespace onlineboost
