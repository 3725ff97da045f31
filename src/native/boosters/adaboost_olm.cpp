#include "boosters/adaboost_olm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {

constexpr double kSmallShare = 1e-6;  // of the experts' weights: one with less has no say in the probabilities

// The chance that class l beats class r by the sums s.
double beats(const std::vector<double>& s, std::size_t l, std::size_t r) {
    return 1.0 / (1.0 + math::exp_fixed(s[r] - s[l]));
}

}  // namespace

AdaBoostOLM::AdaBoostOLM(std::size_t learners)
    : Plurality(learners), alpha_(learners), loss_(round_up(learners), std::numeric_limits<double>::infinity()),
      shares_(loss_.size()) {
    std::fill_n(loss_.begin(), learners, 0.0);
    refresh();
}

void AdaBoostOLM::refresh() {
    total_ = kernels().expert_weights(loss_.data(), 1.0, kernels().least(loss_.data(), learners_), shares_.data(),
                                      learners_);
}

void AdaBoostOLM::decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double*, double* decisions,
                         double* probabilities) const {
    const std::size_t classes = heard.size();
    const auto labels = said(heard);
    std::vector<double> s(classes, 0.0), odds(classes);
    std::fill_n(decisions, classes, 0.0);
    std::fill_n(probabilities, classes, 0.0);
    for (std::size_t i = 0; i < learners_; ++i) {
        s[labels[i]] += alpha_[i];
        const std::size_t first = leader(s);
        decisions[first] += shares_[i];
        if (shares_[i] < kSmallShare * total_) continue;
        double sum = 0.0;
        for (std::size_t k = 0; k < classes; ++k) sum += odds[k] = math::exp_fixed(s[k] - s[first]);
        for (std::size_t k = 0; k < classes; ++k) probabilities[k] += shares_[i] * (odds[k] / sum);
    }
    for (std::size_t k = 0; k < classes; ++k) decisions[k] /= total_;
    normalise(probabilities, classes);
}

void AdaBoostOLM::make_room(const Scratches& heard, std::size_t) {
    say(heard, labels_);
    sums_.assign(heard.size(), 0.0);
    cost_.assign(heard.size(), 0.5);
}

// cost_[l] = 1 / (1 + exp(s_y - s_l)), and 0 for the true class
void AdaBoostOLM::learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double*, std::size_t label,
                        double s) {
    const std::size_t count = heard.size();
    if (count == 1) {  // no other class to be told from: the weight of an example of which nothing is known
        for (std::size_t i = 0; i < learners_; ++i) set_weight(i, 0.5 * s);
        return teach(classes, heard, label);
    }
    const auto others = static_cast<double>(count - 1);
    const double eta = 2.0 * std::sqrt(2.0) / (others * std::sqrt(static_cast<double>(rounds + 1)));
    cost_[label] = 0.0;
    const auto total = [this] {
        double sum = 0.0;
        for (const double c : cost_) sum += c;
        return sum;
    };
    double sum = total();
    for (std::size_t i = 0; i < learners_; ++i) {
        set_weight(i, s * (sum / others));
        const std::size_t l = labels_[i];
        sums_[l] += alpha_[i];
        for (std::size_t k = 0; k < count; ++k)
            if (k != label && (l == label || k == l)) cost_[k] = beats(sums_, k, label);
        sum = total();
        const double slope = l == label ? -sum : cost_[l];  // of the loss sum_l log(1 + exp(s_l - s_y)) in alpha_i
        alpha_[i] = std::clamp(alpha_[i] - eta * s * slope, -kBound, kBound);
        if (leader(sums_) != label) loss_[i] += s;
    }
    refresh();
    teach(classes, heard, label);
}

void AdaBoostOLM::serialise(Archive& archive) {
    archive.numbers("alpha", alpha_.data(), learners_, -kBound, kBound);
    archive.sums("expert_losses", loss_.data(), learners_);
    if (archive.loading()) refresh();
}

std::unique_ptr<ClassBooster> AdaBoostOLM::build(const Parameters&, std::size_t learners) {
    return std::make_unique<AdaBoostOLM>(learners);
}

}  // namespace onlineboost
