#include "boosters/osboost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

OSBoost::OSBoost(std::size_t learners, Options options, std::unique_ptr<Vote> vote, std::optional<DriftWatch> watch)
    : learners_(learners), options_(options), beta_(-0.5 * math::log1p_fixed(-options.gamma)), vote_(std::move(vote)),
      aim_(round_up(learners)), whole_(learners, 1.0), watch_(std::move(watch)) {
    for (std::size_t i = 0; i < aim_.size(); ++i) aim_[i] = static_cast<double>(i + 1) * options.theta;
    if (options.keep > 0.0) faded_.emplace(learners, options.keep);
    if (options.history) checkpoints_.emplace(learners);
}

void OSBoost::see(Scratch& scratch) const {
    if (options_.margin_scale == 1.0) return;
    for (std::size_t i = 0; i < learners_; ++i)
        scratch.h[i] = std::clamp(options_.margin_scale * scratch.h[i], -1.0, 1.0);
}

void OSBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    vote_->learn(scratch, y, s, vote, rounds);
    const double mistake = y * vote <= 0.0 ? s : 0.0;
    mistakes_ += mistake;
    faded_mistakes_ = options_.keep * faded_mistakes_ + mistake;
    const Sums sums[2] = {whole_.sums(), faded_ ? faded_->sums() : Sums{}};
    kernels().smooth_step(scratch.h.data(), y, s, aim_.data(), beta_, scratch.weights.data(), sums, faded_ ? 2 : 1,
                          learners_);
    bank.update(scratch, y, scratch.weights.data());
    if (watch_) watch_->learn(bank, scratch.h.data(), y, y * vote, rounds);
    if (checkpoints_) checkpoints_->learned(rounds + 1, [this](Archive& archive) { serialise_sums(archive); });
}

void OSBoost::serialise(Archive& archive) {
    serialise_sums(archive);
    if (watch_) watch_->serialise(archive);
    if (checkpoints_) checkpoints_->serialise(archive);
}

void OSBoost::serialise_sums(Archive& archive) {
    whole_.serialise(archive, "");
    archive.sum("vote_mistakes", mistakes_);
    if (faded_) {
        faded_->serialise(archive, "faded_");
        archive.sum("faded_vote_mistakes", faded_mistakes_);
    }
    vote_->serialise(archive);
}

OSBoost::Options OSBoost::read(const Parameters& p) {
    return {p.number("gamma"), p.number("theta"), p.number("margin_scale"), p.number("keep"), p.has("history")};
}

std::unique_ptr<Booster> OSBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<OSBoost>(learners, read(p), Vote::build(p, learners), DriftWatch::build(p, learners));
}

}  // namespace onlineboost
