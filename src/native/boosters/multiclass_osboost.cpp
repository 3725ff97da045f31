#include "boosters/multiclass_osboost.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

MulticlassOSBoost::MulticlassOSBoost(std::size_t learners, OSBoost::Options options, std::unique_ptr<Vote> vote,
                                     ExpertVote* experts, std::optional<DriftWatch> watch)
    : learners_(learners), options_(options), beta_(-0.5 * math::log1p_fixed(-options.gamma)), vote_(std::move(vote)),
      experts_(experts), aim_(round_up(learners)), whole_(learners, 1.0), watch_(std::move(watch)) {
    for (std::size_t i = 0; i < aim_.size(); ++i) aim_[i] = static_cast<double>(i + 1) * options.theta;
    if (options.keep > 0.0) faded_.emplace(learners, options.keep);
    if (options.history) checkpoints_.emplace(learners);
}

// s(k) = max(0, 1 - scale (max s - s(k))): margins become scale times themselves, within [-1, 1].
void MulticlassOSBoost::sharpen(Scratch& scratch) const {
    if (options_.margin_scale == 1.0) return;
    for (std::size_t i = 0; i < learners_; ++i) {
        double most = 0.0;
        for (const Vector& row : scratch.shares) most = std::max(most, row[i]);
        for (Vector& row : scratch.shares) row[i] = std::max(0.0, 1.0 - options_.margin_scale * (most - row[i]));
    }
}

// The class of each prefix goes to scratch.h: the largest sum of shares; of equal ones the class that began first.
void MulticlassOSBoost::choose(Scratch& scratch) const {
    double *chosen = scratch.h.data(), *sums = scratch.room.data(), *best = sums + vote_->room();
    for (std::size_t k = 0; k < scratch.shares.size(); ++k) {
        kernels().prefix_sums(scratch.shares[k].data(), k == 0 ? best : sums, learners_);
        for (std::size_t i = 0; i < learners_; ++i) {
            const bool first = k == 0, better = !first && sums[i] > best[i];
            chosen[i] = first || better ? static_cast<double>(k) : chosen[i];
            best[i] = better ? sums[i] : best[i];
        }
    }
}

void MulticlassOSBoost::vote(Scratch& scratch, double* f) const {
    sharpen(scratch);
    const std::size_t classes = scratch.shares.size();
    if (experts_) choose(scratch);
    for (std::size_t k = 0; k < classes; ++k) {
        if (!experts_) {
            std::copy(scratch.shares[k].begin(), scratch.shares[k].end(), scratch.h.begin());
            f[k] = vote_->margin(scratch);
            continue;
        }
        const auto number = static_cast<double>(k);
        for (std::size_t i = 0; i < learners_; ++i) scratch.room[i] = scratch.h[i] == number ? 1.0 : 0.0;
        f[k] = experts_->balance(scratch);
    }
}

// m_i goes to scratch.h.
void MulticlassOSBoost::find_margins(Scratch& scratch) const {
    double* most = scratch.h.data();
    std::fill_n(most, learners_, 0.0);
    for (std::size_t k = 0; k < scratch.shares.size(); ++k) {
        if (k == scratch.label) continue;
        const double* row = scratch.shares[k].data();
        for (std::size_t i = 0; i < learners_; ++i) most[i] = std::max(most[i], row[i]);
    }
    const double* own = scratch.shares[scratch.label].data();
    for (std::size_t i = 0; i < learners_; ++i) most[i] = own[i] - most[i];
}

void MulticlassOSBoost::learn(Bank& bank, Scratch& scratch, const double* f, double s) {
    if (scratch.shares.size() < 2) {  // the only class so far has no rival
        std::fill_n(scratch.weights.begin(), learners_, s);
        bank.update_class(scratch, scratch.weights.data());
        return;
    }
    const std::size_t label = scratch.label, rival = rival_of(label, f, scratch.shares.size());
    const double margin = f[label] - f[rival];
    if (experts_) {  // a tie counts as a mistake
        double *right = scratch.room.data(), *own = right + vote_->room(), *sums = own + vote_->room();
        kernels().prefix_sums(scratch.shares[label].data(), own, learners_);
        std::fill_n(right, learners_, 1.0);
        for (std::size_t k = 0; k < scratch.shares.size(); ++k) {
            if (k == label) continue;
            kernels().prefix_sums(scratch.shares[k].data(), sums, learners_);
            for (std::size_t i = 0; i < learners_; ++i)
                if (sums[i] >= own[i]) right[i] = -1.0;
        }
    } else {
        for (std::size_t i = 0; i < learners_; ++i) scratch.h[i] = scratch.shares[label][i] - scratch.shares[rival][i];
    }
    vote_->learn(scratch, 1.0, s, margin, rounds);
    const double mistake = margin <= 0.0 ? s : 0.0;
    mistakes_ += mistake;
    faded_mistakes_ = options_.keep * faded_mistakes_ + mistake;
    find_margins(scratch);
    const Sums sums[2] = {whole_.sums(), faded_ ? faded_->sums() : Sums{}};
    kernels().smooth_step(scratch.h.data(), 1.0, s, aim_.data(), beta_, scratch.weights.data(), sums, faded_ ? 2 : 1,
                          learners_);
    bank.update_class(scratch, scratch.weights.data());
    if (watch_) watch_->learn(bank, scratch.h.data(), 1.0, margin, rounds);
    if (checkpoints_) checkpoints_->learned(rounds + 1, [this](Archive& archive) { serialise_sums(archive); });
}

void MulticlassOSBoost::serialise(Archive& archive) {
    serialise_sums(archive);
    if (watch_) watch_->serialise(archive);
    if (checkpoints_) checkpoints_->serialise(archive);
}

void MulticlassOSBoost::serialise_sums(Archive& archive) {
    whole_.serialise(archive, "");
    archive.sum("vote_mistakes", mistakes_);
    if (faded_) {
        faded_->serialise(archive, "faded_");
        archive.sum("faded_vote_mistakes", faded_mistakes_);
    }
    vote_->serialise(archive);
}

std::unique_ptr<MulticlassBooster> MulticlassOSBoost::build(const Parameters& p, std::size_t learners) {
    const OSBoost::Options options = OSBoost::read(p);
    auto vote = Vote::build(p, learners);
    auto* experts = dynamic_cast<ExpertVote*>(vote.get());
    return std::make_unique<MulticlassOSBoost>(learners, options, std::move(vote), experts,
                                               DriftWatch::build(p, learners));
}

}  // namespace onlineboost
