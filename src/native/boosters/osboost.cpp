#include "boosters/osboost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

OSBoost::OSBoost(std::size_t learners, Options options, std::unique_ptr<Vote> vote)
    : learners_(learners), options_(options), beta_(-0.5 * math::log1p_fixed(-options.gamma)), vote_(std::move(vote)),
      whole_(learners, options.theta, 1.0) {
    if (options.keep > 0.0) faded_.emplace(learners, options.theta, options.keep);
}

void OSBoost::see(Scratch& scratch) const {
    if (options_.margin_scale == 1.0) return;
    for (std::size_t i = 0; i < learners_; ++i) scratch.h[i] = std::clamp(options_.margin_scale * scratch.h[i], -1.0, 1.0);
}

void OSBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const Kernels& kernel = kernels();
    vote_->learn(scratch, y, s, vote, rounds);
    const double mistake = y * vote <= 0.0 ? s : 0.0;
    mistakes_ += mistake;
    faded_mistakes_ = options_.keep * faded_mistakes_ + mistake;
    kernel.smooth_weights(scratch.h.data(), y, options_.theta, beta_, scratch.z.data(), scratch.w.data(), learners_);
    kernel.scale_weights(scratch.w.data(), s, scratch.scaled.data(), learners_);
    whole_.learn(scratch, y, s);
    if (faded_) faded_->learn(scratch, y, s);
    bank.update(scratch, y, scratch.scaled.data());
}

void OSBoost::serialise(Archive& archive) {
    whole_.serialise(archive, "");
    archive.sum("vote_mistakes", mistakes_);
    if (faded_) {
        faded_->serialise(archive, "faded_");
        archive.sum("faded_vote_mistakes", faded_mistakes_);
    }
    vote_->serialise(archive);
}

}  // namespace onlineboost
