#include "boosters/multiclass_osboost.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"

namespace onlineboost {

// s(k) = max(0, 1 - scale (max s - s(k))): margins become scale times themselves, within [-1, 1].
void MulticlassOSBoost::sharpen(Scratch& scratch) const {
    const double scale = smooth_.margin_scale();
    if (scale == 1.0) return;
    for (std::size_t i = 0; i < learners_; ++i) {
        double most = 0.0;
        for (const Vector& row : scratch.shares) most = std::max(most, row[i]);
        for (Vector& row : scratch.shares) row[i] = std::max(0.0, 1.0 - scale * (most - row[i]));
    }
}

// The class of each prefix goes to scratch.h: the largest sum of shares; of equal ones the class that began first.
void MulticlassOSBoost::choose(Scratch& scratch) const {
    double *chosen = scratch.h.data(), *sums = scratch.room.data(), *best = sums + smooth_.vote().room();
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
            f[k] = smooth_.vote().margin(scratch);
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
        double *right = scratch.room.data(), *own = right + smooth_.vote().room(), *sums = own + smooth_.vote().room();
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
    smooth_.vote().learn(scratch, 1.0, s, margin, rounds);
    smooth_.count(margin, s);
    find_margins(scratch);
    smooth_.weigh(scratch, 1.0, s);
    bank.update_class(scratch, scratch.weights.data());
    smooth_.watch(bank, scratch, 1.0, margin, rounds);
}

std::unique_ptr<MulticlassBooster> MulticlassOSBoost::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<MulticlassOSBoost>(p, learners);
}

}  // namespace onlineboost
