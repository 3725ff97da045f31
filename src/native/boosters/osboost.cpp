#include "boosters/osboost.hpp"

#include "engine/math.hpp"

#include "kernels/kernels.hpp"

namespace onlineboost {

OSBoost::OSBoost(std::size_t learners, double gamma, double theta, std::unique_ptr<Vote> vote)
    : learners_(learners), theta_(theta), beta_(-0.5 * math::log1p_fixed(-gamma)), vote_(std::move(vote)), mass_(learners + 1) {}

void OSBoost::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const Kernels& kernel = kernels();
    vote_->learn(scratch, y, s, vote, rounds);
    kernel.smooth_weights(scratch.h.data(), y, theta_, beta_, scratch.z.data(), scratch.w.data(), learners_);
    kernel.accumulate_mass(scratch.w.data(), s, mass_.data(), scratch.scaled.data(), learners_);
    bank.update(scratch, y, scratch.scaled.data());
}

void OSBoost::serialise(Archive& archive) {
    archive.numbers("weight_mass", mass_.data(), learners_ + 1);
    vote_->serialise(archive);
}

}  // namespace onlineboost
