#include "boosters/smooth_weights.hpp"

#include "engine/math.hpp"

namespace onlineboost {

SmoothWeights::SmoothWeights(std::size_t learners, Options options, std::unique_ptr<Vote> vote,
                             std::optional<DriftWatch> watch)
    : learners_(learners), options_(options), beta_(-0.5 * math::log1p_fixed(-options.gamma)), vote_(std::move(vote)),
      aim_(round_up(learners)), whole_(learners, 1.0), watch_(std::move(watch)) {
    for (std::size_t i = 0; i < aim_.size(); ++i) aim_[i] = static_cast<double>(i + 1) * options.theta;
    if (options.keep > 0.0) faded_.emplace(learners, options.keep);
    if (options.history) checkpoints_.emplace(learners);
}

SmoothWeights::SmoothWeights(const Parameters& p, std::size_t learners)
    : SmoothWeights(
          learners,
          {p.number("gamma"), p.number("theta"), p.number("margin_scale"), p.number("keep"), p.has("history")},
          Vote::build(p, learners), DriftWatch::build(p, learners)) {}

void SmoothWeights::serialise(Archive& archive) {
    serialise_sums(archive);
    if (watch_) watch_->serialise(archive);
    if (checkpoints_) checkpoints_->serialise(archive);
}

void SmoothWeights::serialise_sums(Archive& archive) {
    whole_.serialise(archive, "");
    archive.sum("vote_mistakes", mistakes_);
    if (faded_) {
        faded_->serialise(archive, "faded_");
        archive.sum("faded_vote_mistakes", faded_mistakes_);
    }
    vote_->serialise(archive);
}

}  // namespace onlineboost
