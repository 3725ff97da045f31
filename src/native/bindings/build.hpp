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
#include "boosters/gradient_boost.hpp"
#include "boosters/mixture.hpp"
#include "boosters/ogboost.hpp"
#include "boosters/osboost.hpp"
#include "boosters/ozaboost.hpp"
#include "boosters/single.hpp"
#include "engine/model.hpp"
#include "learners/adagrad.hpp"
#include "learners/averaged_perceptron.hpp"
#include "learners/families.hpp"
#include "learners/ftrl.hpp"
#include "learners/gaussian.hpp"
#include "learners/hoeffding_tree.hpp"
#include "learners/naive_bayes.hpp"
#include "learners/online_gradient.hpp"
#include "learners/perceptron.hpp"
#include "learners/random_fourier.hpp"
#include "learners/random_subsets.hpp"
#include "learners/regression_tree.hpp"
#include "learners/scaled.hpp"
#include "learners/typed_bayes.hpp"

namespace onlineboost {

class Parameters {
   public:
    explicit Parameters(nb::dict values) : values_(std::move(values)) {}
    template <class T>
    T get(const char* name) const {
        if (!values_.contains(name)) throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
        if constexpr (std::is_same_v<T, std::string>) {  // nanobind's own conversion does not survive a lack of memory
            const nb::object value = values_[name];
            const char* text = PyUnicode_AsUTF8(value.ptr());
            if (!text) throw nb::python_error();
            return text;
        } else {
            return nb::cast<T>(values_[name]);
        }
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

inline TreeBank::Growth build_growth(const Parameters& p) {
    return {p.get<double>("grace"),  p.get<double>("delta"), p.get<std::size_t>("bins"), p.get<double>("share"), p.get<bool>("per_tree"),
            p.get<std::size_t>("max_depth"), p.get<std::size_t>("max_leaves"), p.get<std::size_t>("max_bytes"), p.get<std::uint64_t>("seed")};
}

inline std::unique_ptr<Booster> build_booster(const Parameters& p, std::size_t learners);

inline std::unique_ptr<Bank> build_bank(const Parameters& p, std::size_t learners) {
    const auto kind = p.get<std::string>("kind");
    if (kind == "families") {
        std::vector<FamiliesBank::Member> members;
        for (const nb::handle one : p.get<nb::list>("members")) {
            const Parameters member(nb::cast<nb::dict>(one));
            const auto count = member.get<std::size_t>("learners");
            members.push_back({build_bank(Parameters(member.get<nb::dict>("bank")), count),
                               build_booster(Parameters(member.get<nb::dict>("booster")), count), member.get<std::size_t>("most_features")});
        }
        return std::make_unique<FamiliesBank>(std::move(members));
    }
    if (kind == "python") return std::make_unique<PythonBank>(p.get<nb::object>("bank"), learners, p.get<std::size_t>("features"));
    if (kind == "scaled")
        return std::make_unique<ScaledBank>(build_bank(Parameters(p.get<nb::dict>("inner")), learners),
                                            p.choice<ScaledBank::Method>("method", {"standard", "maxabs"}), p.get<double>("clip"));
    if (kind == "random_subsets") {
        std::vector<std::unique_ptr<Bank>> banks;
        for (const nb::handle inner : p.get<nb::list>("inner")) {
            const nb::tuple pair = nb::cast<nb::tuple>(inner);
            banks.push_back(build_bank(Parameters(nb::cast<nb::dict>(pair[1])), nb::cast<std::size_t>(pair[0])));
        }
        return std::make_unique<RandomSubsetsBank>(learners, std::move(banks), p.get<double>("share"), p.get<std::uint64_t>("seed"));
    }
    if (kind == "typed_bayes")
        return std::make_unique<TypedBayesBank>(learners, p.get<double>("alpha"), p.get<double>("variance_floor"),
                                                p.get<std::size_t>("most_values"));
    if (kind == "hoeffding_tree")
        return std::make_unique<HoeffdingTreeBank>(
            learners, build_growth(p),
            HoeffdingTreeBank::Options{p.choice<HoeffdingTreeBank::LeafRule>("leaf", {"majority", "naive_bayes", "adaptive"}),
                                       p.choice<Criterion>("criterion", {"gain", "gini"}),
                                       p.choice<HoeffdingTreeBank::Rule>("rule", {"hoeffding", "evidence"}), p.get<double>("tie"),
                                       p.get<double>("resample")});
    if (kind == "regression_tree")
        return std::make_unique<RegressionTreeBank>(learners, build_growth(p), RegressionTreeBank::Options{p.get<double>("lambda")});
    const Normalise normalise{p.get<bool>("intercept"), p.get<bool>("unit_norm")};
    if (kind == "perceptron")
        return std::make_unique<PerceptronBank>(learners, normalise, p.get<std::string>("init") == "random", p.get<std::uint64_t>("seed"),
                                                p.get<double>("width"));
    if (kind == "online_gradient") return std::make_unique<OnlineGradientBank>(learners, normalise);
    if (kind == "naive_bayes")
        return std::make_unique<NaiveBayesBank>(learners, normalise,
                                                p.choice<NaiveBayesBank::Kind>("features", {"auto", "bernoulli", "gaussian"}),
                                                p.get<double>("alpha"), p.get<double>("variance_floor"), p.get<bool>("paper"));
    if (kind == "random_fourier")
        return std::make_unique<RandomFourierBank>(
            build_bank(Parameters(p.get<nb::dict>("inner")), learners), normalise,
            RandomFourierBank::Options{p.get<std::size_t>("components"), p.get<double>("scale"), p.get<std::uint64_t>("seed")});
    if (kind == "averaged_perceptron")
        return std::make_unique<AveragedPerceptronBank>(
            learners, normalise, AveragedPerceptronBank::Options{p.get<bool>("rounds"), p.get<std::string>("init") == "random",
                                                                 p.get<std::uint64_t>("seed"), p.get<double>("width")});
    if (kind == "adagrad") return std::make_unique<AdaGradBank>(learners, normalise, p.get<double>("rate"));
    if (kind == "ftrl")
        return std::make_unique<FtrlBank>(
            learners, normalise, FtrlBank::Options{p.get<double>("alpha"), p.get<double>("beta"), p.get<double>("l1"), p.get<double>("l2")});
    if (kind == "gaussian")
        return std::make_unique<GaussianBank>(
            learners, normalise,
            GaussianBank::Options{p.choice<GaussianBank::Rule>("rule", {"arow", "scw1", "scw2", "ridge", "logistic"}), p.get<bool>("full"),
                                  p.get<double>("first"), p.get<double>("phi"), p.get<double>("variance"), p.get<bool>("forward")});
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
    if (kind == "mixture")
        return std::make_unique<Mixture>(learners, Mixture::Options{p.get<double>("variance"), p.get<std::uint64_t>("first_look"),
                                                                    p.get<double>("least_weight"), p.get<double>("least_share")});
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
    if (kind == "gradient_boost")
        return std::make_unique<GradientBoost>(learners, GradientBoost::Options{p.get<double>("rate"), p.get<bool>("newton")});
    throw std::invalid_argument("there is no booster '" + kind + "'");
}

}  // namespace onlineboost
