#include "boosters/softmax_stack.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

namespace {

constexpr double kLargestClassMean = 1e100, kLargestPrecision = 1e200;
constexpr int kMostSteps = 20;
constexpr double kTolerance = 1e-12;  // of the objective

// Solves A x = b for a positive definite A of n x n, which is overwritten; b becomes x. False if it is not definite.
bool solve(std::vector<double>& a, std::vector<double>& b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0.0)) return false;
            a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
        }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return true;
}

}  // namespace

SoftmaxStack::SoftmaxStack(std::size_t families, double variance)
    : variance_(variance), mean_(families), precision_(families * families), squares_(families), at_(families),
      gradient_(families), step_(families), hessian_(families * families), average_(families),
      covariance_(families * families) {
    reset();
}

void SoftmaxStack::reset() {
    const std::size_t n = mean_.size();
    std::fill(mean_.begin(), mean_.end(), 1.0 / static_cast<double>(n));
    std::fill(precision_.begin(), precision_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    for (std::size_t f = 0; f < n; ++f) precision_[f * n + f] = 1.0 / variance_;
}

double SoftmaxStack::pull(std::size_t f) const { return std::abs(mean_[f]) * std::sqrt(squares_[f]); }

double SoftmaxStack::saves(std::size_t f) const {
    std::vector<double> copy = precision_, column(mean_.size(), 0.0);
    column[f] = 1.0;
    return solve(copy, column, mean_.size()) ? 0.5 * mean_[f] * mean_[f] / column[f] : 0.0;
}

void SoftmaxStack::score(const double* logs, std::size_t classes, const double* m, double* p) const {
    const std::size_t n = mean_.size();
    double most = -1e300, total = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
        double z = 0.0;
        for (std::size_t f = 0; f < n; ++f) z += m[f] * logs[k * n + f];
        p[k] = z;
        most = std::max(most, z);
    }
    for (std::size_t k = 0; k < classes; ++k) total += p[k] = math::exp_fixed(std::max(p[k] - most, -700.0));
    for (std::size_t k = 0; k < classes; ++k) p[k] /= total;
}

// Mean and covariance of the logs under p.
void SoftmaxStack::spread(const double* logs, const double* p, std::size_t classes) {
    const std::size_t n = mean_.size();
    std::fill(average_.begin(), average_.end(), 0.0);
    std::fill(covariance_.begin(), covariance_.end(), 0.0);
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t f = 0; f < n; ++f) average_[f] += p[k] * logs[k * n + f];
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t f = 0; f < n; ++f) {
            const double off = p[k] * (logs[k * n + f] - average_[f]);
            for (std::size_t g = 0; g <= f; ++g) covariance_[f * n + g] += off * (logs[k * n + g] - average_[g]);
        }
    for (std::size_t f = 0; f < n; ++f)
        for (std::size_t g = 0; g < f; ++g) covariance_[g * n + f] = covariance_[f * n + g];
}

void SoftmaxStack::learn(const double* logs, std::size_t classes, std::size_t label, double s, double* p) {
    const std::size_t n = mean_.size();
    at_ = mean_;
    for (int round = 0; round < kMostSteps; ++round) {
        score(logs, classes, at_.data(), p);
        spread(logs, p, classes);
        for (std::size_t f = 0; f < n; ++f) {
            double pull = 0.0;
            for (std::size_t g = 0; g < n; ++g) {
                pull += precision_[f * n + g] * (at_[g] - mean_[g]);
                hessian_[f * n + g] = precision_[f * n + g] + s * covariance_[f * n + g];
            }
            step_[f] = gradient_[f] = pull - s * (logs[label * n + f] - average_[f]);
        }
        if (!solve(hessian_, step_, n)) break;
        double decrement = 0.0;
        for (std::size_t f = 0; f < n; ++f) decrement += gradient_[f] * step_[f];
        if (!(decrement > kTolerance)) break;
        const double length = decrement > 0.25 ? 1.0 / (1.0 + std::sqrt(decrement)) : 1.0;
        for (std::size_t f = 0; f < n; ++f) at_[f] -= length * step_[f];
    }
    score(logs, classes, at_.data(), p);
    spread(logs, p, classes);
    mean_ = at_;
    for (std::size_t k = 0; k < n * n; ++k) precision_[k] += s * covariance_[k];
    for (std::size_t f = 0; f < n; ++f) squares_[f] += s * covariance_[f * n + f];
}

void SoftmaxStack::forget(double rate) {
    const std::size_t n = mean_.size();
    for (double& one : precision_) one *= 1.0 - rate;
    for (std::size_t f = 0; f < n; ++f) precision_[f * n + f] += rate / variance_;
}

bool SoftmaxStack::is_precision() const {
    const std::size_t n = mean_.size();
    for (std::size_t f = 0; f < n; ++f)
        for (std::size_t g = 0; g < f; ++g)
            if (precision_[f * n + g] != precision_[g * n + f]) return false;
    std::vector<double> copy = precision_, none(n, 0.0);
    return solve(copy, none, n);
}

void SoftmaxStack::serialise(Archive& archive, std::vector<SoftmaxStack*> stacks) {
    const auto field = [&](const char* name, std::vector<double> SoftmaxStack::* member, double low, double high) {
        std::vector<double> all;
        for (const SoftmaxStack* stack : stacks)
            all.insert(all.end(), (stack->*member).begin(), (stack->*member).end());
        archive.numbers(name, all.data(), all.size(), low, high);
        auto from = all.begin();
        for (SoftmaxStack* stack : stacks)
            for (double& value : stack->*member) value = *from++;
    };
    field("stack_mean", &SoftmaxStack::mean_, -kLargestClassMean, kLargestClassMean);
    field("logit_squares", &SoftmaxStack::squares_, 0.0, Archive::kLargest);
    if (archive.loading() && archive.has("stack_covariance")) return adopt(archive, stacks);
    field("stack_precision", &SoftmaxStack::precision_, -kLargestPrecision, kLargestPrecision);
    if (!archive.loading()) return;
    for (const SoftmaxStack* stack : stacks) Archive::check(stack->is_precision(), "stack_precision");
}

// The coefficients of LogitStack multiply logits and these logs, which of two classes is the same.
void SoftmaxStack::adopt(Archive& archive, const std::vector<SoftmaxStack*>& stacks) {
    const std::size_t size = stacks[0]->precision_.size();
    const double largest = 2.0 * stacks[0]->variance_;
    std::vector<double> all(stacks.size() * size);
    archive.numbers("stack_covariance", all.data(), all.size(), -largest, largest);
    for (std::size_t g = 0; g < stacks.size(); ++g) stacks[g]->invert(all.data() + g * size);
}

// Families without variance have retired, and are marginalised.
void SoftmaxStack::invert(const double* covariance) {
    const std::size_t n = mean_.size();
    std::vector<std::size_t> left;
    for (std::size_t f = 0; f < n; ++f)
        if (covariance[f * n + f] > 0.0) left.push_back(f);
    const std::size_t m = left.size();
    std::vector<double> block(m * m), inverse(m * m);
    for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t k = 0; k < m; ++k)
                block[i * m + k] = covariance[left[i] * n + left[k]] + (i == k ? 1e-9 * variance_ : 0.0);
        std::vector<double> column(m, 0.0);
        column[j] = 1.0;
        Archive::check(solve(block, column, m), "stack_covariance");
        std::copy(column.begin(), column.end(), inverse.begin() + static_cast<std::ptrdiff_t>(j * m));
    }
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < m; ++k)
            precision_[left[i] * n + left[k]] = 0.5 * (inverse[i * m + k] + inverse[k * m + i]);
}

}  // namespace onlineboost
