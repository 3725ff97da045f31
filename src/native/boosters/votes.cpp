#include "boosters/votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boosters/simplex.hpp"
#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSimplexRounding = 1e-6;
}

// ---- uniform -----------------------------------------------------------------------------------------------------

double UniformVote::margin(Scratch& scratch) const {
    return kernels().sum(scratch.h.data(), learners_) / static_cast<double>(learners_);
}

// ---- online convex programming -----------------------------------------------------------------------------------

ConvexVote::ConvexVote(std::size_t learners, Options options)
    : learners_(learners), options_(options), alpha_(learners, 1.0 / static_cast<double>(learners)), work_(learners) {}

double ConvexVote::margin(Scratch& scratch) const { return kernels().dot(alpha_.data(), scratch.h.data(), learners_); }

void ConvexVote::learn(Scratch& scratch, double y, double s, double margin, std::uint64_t rounds) {
    if (!(y * margin < options_.theta)) return;
    loss_ += s * (options_.theta - y * margin);
    const double* h = scratch.h.data();
    const double square = s * s * kernels().dot(h, h, learners_);
    double eta = options_.eta0;
    if (options_.adaptive) {
        squares_ += square;
        if (squares_ <= 0.0) return;
        eta /= std::sqrt(squares_);
    } else {
        eta /= std::sqrt(static_cast<double>(rounds + 1));
    }
    rate_ = eta;
    path_ += eta * square;
    const double step = eta * s * y;
    for (std::size_t i = 0; i < learners_; ++i) alpha_[i] += step * h[i];
    if (options_.pivots)
        project_by_pivots(alpha_.data(), learners_, work_.data(), options_.seed, rounds);
    else
        project_by_sorting(alpha_.data(), learners_, work_.data());
}

void ConvexVote::serialise(Archive& archive) {
    archive.numbers("alpha", alpha_.data(), learners_, 0.0, 1.0 + kSimplexRounding);
    if (archive.loading()) Archive::check(std::abs(kernels().sum(alpha_.data(), learners_) - 1.0) <= kSimplexRounding, "alpha");
    archive.sum("squared_gradients", squares_);
    archive.sum("ocp_loss", loss_);
    archive.sum("ocp_rate", rate_);
    archive.sum("ocp_path", path_);
}

// ---- prefix experts ----------------------------------------------------------------------------------------------

namespace {

// Prefix sums share the sign of the prefix means.
void prefix_sums(const double* h, double* out, std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += h[i];
        out[i] = sum;
    }
}

}  // namespace

ExpertVote::ExpertVote(std::size_t learners, Options options)
    : learners_(learners), options_(options), loss_(learners), weights_(learners) {
    refresh(0);
}

double ExpertVote::rate(std::uint64_t rounds) const {
    const double log_n = math::log_fixed(static_cast<double>(learners_));
    switch (options_.rate) {
        case Rate::kFixed:
            return options_.eta;
        case Rate::kAnytime:
            return 2.0 * std::sqrt(log_n / static_cast<double>(rounds + 1));
        case Rate::kAdaHedge:
            return gap_ > 0.0 ? log_n / gap_ : std::numeric_limits<double>::infinity();
    }
    return 0.0;
}

void ExpertVote::refresh(std::uint64_t rounds) {
    rounds_ = rounds;
    const double eta = rate(rounds);
    const double least = *std::min_element(loss_.begin(), loss_.end());
    if (std::isinf(eta))
        for (std::size_t i = 0; i < learners_; ++i) weights_[i] = loss_[i] == least ? 1.0 : 0.0;
    else
        kernels().expert_weights(loss_.data(), eta, least, weights_.data(), learners_);
    const double total = kernels().sum(weights_.data(), learners_);
    for (double& v : weights_) v /= total;
}

double ExpertVote::margin(Scratch& scratch) const {
    prefix_sums(scratch.h.data(), scratch.z.data(), learners_);
    double sum = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) sum += scratch.z[i] > 0.0 ? weights_[i] : -weights_[i];
    return std::clamp(sum, -1.0, 1.0);
}

double ExpertVote::test(Scratch& scratch, double margin, std::uint64_t rounds) const {
    if (!options_.sample) return margin;
    const double u = uniform(hash64(options_.seed, Purpose::kExpert, 0, rounds));
    prefix_sums(scratch.h.data(), scratch.z.data(), learners_);
    double cumulated = 0.0;
    std::size_t chosen = learners_ - 1;
    for (std::size_t i = 0; i < learners_; ++i) {
        cumulated += weights_[i];
        if (cumulated > u) {
            chosen = i;
            break;
        }
    }
    return scratch.z[chosen] / static_cast<double>(chosen + 1);
}

double ExpertVote::expected_error(Scratch& scratch, double, double y) const {
    prefix_sums(scratch.h.data(), scratch.z.data(), learners_);
    double wrong = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) wrong += y * scratch.z[i] <= 0.0 ? weights_[i] : 0.0;
    return std::min(wrong, 1.0);
}

void ExpertVote::learn(Scratch& scratch, double y, double s, double, std::uint64_t rounds) {
    prefix_sums(scratch.h.data(), scratch.z.data(), learners_);
    const double least = *std::min_element(loss_.begin(), loss_.end());
    double right = 0.0, wrong = 0.0;  // weights of the experts
    for (std::size_t i = 0; i < learners_; ++i)
        if (y * scratch.z[i] <= 0.0) {
            wrong += weights_[i];
            loss_[i] += s;
        } else {
            right += weights_[i];
        }
    expected_ += s * wrong;
    if (options_.rate == Rate::kAnytime) path_ += rate(rounds) * s * s;
    if (options_.rate == Rate::kAdaHedge) {
        // Mix loss -(1/eta) ln sum v_i exp(-eta l_i); its limit for eta -> infinity is the growth of the least loss.
        const double eta = rate(rounds);
        double mix = s;
        if (std::isinf(eta))
            mix = *std::min_element(loss_.begin(), loss_.end()) - least;
        else if (right > 0.5)
            mix = -math::log1p_fixed(wrong * math::expm1_fixed(-eta * s)) / eta;
        else if (right > 0.0)
            mix = -math::log_fixed(right + wrong * math::exp_fixed(-eta * s)) / eta;
        const double gap = wrong * s - mix;
        if (learners_ > 1 && gap > 0.0) gap_ += gap;
    }
    refresh(rounds + 1);
}

void ExpertVote::serialise(Archive& archive) {
    archive.sums("expert_losses", loss_.data(), learners_);
    archive.sum("expected_mistakes", expected_);
    archive.sum("mixability_gap", gap_);
    archive.sum("expert_path", path_);
    archive.counter("expert_rounds", rounds_);
    if (archive.loading()) refresh(rounds_);
}

}  // namespace onlineboost
