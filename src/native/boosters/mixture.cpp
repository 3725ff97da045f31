#include "boosters/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestMean = 1e100, kGrown = 1.0 + 1e-6;  // of a loaded state
}

Mixture::Mixture(std::size_t families, Options options)
    : families_(families), options_(options), mean_(families, 1.0 / static_cast<double>(families)),
      covariance_(families * families), losses_(families + 1), squares_(families), present_(families, 1.0),
      v_(families + 1), product_(families) {
    for (std::size_t k = 0; k < families; ++k) covariance_[k * families + k] = options.variance;
}

// Fills the families' logits and the experts' probabilities; gives the stack's score.
double Mixture::look(const double* h, double* logits, double* q) const {
    double z = 0.0;
    for (std::size_t k = 0; k < families_; ++k) {
        const double odds = (1.0 + h[k]) / std::max(1.0 - h[k], 1e-300);
        logits[k] =
            speaks(h, k) ? std::clamp(math::log_fixed(std::max(odds, 1e-300)), -kLargestLogit, kLargestLogit) : 0.0;
        q[k + 1] = sigmoid(logits[k]);
        z += mean_[k] * logits[k];
    }
    q[0] = sigmoid(std::clamp(z, -kLargestLogit, kLargestLogit));
    return z;
}

// The experts' weights, which sum to 1.
void Mixture::weigh(const double* h, double* v) const {
    double least = losses_[0];
    for (std::size_t k = 0; k < families_; ++k)
        if (speaks(h, k)) least = std::min(least, losses_[k + 1]);
    double total = 0.0;
    for (std::size_t e = 0; e <= families_; ++e) {
        const bool in = e == 0 || speaks(h, e - 1);
        v[e] = in ? math::exp_fixed(std::max(-(losses_[e] - least) / largest_, -700.0)) : 0.0;
        total += v[e];
    }
    for (std::size_t e = 0; e <= families_; ++e) v[e] /= total;
}

double Mixture::vote(Scratch& scratch) const {
    double *logits = scratch.room.data(), *q = logits + families_ + 1, *v = q + families_ + 1;
    scratch.room.back() = look(scratch.h.data(), logits, q);
    weigh(scratch.h.data(), v);
    double p = 0.0;
    for (std::size_t e = 0; e <= families_; ++e) p += v[e] * q[e];
    return 2.0 * p - 1.0;
}

void Mixture::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const auto surprise = [y](double p) { return -math::log_fixed(y > 0.0 ? p : 1.0 - p); };
    // As vote() left them: nothing that they follow from has changed.
    const double *logits = scratch.room.data(), *q = logits + families_ + 1, z = scratch.room.back();
    loss_ += s * surprise(0.5 + 0.5 * vote);
    weight_ += s;
    if (s > largest_) {
        largest_ = s;
        weigh(scratch.h.data(), v_.data());
        double p = 0.0;
        for (std::size_t e = 0; e <= families_; ++e) p += v_[e] * q[e];
        surprises_ += s * (surprise(0.5 + 0.5 * vote) - surprise(p));
    }
    losses_[0] += s * surprise(q[0]);
    for (std::size_t k = 0; k < families_; ++k) {
        if (!speaks(scratch.h.data(), k)) continue;
        losses_[k + 1] += s * surprise(q[k + 1]);
        squares_[k] += s * logits[k] * logits[k];
    }
    stack(logits, z, y, s);
    for (std::size_t k = 0; k < families_; ++k) {
        if (present_[k] > 0.0 && !speaks(scratch.h.data(), k))
            part_with(bank, k);  // it has met more features than it takes
        scratch.weights[k] = present_[k] > 0.0 ? s : 0.0;
    }
    bank.update(scratch, y, scratch.weights.data());
    const std::uint64_t t = rounds + 1, first = options_.first_look;
    if (first == 0 || t < first || t % first != 0 || ((t / first) & (t / first - 1)) != 0) return;
    weigh(scratch.h.data(), v_.data());
    double all = 0.0;
    for (std::size_t k = 0; k < families_; ++k) all += present_[k] * std::abs(mean_[k]) * std::sqrt(squares_[k]);
    for (std::size_t k = 0; k < families_; ++k) {
        const double share = std::abs(mean_[k]) * std::sqrt(squares_[k]);
        const bool alone = std::count(present_.begin(), present_.end(), 1.0) < 2;
        if (!alone && present_[k] > 0.0 && v_[k + 1] < options_.least_weight && share < options_.least_share * all)
            part_with(bank, k);
    }
}

void Mixture::stack(const double* logits, double z, double y, double s) {
    const std::size_t n = families_;
    double spread = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) sum += covariance_[k * n + j] * logits[j];
        product_[k] = sum;
        spread += logits[k] * sum;
    }
    const auto [e, gain] = implicit_step(z, sigmoid(z), std::max(spread, 0.0), y > 0.0 ? 1.0 : 0.0, s);
    for (std::size_t k = 0; k < n; ++k) {
        mean_[k] += product_[k] * e;
        for (std::size_t j = 0; j < n; ++j) covariance_[k * n + j] -= gain * (product_[k] * product_[j]);
    }
}

void Mixture::part_with(Bank& bank, std::size_t k) {
    bank.retire(k);
    present_[k] = mean_[k] = 0.0;
    for (std::size_t j = 0; j < families_; ++j) covariance_[k * families_ + j] = covariance_[j * families_ + k] = 0.0;
}

// Whether the covariance, with a little added to its diagonal, has a Cholesky factor.
bool Mixture::is_covariance() const {
    const std::size_t n = families_;
    std::vector<double> factor(n * n);
    for (std::size_t f = 0; f < n; ++f)
        for (std::size_t g = 0; g <= f; ++g) {
            double rest = covariance_[f * n + g] + (f == g ? 1e-9 * options_.variance : 0.0);
            if (covariance_[f * n + g] != covariance_[g * n + f]) return false;
            for (std::size_t k = 0; k < g; ++k) rest -= factor[f * n + k] * factor[g * n + k];
            if (f == g && !(rest > 0.0)) return false;
            factor[f * n + g] = f == g ? std::sqrt(rest) : rest / factor[g * n + g];
        }
    return true;
}

void Mixture::serialise(Archive& archive) {
    const std::size_t n = families_;
    archive.numbers("stack_mean", mean_.data(), n, -kLargestMean, kLargestMean);
    archive.numbers("stack_covariance", covariance_.data(), n * n, -kGrown * options_.variance,
                    kGrown * options_.variance);
    archive.sums("expert_losses", losses_.data(), n + 1);
    archive.sums("logit_squares", squares_.data(), n);
    archive.numbers("families_present", present_.data(), n, 0.0, 1.0);
    archive.sum("mixture_loss", loss_);
    archive.sum("example_weight", weight_);
    archive.numbers("largest_weight", &largest_, 1, 1.0, 1e15);
    if (archive.has("rate_surprises"))
        archive.number("rate_surprises", surprises_);
    else
        surprises_ =
            largest_ > 1.0 ? loss_ : 0.0;  // an older file: nothing was lost on weights of 1, and never more than all
    if (!archive.loading()) return;
    for (const double present : present_) Archive::check(present == 0.0 || present == 1.0, "families_present");
    Archive::check(is_covariance(), "stack_covariance");
}

std::unique_ptr<Booster> Mixture::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<Mixture>(learners, Options{p.number("variance"), p.whole("first_look"),
                                                       p.number("least_weight"), p.number("least_share")});
}

}  // namespace onlineboost
