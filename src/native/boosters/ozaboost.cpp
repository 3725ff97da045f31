#include "boosters/ozaboost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestLambda = kNegligible, kLargestLambda = 1e6;  // a first example halves it from learner to learner
constexpr double kSmallestError = 1e-10;
}  // namespace

OzaBoost::OzaBoost(std::size_t learners, Options options)
    : learners_(learners), options_(options), correct_(learners), wrong_(learners), votes_(learners) {}

double OzaBoost::vote(Scratch& scratch) const {
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) {
        sum += scratch.h[i] > 0.0 ? votes_[i] : -votes_[i];
        total += votes_[i];
    }
    return total > 0.0 ? sum / total : 0.0;
}

void OzaBoost::refresh(std::size_t i) {
    const double total = correct_[i] + wrong_[i];
    votes_[i] = 0.0;
    if (!(total > 0.0)) return;
    const double error = std::clamp(wrong_[i] / total, kSmallestError, 1.0 - kSmallestError);
    if (error < 0.5) votes_[i] = math::log_fixed((1.0 - error) / error);
}

void OzaBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double) {
    count_ += s;
    double lambda = 1.0;
    for (std::size_t i = 0; i < learners_; ++i) {
        const double before = scratch.h[i];
        const double after = options_.poisson ? bank.step(scratch, i, y, s, poisson(lambda, options_.seed, i, rounds))
                                              : bank.step(scratch, i, y, s * lambda < kNegligible ? 0.0 : s * lambda, 1);
        const bool says_plus = (options_.after ? after : before) > 0.0;  // 0 says -1, as in the vote
        Vector& side = says_plus == (y > 0.0) ? correct_ : wrong_;
        side[i] += s * lambda;
        const double total = options_.by_count ? count_ : correct_[i] + wrong_[i];
        lambda = std::clamp(lambda * (total / (2.0 * side[i])), kSmallestLambda, kLargestLambda);
        refresh(i);
    }
    bank.finish(scratch);
}

void OzaBoost::serialise(Archive& archive) {
    archive.sums("correct", correct_.data(), learners_);
    archive.sums("wrong", wrong_.data(), learners_);
    archive.sum("count", count_);
    for (std::size_t i = 0; i < learners_; ++i) refresh(i);
}

}  // namespace onlineboost
