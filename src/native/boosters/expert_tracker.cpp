#include "boosters/expert_tracker.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

namespace {
constexpr double kLeastLog = -700.0, kLn2 = 0.6931471805599453;
constexpr double kRounding = 1e-6;  // of a loaded state
}  // namespace

ExpertTracker::ExpertTracker(std::size_t experts, std::size_t alive, bool shares)
    : experts_(experts), shares_(shares), alive_(experts), losses_(experts), born_with_(experts), posterior_(experts),
      bayes_(experts), share_(experts), weights_(experts), doubt_(kLn2), born_(alive), most_(alive) {
    for (std::size_t e = 0; e < alive; ++e) {
        alive_[e] = 1.0;
        posterior_[e] = 1.0 / static_cast<double>(alive);
    }
    refresh();
}

double ExpertTracker::mean(const std::vector<double>& weights, const double* q) {
    double sum = 0.0;
    for (std::size_t e = 0; e < weights.size(); ++e)
        if (weights[e] > 0.0) sum += weights[e] * q[e];
    return sum;
}

// The experts' losses are counted from the least.
double ExpertTracker::bayes_total(double& least) const {
    least = Archive::kLargest;
    for (std::size_t e = 0; e < experts_; ++e)
        if (alive(e)) least = std::min(least, losses_[e] + born_with_[e]);
    double total = 0.0;
    for (std::size_t e = 0; e < experts_; ++e)
        if (alive(e)) total += math::exp_fixed(std::max(-(losses_[e] + born_with_[e] - least) / largest_, kLeastLog));
    return total;
}

// All weights, from the losses and from the posterior of fixed share.
void ExpertTracker::refresh() {
    double least;
    const double total = bayes_total(least);
    for (std::size_t e = 0; e < experts_; ++e)
        bayes_[e] = alive(e)
                        ? math::exp_fixed(std::max(-(losses_[e] + born_with_[e] - least) / largest_, kLeastLog)) / total
                        : 0.0;
    if (!shares_) {
        weights_ = bayes_;
        return;
    }
    const double count = static_cast<double>(std::count(alive_.begin(), alive_.end(), 1.0));
    const double rate = 1.0 / (static_cast<double>(rounds_) + 1.0);
    for (std::size_t e = 0; e < experts_; ++e) share_[e] = alive(e) ? (1.0 - rate) * posterior_[e] + rate / count : 0.0;
    const double ahead = (forecasters_[1] - forecasters_[0]) / largest_;  // ln(pi / (1 - pi))
    const double other = math::exp_fixed(std::max(-std::abs(ahead), kLeastLog));
    const double pi = (ahead >= 0.0 ? 1.0 : other) / (1.0 + other);
    doubt_ = std::max(doubt_, largest_ * (math::log_fixed(1.0 + other) + std::max(ahead, 0.0)));
    for (std::size_t e = 0; e < experts_; ++e) weights_[e] = pi * bayes_[e] + (1.0 - pi) * share_[e];
}

void ExpertTracker::learn(const double* q, double s) {
    const auto surprise = [](double p) { return -math::log_fixed(p); };
    double p = forecast(q);
    loss_ += s * surprise(p);
    weight_ += s;
    if (s > largest_) {
        // Weights to the power of old B / new B.
        const double power = largest_ / s;
        double total = 0.0;
        for (double& v : posterior_) total += v = v > 0.0 ? math::exp_fixed(power * math::log_fixed(v)) : 0.0;
        for (double& v : posterior_) v /= total;
        largest_ = s;
        refresh();
        surprises_ += s * std::max(surprise(p) - surprise(forecast(q)), 0.0);
    }
    if (shares_) {
        forecasters_[0] += s * surprise(mean(bayes_, q));
        forecasters_[1] += s * surprise(mean(share_, q));
        double total = 0.0;
        for (std::size_t e = 0; e < experts_; ++e) {
            if (!alive(e)) continue;
            posterior_[e] = share_[e] * (s == largest_ ? q[e] : math::exp_fixed(s / largest_ * math::log_fixed(q[e])));
            total += posterior_[e];
        }
        for (double& v : posterior_) v /= total;
    }
    for (std::size_t e = 0; e < experts_; ++e)
        if (alive(e)) losses_[e] += s * surprise(q[e]);
    ++rounds_;
    refresh();
}

void ExpertTracker::add(std::size_t e) {
    if (alive(e)) return;
    double least;
    const double total = bayes_total(least);
    losses_[e] = posterior_[e] = 0.0;
    born_with_[e] = least + largest_ * (math::log_fixed(static_cast<double>(born_)) - math::log_fixed(total));
    alive_[e] = 1.0;
    ++born_;
    most_ = std::max<std::uint64_t>(most_, static_cast<std::uint64_t>(std::count(alive_.begin(), alive_.end(), 1.0)));
    refresh();
}

void ExpertTracker::drop(std::size_t e) {
    const auto left = static_cast<double>(std::count(alive_.begin(), alive_.end(), 1.0)) - 1.0;
    if (!alive(e) || left < 1.0) return;
    alive_[e] = posterior_[e] = 0.0;
    double total = 0.0;
    for (const double v : posterior_) total += v;
    for (std::size_t k = 0; k < experts_; ++k)
        if (alive(k)) posterior_[k] = total > 0.0 ? posterior_[k] / total : 1.0 / left;
    refresh();
}

void ExpertTracker::serialise(Archive& archive) {
    archive.sums("expert_losses", losses_.data(), experts_);
    archive.sum("mixture_loss", loss_);
    archive.sum("example_weight", weight_);
    archive.numbers("largest_weight", &largest_, 1, 1.0, 1e15);
    if (archive.has("rate_surprises"))
        archive.number("rate_surprises", surprises_);
    else
        surprises_ =
            largest_ > 1.0 ? loss_ : 0.0;  // an older file: nothing was lost on weights of 1, and never more than all
    if (shares_) {
        archive.numbers("experts_alive", alive_.data(), experts_, 0.0, 1.0);
        archive.numbers("expert_handicaps", born_with_.data(), experts_);
        archive.numbers("share_posterior", posterior_.data(), experts_, 0.0, 1.0 + kRounding);
        archive.sums("forecaster_losses", forecasters_, 2);
        archive.sum("share_doubt", doubt_);
        archive.counter("tracked_rounds", rounds_);
        archive.counter("experts_born", born_);
        archive.counter("most_experts", most_);
    }
    if (!archive.loading()) return;
    double total = 0.0;
    for (std::size_t e = 0; e < experts_; ++e) {
        Archive::check(alive_[e] == 0.0 || alive_[e] == 1.0, "experts_alive");
        Archive::check(alive(e) || posterior_[e] == 0.0, "share_posterior");
        total += posterior_[e];
    }
    Archive::check(std::count(alive_.begin(), alive_.end(), 1.0) > 0 && born_ > 0, "experts_alive");
    Archive::check(std::abs(total - 1.0) <= kRounding, "share_posterior");
    refresh();
}

}  // namespace onlineboost
