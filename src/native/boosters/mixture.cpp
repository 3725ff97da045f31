#include "boosters/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"

namespace onlineboost {

Mixture::Mixture(std::size_t families, Options options)
    : families_(families), options_(options),
      all_(families, options.lives, TrackingStack(families, options.variance, options.walk)),
      point_(options.weighing.metric), mistakes_(families + 1) {}

void Mixture::set_decision(const Decision& decision) {
    constexpr double most = EffectiveWeights::kLargestOdds;
    odds_ = decision.odds;
    costs_ = std::clamp(decision.costs, 1.0 / most, most);
    point_.set_positive(decision.positive);
}

double Mixture::vote(Scratch& scratch) const {
    const double p = forecast(scratch);
    plain(scratch) = p;
    return 2.0 * tilted(tilted(p, class_odds()), costs()) - 1.0;
}

double Mixture::class_odds() const {
    constexpr double most = EffectiveWeights::kLargestOdds;
    const Weighing& weighing = options_.weighing;
    if (!weighs()) return 1.0;
    const double odds = weighing.targets ? weights_.odds(weighing.balanced) * odds_ : odds_;
    return std::clamp(odds, 1.0 / most, most);
}

double Mixture::forecast(Scratch& scratch) const {
    double* q = probabilities(scratch);
    bool silent = false;
    for (std::size_t g = 0; g < all_.size(); ++g) {
        if (all_.is_empty(g)) continue;
        double* l = logits(scratch, g);
        for (std::size_t k = 0; k < families_; ++k) {
            const std::size_t place = g * families_ + k;
            const double h = scratch.h[place];
            const bool speaks = all_.present(place) && h <= 1.0;
            silent = silent || (all_.present(place) && !speaks);
            const double odds = (1.0 + h) / std::max(1.0 - h, 1e-300);
            l[k] = speaks ? std::clamp(math::log_fixed(std::max(odds, 1e-300)), -kLargestLogit, kLargestLogit) : 0.0;
            q[all_.expert(place)] = sigmoid(l[k]);
        }
        q[all_.stack_expert(g)] = all_.stack(g).probability(l);
    }
    const ExpertTracker& tracker = all_.tracker();
    if (!silent) return tracker.forecast(q);
    // A family that takes no more features is counted out with the next example.
    double p = 0.0, total = 0.0;
    for (std::size_t e = 0; e < all_.experts(); ++e) {
        const std::size_t g = e / (families_ + 1), place = e - g - 1;
        if (tracker.weights()[e] <= 0.0 || (e != all_.stack_expert(g) && scratch.h[place] > 1.0)) continue;
        p += tracker.weights()[e] * q[e];
        total += tracker.weights()[e];
    }
    return total > 0.0 ? p / total : 0.5;
}

void Mixture::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const double p = plain(scratch);
    point_.learn(tilted(p, class_odds()), y, s);
    if (options_.weighing.targets) s = weights_.learn(y > 0.0 ? 1 : 0, s);
    for (std::size_t i = 0; i < all_.size() * families_; ++i)
        if (all_.present(i) && scratch.h[i] > 1.0) all_.retire(bank, i);
    // As vote() left them: nothing that they follow from has changed.
    double *q = probabilities(scratch), *true_q = given(scratch);
    for (std::size_t e = 0; e < all_.experts(); ++e)
        true_q[e] = all_.tracker().alive(e) ? (y > 0.0 ? q[e] : 1.0 - q[e]) : 1.0;
    mistakes_[0] += y * vote <= 0.0 ? s : 0.0;
    for (std::size_t k = 0; k < families_; ++k) {  // a family that is silent errs
        const std::size_t place = all_.leader() * families_ + k;
        mistakes_[k + 1] += all_.present(place) && true_q[all_.expert(place)] > 0.5 ? 0.0 : s;
    }
    all_.tracker().learn(true_q, s);
    for (std::size_t g = 0; g < all_.size(); ++g)
        if (all_.learns(g)) all_.stack(g).learn(logits(scratch, g), y, s);
    all_.weigh(bank, scratch.weights.data(), s);
    bank.update(scratch, y, scratch.weights.data());
    all_.end_round(bank, rounds, y * (2.0 * p - 1.0) <= 0.0);
}

void Mixture::serialise(Archive& archive) {
    all_.serialise_experts(archive);
    counts_ = counts_ && archive.has("family_mistakes");
    if (counts_) archive.sums("family_mistakes", mistakes_.data(), mistakes_.size());
    if (options_.weighing.targets) weights_.serialise(archive, 2);
    point_.serialise(archive);
    all_.serialise_lives(archive, rounds);
}

std::unique_ptr<Booster> Mixture::build(const Parameters& p, std::size_t learners) {
    Options options{.variance = p.number("variance"), .lives = GenerationOptions::read(p)};
    if (p.has("walk")) options.walk = p.number("walk");
    options.weighing = Weighing::read(p);
    return std::make_unique<Mixture>(learners / std::max<std::size_t>(options.lives.generations, 1), options);
}

}  // namespace onlineboost
