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

std::unique_ptr<Vote> Vote::build(const Parameters& p, std::size_t learners) {
    const std::string kind = p.text("vote");
    if (kind == "uniform") return std::make_unique<UniformVote>(learners);
    if (kind == "eg") return std::make_unique<EntropicVote>(learners, p.number("theta"));
    if (kind == "experts") return std::make_unique<ExpertVote>(learners, ExpertVote::Options::from(p));
    if (kind != "ocp") throw std::invalid_argument("there is no vote '" + kind + "'");
    const auto projection = p.choice<ConvexVote::Projection>("projection", {"newton", "sort", "pivot"});
    return std::make_unique<ConvexVote>(
        learners, ConvexVote::Options{p.number("theta"), p.number("eta0"), p.text("schedule") == "adaptive", projection,
                                      p.whole("seed")});
}

// ---- uniform -----------------------------------------------------------------------------------------------------

double UniformVote::margin(Scratch& scratch) const {
    return kernels().sum(scratch.h.data(), learners_) / static_cast<double>(learners_);
}

// ---- online convex programming -----------------------------------------------------------------------------------

ConvexVote::ConvexVote(std::size_t learners, Options options)
    : learners_(learners), options_(options), alpha_(round_up(learners)), work_(alpha_.size()) {
    std::fill_n(alpha_.begin(), learners, 1.0 / static_cast<double>(learners));
}

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
    if (options_.projection == Projection::kNewton) {
        kernels().simplex_step(alpha_.data(), h, step, work_.data(), learners_);
        return;
    }
    for (std::size_t i = 0; i < learners_; ++i) alpha_[i] += step * h[i];
    if (options_.projection == Projection::kPivot)
        project_by_pivots(alpha_.data(), learners_, work_.data(), options_.seed, rounds);
    else
        project_by_sorting(alpha_.data(), learners_, work_.data());
}

void ConvexVote::serialise(Archive& archive) {
    archive.numbers("alpha", alpha_.data(), learners_, 0.0, 1.0 + kSimplexRounding);
    if (archive.loading())
        Archive::check(std::abs(kernels().sum(alpha_.data(), learners_) - 1.0) <= kSimplexRounding, "alpha");
    archive.sum("squared_gradients", squares_);
    archive.sum("ocp_loss", loss_);
    archive.sum("ocp_rate", rate_);
    archive.sum("ocp_path", path_);
}

// ---- exponentiated gradient --------------------------------------------------------------------------------------

EntropicVote::EntropicVote(std::size_t learners, double theta)
    : learners_(learners), theta_(theta), log_n_(math::log_fixed(static_cast<double>(learners))),
      losses_(round_up(learners), std::numeric_limits<double>::infinity()), weights_(losses_.size()) {
    std::fill_n(losses_.begin(), learners, 0.0);
    refresh();
}

double EntropicVote::rate() const { return std::sqrt(log_n_ / (1.0 + squares_)); }

void EntropicVote::refresh() {
    total_ = kernels().expert_weights(losses_.data(), rate(), kernels().least(losses_.data(), learners_),
                                      weights_.data(), learners_);
}

double EntropicVote::margin(Scratch& scratch) const {
    return std::clamp(kernels().dot(weights_.data(), scratch.h.data(), learners_) / total_, -1.0, 1.0);
}

void EntropicVote::learn(Scratch& scratch, double y, double s, double margin, std::uint64_t) {
    if (!(y * margin < theta_)) return;
    loss_ += s * (theta_ - y * margin);
    rate_ = rate();
    path_ += rate_ * s * s;
    squares_ += s * s;
    double* const row = losses_.data();
    const double step = -s * y;
    kernels().add_rows(&row, &step, 1, scratch.h.data(), 0, losses_.size());
    refresh();
}

void EntropicVote::serialise(Archive& archive) {
    archive.numbers("eg_losses", losses_.data(), learners_);
    archive.sum("eg_squares", squares_);
    archive.sum("eg_loss", loss_);
    archive.sum("eg_rate", rate_);
    archive.sum("eg_path", path_);
    if (archive.loading()) refresh();
}

// ---- prefix experts ----------------------------------------------------------------------------------------------

ExpertVote::Options ExpertVote::Options::from(const Parameters& p) {
    return {p.choice<Rate>("expert_rate", {"fixed", "anytime", "adahedge", "share"}), p.number("expert_eta"),
            p.flag("sample"), p.whole("seed")};
}

ExpertVote::ExpertVote(std::size_t learners, Options options)
    : learners_(learners), options_(options), log_n_(math::log_fixed(static_cast<double>(learners))),
      loss_(round_up(learners), std::numeric_limits<double>::infinity()), weights_(loss_.size()) {
    std::fill_n(loss_.begin(), learners, 0.0);
    refresh(0);  // all weights are 1
}

// Fixed share at rate 1/t (docs/drift.md): v_i ~ p_i exp(-eta s/B) for an expert that erred, p_i otherwise; then
// p = t/(t+1) v + 1/((t+1) N). The weights here are N p.
void ExpertVote::share(const double* scores, double y, double s, std::uint64_t rounds) {
    largest_ = std::max(largest_, s);
    const double factor = math::exp_fixed(-options_.eta * (s / largest_)), n = static_cast<double>(learners_);
    for (std::size_t i = 0; i < learners_; ++i)
        if (scores[i] * y <= 0.0) weights_[i] *= factor;
    const double t = static_cast<double>(rounds) + 1.0,
                 keep = t / (t + 1.0) * (n / kernels().sum(weights_.data(), learners_));
    for (std::size_t i = 0; i < learners_; ++i) weights_[i] = keep * weights_[i] + 1.0 / (t + 1.0);
    total_ = kernels().sum(weights_.data(), learners_);
    rounds_ = rounds + 1;
}

double ExpertVote::rate(std::uint64_t rounds) const {
    switch (options_.rate) {
        case Rate::kFixed:
        case Rate::kShare:
            return options_.eta;
        case Rate::kAnytime:
            return 2.0 * std::sqrt(log_n_ / static_cast<double>(rounds + 1));
        case Rate::kAdaHedge:
            return gap_ > 0.0 ? log_n_ / gap_ : std::numeric_limits<double>::infinity();
    }
    return 0.0;
}

void ExpertVote::refresh(std::uint64_t rounds) {
    rounds_ = rounds;
    const double eta = rate(rounds);
    const double least = kernels().least(loss_.data(), learners_);
    if (std::isinf(eta)) {
        for (std::size_t i = 0; i < learners_; ++i) weights_[i] = loss_[i] == least ? 1.0 : 0.0;
        total_ = kernels().sum(weights_.data(), learners_);
    } else {
        total_ = kernels().expert_weights(loss_.data(), eta, least, weights_.data(), learners_);
    }
}

// Prefix sums share the sign of the prefix means; the other methods find them in the scratch.
double ExpertVote::margin(Scratch& scratch) const {
    kernels().prefix_sums(scratch.h.data(), scratch.room.data(), learners_);
    return std::clamp(kernels().signed_sum(scratch.room.data(), weights_.data(), learners_) / total_, -1.0, 1.0);
}

double ExpertVote::balance(const Scratch& scratch) const {
    return std::clamp(kernels().balanced_sum(scratch.room.data(), weights_.data(), learners_) / total_, -1.0, 1.0);
}

double ExpertVote::test(Scratch& scratch, double margin, std::uint64_t rounds) const {
    if (!options_.sample) return margin;
    const double u = uniform(hash64(options_.seed, Purpose::kExpert, 0, rounds));
    double cumulated = 0.0;
    std::size_t chosen = learners_ - 1;
    for (std::size_t i = 0; i < learners_; ++i) {
        cumulated += weights_[i];
        if (cumulated > u * total_) {
            chosen = i;
            break;
        }
    }
    return scratch.room[chosen] / static_cast<double>(chosen + 1);
}

double ExpertVote::expected_error(Scratch& scratch, double, double y) const {
    return std::min(kernels().wrong_weight(scratch.room.data(), y, weights_.data(), learners_) / total_, 1.0);
}

void ExpertVote::learn(Scratch& scratch, double y, double s, double, std::uint64_t rounds) {
    const Kernels& kernel = kernels();
    const double least = kernel.least(loss_.data(), learners_);
    double right, wrong;  // weights of the experts
    const bool erred =
        kernel.expert_losses(scratch.room.data(), y, s, weights_.data(), loss_.data(), &right, &wrong, learners_);
    if (options_.rate == Rate::kShare) {
        expected_ += s * (wrong / total_);
        return share(scratch.room.data(), y, s, rounds);
    }
    // Nothing that the weights of AdaHedge or of a fixed rate follow from has changed.
    if (!erred && options_.rate != Rate::kAnytime) {
        rounds_ = rounds + 1;
        return;
    }
    right /= total_;
    wrong /= total_;
    expected_ += s * wrong;
    if (options_.rate == Rate::kAnytime) path_ += rate(rounds) * s * s;
    if (options_.rate == Rate::kAdaHedge) {
        // Mix loss -(1/eta) ln sum v_i exp(-eta l_i); its limit for eta -> infinity is the growth of the least loss.
        const double eta = rate(rounds);
        double mix = s;
        if (std::isinf(eta))
            mix = kernel.least(loss_.data(), learners_) - least;
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
    if (options_.rate == Rate::kShare) {
        const double most = static_cast<double>(learners_) * (1.0 + 1e-6);
        archive.numbers("expert_shares", weights_.data(), learners_, 0.0, most);
        archive.numbers("largest_weight", &largest_, 1, 1.0, 1e15);
        total_ = kernels().sum(weights_.data(), learners_);
        Archive::check(total_ > 0.0, "expert_shares");
    } else if (archive.loading()) {
        refresh(rounds_);
    }
}

}  // namespace onlineboost
