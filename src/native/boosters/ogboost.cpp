#include "boosters/ogboost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestWeight = 1e6;
}  // namespace

OGBoost::OGBoost(std::size_t learners, Options options)
    : learners_(learners), options_(options), errors_(learners), best_(learners / options.candidates) {
    for (std::size_t m = 0; m < best_.size(); ++m) best_[m] = m * options_.candidates;
}

// -loss'(v). Written with exp(-|v|) so that nothing overflows.
double OGBoost::weight(double v) const {
    switch (options_.loss) {
        case Loss::kLogit: {
            const double e = math::exp_fixed(v > 0.0 ? -v : v);
            return v > 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
        }
        case Loss::kExp:
            return std::min(math::exp_fixed(-v), kLargestWeight);
        case Loss::kDoom2: {
            const double e = math::exp_fixed(-2.0 * (v > 0.0 ? v : -v));
            return 4.0 * e / ((1.0 + e) * (1.0 + e));
        }
        case Loss::kSavage: {
            const double e = math::exp_fixed(-2.0 * (v > 0.0 ? v : -v));
            const double d = 1.0 + e;
            return v > 0.0 ? 4.0 * (e * e) / (d * d * d) : 4.0 * e / (d * d * d);
        }
    }
    return 0.0;
}

double OGBoost::vote(Scratch& scratch) const {
    double sum = 0.0;
    for (const std::size_t i : best_) sum += scratch.h[i];
    return sum / static_cast<double>(best_.size());
}

void OGBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double) {
    double total = 0.0;
    double w = weight(0.0);
    for (std::size_t m = 0; m < best_.size(); ++m) {
        const double handed = w < options_.smallest_weight || s * w < kNegligible ? 0.0 : s * w;
        const std::size_t first = m * options_.candidates;
        double chosen = 0.0;
        for (std::size_t i = first; i < first + options_.candidates; ++i) {
            const double before = scratch.h[i];
            const double after = bank.step(scratch, i, y, handed, 1);
            const double h = options_.after ? after : before;
            errors_[i] = options_.forgetting * errors_[i] + (y * h <= 0.0 ? s * w : 0.0);
            if (i == first || errors_[i] < errors_[best_[m]]) {
                best_[m] = i;
                chosen = h;
            }
        }
        total += options_.shrinkage * chosen;
        w = weight(y * total);
    }
    bank.finish(scratch);
}

void OGBoost::serialise(Archive& archive) {
    archive.sums("errors", errors_.data(), learners_);
    for (std::size_t m = 0; m < best_.size(); ++m) {
        const double* first = errors_.data() + m * options_.candidates;
        best_[m] = static_cast<std::size_t>(std::min_element(first, first + options_.candidates) - errors_.data());
    }
}

std::unique_ptr<Booster> OGBoost::build(const Parameters& p, std::size_t learners) {
    const Options options{p.count("candidates"),  p.choice<Loss>("loss", {"logit", "exp", "doom2", "savage"}),
                          p.number("shrinkage"),  p.number("smallest_weight"),
                          p.number("forgetting"), p.flag("after")};
    return std::make_unique<OGBoost>(learners, options);
}

}  // namespace onlineboost
