#include "boosters/logit_stack.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestMean = 1e100, kGrown = 1.0 + 1e-6;  // of a loaded state
}

LogitStack::LogitStack(std::size_t families, double variance)
    : variance_(variance), mean_(families), covariance_(families * families), squares_(families), product_(families) {
    reset();
}

void LogitStack::reset() {
    const std::size_t n = size();
    std::fill(mean_.begin(), mean_.end(), 1.0 / static_cast<double>(n));
    std::fill(covariance_.begin(), covariance_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) covariance_[k * n + k] = variance_;
}

double LogitStack::score(const double* logits) const {
    double z = 0.0;
    for (std::size_t k = 0; k < size(); ++k) z += mean_[k] * logits[k];
    return z;
}

void LogitStack::learn(const double* logits, double z, double y, double s) {
    const std::size_t n = size();
    double spread = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j < n; ++j) sum += covariance_[k * n + j] * logits[j];
        product_[k] = sum;
        spread += logits[k] * sum;
        squares_[k] += s * logits[k] * logits[k];
    }
    const auto [e, gain] = implicit_step(z, sigmoid(z), std::max(spread, 0.0), y > 0.0 ? 1.0 : 0.0, s, true);
    for (std::size_t k = 0; k < n; ++k) {
        mean_[k] += product_[k] * e;
        for (std::size_t j = 0; j < n; ++j) covariance_[k * n + j] -= gain * (product_[k] * product_[j]);
    }
}

void LogitStack::widen(double by) {
    for (std::size_t k = 0; k < size(); ++k) {
        double& own = covariance_[k * size() + k];
        if (own > 0.0) own = std::max(own, std::min(own + by, variance_));
    }
}

void LogitStack::drop(std::size_t k) {
    mean_[k] = 0.0;
    for (std::size_t j = 0; j < size(); ++j) covariance_[k * size() + j] = covariance_[j * size() + k] = 0.0;
}

double LogitStack::pull(std::size_t k) const { return std::abs(mean_[k]) * std::sqrt(squares_[k]); }

double LogitStack::saves(std::size_t k) const {
    const double own = covariance_[k * size() + k];
    return own > 0.0 ? 0.5 * mean_[k] * mean_[k] / own : 0.0;
}

// Whether the covariance, with a little added to its diagonal, has a Cholesky factor.
bool LogitStack::is_covariance() const {
    const std::size_t n = size();
    std::vector<double> factor(n * n);
    for (std::size_t f = 0; f < n; ++f)
        for (std::size_t g = 0; g <= f; ++g) {
            double rest = covariance_[f * n + g] + (f == g ? 1e-9 * variance_ : 0.0);
            if (covariance_[f * n + g] != covariance_[g * n + f]) return false;
            for (std::size_t k = 0; k < g; ++k) rest -= factor[f * n + k] * factor[g * n + k];
            if (f == g && !(rest > 0.0)) return false;
            factor[f * n + g] = f == g ? std::sqrt(rest) : rest / factor[g * n + g];
        }
    return true;
}

void LogitStack::serialise(Archive& archive, std::vector<LogitStack*> stacks) {
    const auto field = [&](const char* name, std::vector<double> LogitStack::* member, double low, double high) {
        std::vector<double> all;
        for (const LogitStack* stack : stacks) all.insert(all.end(), (stack->*member).begin(), (stack->*member).end());
        archive.numbers(name, all.data(), all.size(), low, high);
        auto from = all.begin();
        for (LogitStack* stack : stacks)
            for (double& value : stack->*member) value = *from++;
    };
    const double largest = kGrown * stacks[0]->variance_;
    field("stack_mean", &LogitStack::mean_, -kLargestMean, kLargestMean);
    field("stack_covariance", &LogitStack::covariance_, -largest, largest);
    field("logit_squares", &LogitStack::squares_, 0.0, Archive::kLargest);
    if (!archive.loading()) return;
    for (const LogitStack* stack : stacks) Archive::check(stack->is_covariance(), "stack_covariance");
}

}  // namespace onlineboost
