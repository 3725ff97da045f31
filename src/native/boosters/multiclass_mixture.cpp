#include "boosters/multiclass_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"
#include "learners/multiclass_families.hpp"

namespace onlineboost {

namespace {

constexpr double kLargestMean = 1e100, kLargestPrecision = 1e200;
constexpr double kSmallest = MulticlassFamilies::kSmallestProbability;
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

MulticlassMixture::MulticlassMixture(std::size_t families, Options options)
    : families_(families), options_(options), mean_(families, 1.0 / static_cast<double>(families)),
      precision_(families * families), squares_(families), present_(families, 1.0), before_(families + 1),
      tracker_(families + 1, families + 1, options.generations > 0), at_(families), gradient_(families),
      step_(families), hessian_(families * families), average_(families), covariance_(families * families) {
    for (std::size_t f = 0; f < families; ++f) precision_[f * families + f] = 1.0 / options.variance;
}

MulticlassMixture::View MulticlassMixture::view(Scratch& scratch, std::size_t classes) const {
    scratch.room.resize(families_ * classes + 2 * classes + families_ + 1);
    double* logs = scratch.room.data();
    return {logs, logs + families_ * classes, logs + families_ * classes + 2 * classes};
}

void MulticlassMixture::stack(const double* logs, std::size_t classes, const double* m, double* p) const {
    double most = -1e300, total = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
        double z = 0.0;
        for (std::size_t f = 0; f < families_; ++f) z += m[f] * logs[k * families_ + f];
        p[k] = z;
        most = std::max(most, z);
    }
    for (std::size_t k = 0; k < classes; ++k) total += p[k] = math::exp_fixed(std::max(p[k] - most, -700.0));
    for (std::size_t k = 0; k < classes; ++k) p[k] /= total;
}

void MulticlassMixture::vote(Scratch& scratch, double* f) const {
    const std::size_t classes = scratch.shares.size();
    const View own = view(scratch, classes);
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t e = 0; e < families_; ++e)
            own.logs[k * families_ + e] = speaks(scratch, e) ? math::log_fixed(scratch.shares[k][e]) : 0.0;
    stack(own.logs, classes, mean_.data(), own.stack);
    double total = 0.0, heard = tracker_.weights()[0];
    for (std::size_t k = 0; k < classes; ++k) total += own.stack[k] = std::max(own.stack[k], kSmallest);
    for (std::size_t e = 0; e < families_; ++e)
        if (speaks(scratch, e)) heard += tracker_.weights()[e + 1];
    for (std::size_t k = 0; k < classes; ++k) {
        own.stack[k] /= total;
        double sum = tracker_.weights()[0] * own.stack[k];
        for (std::size_t e = 0; e < families_; ++e)
            if (speaks(scratch, e)) sum += tracker_.weights()[e + 1] * scratch.shares[k][e];
        f[k] = std::min(sum / heard, 1.0);
    }
}

void MulticlassMixture::learn(Bank& bank, Scratch& scratch, const double* f, double s) {
    const std::size_t label = scratch.label, classes = scratch.shares.size();
    const bool fresh = f[label] <= 0.0;
    for (std::size_t e = 0; e < families_; ++e)
        if (present_[e] > 0.0 && scratch.shares[0][e] > 1.0) retire(bank, e);
    if (fresh) {
        std::fill(before_.begin(), before_.end(), kSmallest);
        tracker_.learn(before_.data(), s);
    } else {
        const View own = view(scratch, classes);
        own.q[0] = own.stack[label];
        for (std::size_t e = 0; e < families_; ++e) own.q[e + 1] = present_[e] > 0.0 ? scratch.shares[label][e] : 1.0;
        tracker_.learn(own.q, s);
        move(own, classes, label, s);
    }
    std::fill_n(scratch.weights.begin(), families_, s);
    bank.update_class(scratch, scratch.weights.data());
    look(bank);
}

// Mean and covariance of the logs under p.
void MulticlassMixture::spread(const double* logs, const double* p, std::size_t classes, double* mean,
                               double* covariance) const {
    std::fill_n(mean, families_, 0.0);
    std::fill_n(covariance, families_ * families_, 0.0);
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t f = 0; f < families_; ++f) mean[f] += p[k] * logs[k * families_ + f];
    for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t f = 0; f < families_; ++f) {
            const double off = p[k] * (logs[k * families_ + f] - mean[f]);
            for (std::size_t g = 0; g <= f; ++g)
                covariance[f * families_ + g] += off * (logs[k * families_ + g] - mean[g]);
        }
    for (std::size_t f = 0; f < families_; ++f)
        for (std::size_t g = 0; g < f; ++g) covariance[g * families_ + f] = covariance[f * families_ + g];
}

void MulticlassMixture::move(const View& own, std::size_t classes, std::size_t label, double s) {
    const std::size_t n = families_;
    double* p = own.stack + classes;
    at_ = mean_;
    for (int round = 0; round < kMostSteps; ++round) {
        stack(own.logs, classes, at_.data(), p);
        spread(own.logs, p, classes, average_.data(), covariance_.data());
        for (std::size_t f = 0; f < n; ++f) {
            double pull = 0.0;
            for (std::size_t g = 0; g < n; ++g) {
                pull += precision_[f * n + g] * (at_[g] - mean_[g]);
                hessian_[f * n + g] = precision_[f * n + g] + s * covariance_[f * n + g];
            }
            step_[f] = gradient_[f] = pull - s * (own.logs[label * n + f] - average_[f]);
        }
        if (!solve(hessian_, step_, n)) break;
        double decrement = 0.0;
        for (std::size_t f = 0; f < n; ++f) decrement += gradient_[f] * step_[f];
        if (!(decrement > kTolerance)) break;
        const double length = decrement > 0.25 ? 1.0 / (1.0 + std::sqrt(decrement)) : 1.0;
        for (std::size_t f = 0; f < n; ++f) at_[f] -= length * step_[f];
    }
    stack(own.logs, classes, at_.data(), p);
    spread(own.logs, p, classes, average_.data(), covariance_.data());
    mean_ = at_;
    for (std::size_t k = 0; k < n * n; ++k) precision_[k] += s * covariance_[k];
    for (std::size_t f = 0; f < n; ++f) squares_[f] += s * covariance_[f * n + f];
}

// At counts of examples that double: a family that carries little in both ways retires.
void MulticlassMixture::look(Bank& bank) {
    const std::uint64_t count = rounds + 1;
    if (options_.first_look == 0 || count % options_.first_look != 0) return;
    const std::uint64_t looks = count / options_.first_look;
    if ((looks & (looks - 1)) != 0) return;
    std::copy(tracker_.weights().begin(), tracker_.weights().end(), before_.begin());  // before the first retires
    double all = 0.0;
    for (std::size_t f = 0; f < families_; ++f) all += present_[f] * std::abs(mean_[f]) * std::sqrt(squares_[f]);
    for (std::size_t f = 0; f < families_; ++f) {
        const double share = std::abs(mean_[f]) * std::sqrt(squares_[f]);
        if (!(present_[f] > 0.0) || std::count(present_.begin(), present_.end(), 1.0) < 2) continue;
        if (before_[f + 1] < options_.least_weight && share < options_.least_share * all) retire(bank, f);
    }
}

void MulticlassMixture::retire(Bank& bank, std::size_t f) {
    bank.retire(f);
    present_[f] = mean_[f] = 0.0;
    tracker_.drop(f + 1);
}

void MulticlassMixture::serialise(Archive& archive) {
    const std::size_t n = families_;
    archive.numbers("stack_mean", mean_.data(), n, -kLargestMean, kLargestMean);
    archive.numbers("stack_precision", precision_.data(), n * n, -kLargestPrecision, kLargestPrecision);
    archive.sums("logit_squares", squares_.data(), n);
    archive.numbers("families_present", present_.data(), n, 0.0, 1.0);
    tracker_.serialise(archive);
    if (options_.generations > 0) {
        std::vector<std::int64_t> lives{0, 1, static_cast<std::int64_t>(born_), 0};
        double weights[] = {0.0, started_};
        archive.integers("generations", lives);
        archive.sums("generation_weights", weights, 2);
        archive.integers("events", events_);
        Archive::check(lives.size() == 4 && lives[0] == 0 && lives[1] == 1 && lives[2] >= 0 && lives[3] == 0 &&
                           static_cast<std::uint64_t>(lives[2]) <= rounds,
                       "generations");
        check_events();
        born_ = static_cast<std::uint64_t>(lives[2]);
        started_ = weights[1];
    }
    if (!archive.loading()) return;
    for (std::size_t f = 0; f < n; ++f) {
        Archive::check(present_[f] == 0.0 || present_[f] == 1.0, "families_present");
        if (options_.generations == 0 && present_[f] == 0.0) tracker_.drop(f + 1);
        Archive::check(tracker_.alive(f + 1) == (present_[f] > 0.0), "experts_alive");
        for (std::size_t g = 0; g < f; ++g)
            Archive::check(precision_[f * n + g] == precision_[g * n + f], "stack_precision");
    }
    Archive::check(tracker_.alive(0), "experts_alive");
    std::vector<double> copy = precision_, none(n, 0.0);
    Archive::check(solve(copy, none, n), "stack_precision");
}

void MulticlassMixture::check_events() const {
    Archive::check(events_.size() % 3 == 0 && events_.size() <= 3 * 128, "events");
    for (std::size_t i = 0; i < events_.size(); i += 3)
        Archive::check(events_[i] >= 0 && events_[i + 1] >= 0 && events_[i + 1] <= 3 && events_[i + 2] >= 0 &&
                           events_[i + 2] < static_cast<std::int64_t>(families_),
                       "events");
}

std::size_t MulticlassMixture::leading_generation(Archive& archive) {
    if (!archive.has("generations")) return 0;
    std::vector<std::int64_t> lives;
    archive.integers("generations", lives);
    Archive::check(!lives.empty() && lives[0] >= 0 && lives[0] < static_cast<std::int64_t>(lives.size()),
                   "generations");
    return static_cast<std::size_t>(lives[0]);
}

// The stack's coefficients multiply logits there and logs here, which of two classes is the same. Families that do not
// go on are marginalised.
void MulticlassMixture::adopt(Archive& archive) {
    const std::size_t n = families_, generations = std::max<std::size_t>(options_.generations, 1);
    const std::size_t at = leading_generation(archive);
    Archive::check(at < generations, "generations");
    std::vector<double> mean(generations * n), covariance(mean.size() * n), squares(mean.size()), present(mean.size());
    archive.numbers("stack_mean", mean.data(), mean.size(), -kLargestMean, kLargestMean);
    archive.numbers("stack_covariance", covariance.data(), covariance.size(), -options_.variance * 2.0,
                    options_.variance * 2.0);
    archive.sums("logit_squares", squares.data(), squares.size());
    archive.numbers("families_present", present.data(), present.size(), 0.0, 1.0);
    tracker_ = ExpertTracker(generations * (n + 1), n + 1, options_.generations > 0);
    tracker_.serialise(archive);
    tracker_.keep(at * (n + 1), n + 1);
    if (options_.generations > 0) {
        std::vector<std::int64_t> lives;
        std::vector<double> weights(generations + 1);
        archive.integers("generations", lives);
        archive.sums("generation_weights", weights.data(), weights.size());
        archive.integers("events", events_);
        check_events();
        Archive::check(lives.size() == 3 * generations + 1 && lives[3 * at + 2] >= 0, "generations");
        born_ = static_cast<std::uint64_t>(lives[3 * at + 2]);
        started_ = weights[at + 1];
    }
    std::vector<std::size_t> left;
    for (std::size_t f = 0; f < n; ++f) {
        present_[f] = present[at * n + f];
        mean_[f] = present_[f] > 0.0 ? mean[at * n + f] : 0.0;
        squares_[f] = squares[at * n + f];
        if (present_[f] > 0.0)
            left.push_back(f);
        else
            tracker_.drop(f + 1);
    }
    const std::size_t m = left.size();
    std::vector<double> block(m * m), inverse(m * m);
    for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t k = 0; k < m; ++k)
                block[i * m + k] =
                    covariance[(at * n + left[i]) * n + left[k]] + (i == k ? 1e-9 * options_.variance : 0.0);
        std::vector<double> column(m, 0.0);
        column[j] = 1.0;
        Archive::check(solve(block, column, m), "stack_covariance");
        std::copy(column.begin(), column.end(), inverse.begin() + static_cast<std::ptrdiff_t>(j * m));
    }
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t k = 0; k < m; ++k)
            precision_[left[i] * n + left[k]] = 0.5 * (inverse[i * m + k] + inverse[k * m + i]);
}

std::unique_ptr<MulticlassBooster> MulticlassMixture::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<MulticlassMixture>(
        learners, Options{p.number("variance"), p.whole("first_look"), p.number("least_weight"),
                          p.number("least_share"), p.has("generations") ? p.count("generations") : 0});
}

}  // namespace onlineboost
