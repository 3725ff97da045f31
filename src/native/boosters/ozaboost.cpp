#include "boosters/ozaboost.hpp"

#include <algorithm>

#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestLambda = kNegligible,
                 kLargestLambda = 1e6;  // a first example halves it from learner to learner
constexpr double kSmallestError = 1e-10;
}  // namespace

OzaBoost::OzaBoost(std::size_t learners, Options options)
    : learners_(learners), options_(options), correct_(round_up(learners)), wrong_(correct_.size()),
      votes_(correct_.size()) {}

double OzaBoost::vote(Scratch& scratch) const {
    return total_ > 0.0 ? kernels().signed_sum(scratch.h.data(), votes_.data(), learners_) / total_ : 0.0;
}

void OzaBoost::refresh() {
    total_ = kernels().adaboost_votes(correct_.data(), wrong_.data(), kSmallestError, votes_.data(), learners_);
}

void OzaBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double) {
    count_ += s;
    double lambda = 1.0;
    for (std::size_t i = 0; i < learners_; ++i) {
        const double before = scratch.h[i];
        const double after = options_.poisson
                                 ? bank.step(scratch, i, y, s, poisson(lambda, options_.seed, i, rounds))
                                 : bank.step(scratch, i, y, s * lambda < kNegligible ? 0.0 : s * lambda, 1);
        const bool says_plus = (options_.after ? after : before) > 0.0;  // 0 says -1, as in the vote
        Vector& side = says_plus == (y > 0.0) ? correct_ : wrong_;
        side[i] += s * lambda;
        const double total = options_.by_count ? count_ : correct_[i] + wrong_[i];
        lambda = std::clamp(lambda * (total / (2.0 * side[i])), kSmallestLambda, kLargestLambda);
    }
    bank.finish(scratch);
    refresh();
}

void OzaBoost::serialise(Archive& archive) {
    archive.sums("correct", correct_.data(), learners_);
    archive.sums("wrong", wrong_.data(), learners_);
    archive.sum("count", count_);
    refresh();
}

std::unique_ptr<Booster> OzaBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<OzaBoost>(learners,
                                      Options{p.flag("poisson"), p.flag("after"), p.flag("by_count"), p.whole("seed")});
}

}  // namespace onlineboost
