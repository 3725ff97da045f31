#include "boosters/ozaboost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSmallestLambda = kNegligible,
                 kLargestLambda = 1e6;  // a first example halves it from learner to learner
constexpr double kSmallestError = 1e-10;
}  // namespace

OzaBoost::OzaBoost(std::size_t learners, Options options, std::optional<DriftWatch> watch)
    : learners_(learners), options_(options), correct_(round_up(learners)), wrong_(correct_.size()),
      watch_(std::move(watch)), votes_(correct_.size()) {
    if (!options.ordered) return;
    order_.resize(learners);
    accuracy_.resize(learners);
    std::iota(order_.begin(), order_.end(), 0);
}

double OzaBoost::vote(Scratch& scratch) const {
    return total_ > 0.0 ? kernels().signed_sum(scratch.h.data(), votes_.data(), learners_) / total_ : 0.0;
}

void OzaBoost::refresh() {
    if (!options_.ordered) {
        total_ = kernels().adaboost_votes(correct_.data(), wrong_.data(), kSmallestError, votes_.data(), learners_);
        return;
    }
    total_ = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) {
        const double seen = correct_[i] + wrong_[i], error = seen > 0.0 ? wrong_[i] / seen : 1.0;
        const double kept = std::clamp(error, kSmallestError, 1.0 - kSmallestError);
        const bool votes = seen > 0.0 && error <= options_.bound;
        votes_[i] = votes ? math::log_fixed((1.0 - kept) / kept) + options_.shift : 0.0;
        total_ += std::abs(votes_[i]);
    }
}

// By insertion: the order changes little from example to example, and equals keep theirs.
void OzaBoost::sort() {
    for (std::size_t i = 0; i < learners_; ++i) {
        const double seen = correct_[i] + wrong_[i];
        accuracy_[i] = seen > 0.0 ? correct_[i] / seen : 0.0;
    }
    const auto accuracy = [this](std::int64_t i) { return accuracy_[static_cast<std::size_t>(i)]; };
    for (std::size_t k = 1; k < learners_; ++k) {
        const std::int64_t moved = order_[k];
        std::size_t at = k;
        for (; at > 0 && accuracy(order_[at - 1]) < accuracy(moved); --at) order_[at] = order_[at - 1];
        order_[at] = moved;
    }
}

void OzaBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double) {
    count_ += s;
    double lambda = 1.0;
    double* const outcomes = watch_ ? scratch.room.data() : nullptr;
    const auto teach = [&](auto watched, std::size_t i) {
        const double before = scratch.h[i];
        const double after = options_.poisson
                                 ? bank.step(scratch, i, y, s, poisson(lambda, options_.seed, i, rounds))
                                 : bank.step(scratch, i, y, s * lambda < kNegligible ? 0.0 : s * lambda, 1);
        const bool says_plus = (options_.after ? after : before) > 0.0;  // 0 says -1, as in the vote
        const bool right = says_plus == (y > 0.0);
        if constexpr (watched)
            if (outcomes) outcomes[i] = right ? 1.0 : -1.0;
        Vector& side = right ? correct_ : wrong_;
        side[i] += s * lambda;
        const double total = options_.by_count ? count_ : correct_[i] + wrong_[i];
        lambda = std::clamp(lambda * (total / (2.0 * side[i])), kSmallestLambda, kLargestLambda);
        return right;
    };
    constexpr std::true_type watched;
    if (options_.ordered) {
        sort();
        std::size_t best = 0, worst = learners_;
        for (bool right = false; best < worst;)
            right = teach(watched, static_cast<std::size_t>(order_[right ? best++ : --worst]));
    } else if (outcomes) {
        for (std::size_t i = 0; i < learners_; ++i) teach(watched, i);
    } else {
        for (std::size_t i = 0; i < learners_; ++i) teach(std::false_type{}, i);
    }
    bank.finish(scratch);
    if (watch_) watch_->learn(bank, scratch.room.data(), 1.0, 1.0, rounds);
    if (watch_ && watch_->worst()) correct_[*watch_->worst()] = wrong_[*watch_->worst()] = 0.0;
    refresh();
}

void OzaBoost::serialise(Archive& archive) {
    archive.sums("correct", correct_.data(), learners_);
    archive.sums("wrong", wrong_.data(), learners_);
    archive.sum("count", count_);
    if (options_.ordered) {
        archive.integers("order", order_);
        if (archive.loading()) {
            std::vector<bool> there(learners_, false);
            Archive::check(order_.size() == learners_, "order");
            for (const std::int64_t i : order_) {
                Archive::check(i >= 0 && i < static_cast<std::int64_t>(learners_), "order");
                Archive::check(!there[static_cast<std::size_t>(i)], "order");
                there[static_cast<std::size_t>(i)] = true;
            }
        }
    }
    if (watch_) watch_->serialise(archive);
    refresh();
}

std::unique_ptr<Booster> OzaBoost::build(const Parameters& p, std::size_t learners) {
    Options options{p.flag("poisson"), p.flag("after"), p.flag("by_count"), p.whole("seed")};
    if (p.has("error_bound")) {
        options.ordered = true;
        options.bound = p.number("error_bound");
        options.shift = p.number("weight_shift");
    }
    return std::make_unique<OzaBoost>(learners, options, DriftWatch::build(p, learners));
}

}  // namespace onlineboost
