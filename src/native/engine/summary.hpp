// What a model keeps of its stream beside what it learns: thresholds of prediction sets, and moments of the features.
//
// Sets (Gibbs and Candes, NeurIPS 2021, eq. 2): C = {y : 1 - p(y) <= q} and q <- q + s eta (1{y not in C} - alpha), for
// sixteen alphas from 1 % to 50 %, with p before the example was learned and s its weight, at most 1. A q above 1
// covers all, one below 0 nothing, so q stays in [-eta alpha, 1 + eta (1 - alpha)]: on every interval the misses are
// alpha times its length, but for (1 + eta) / eta.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "engine/archive.hpp"
#include "engine/row.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

class Summary {
   public:
    static constexpr std::size_t kLevels = 16;
    static constexpr double kStep = 0.025;

    Summary() { q_.fill(1.0); }

    // For a row that brings the number of features to `features`.
    void make_room(std::size_t features) {
        onlineboost::make_room(sums_, features);
        onlineboost::make_room(squares_, features);
    }
    // After the row was learned as the `round`-th; `p` is what the label had before.
    void learn(const Row& row, double p, double s, std::uint64_t round) {
        const double miss = 1.0 - p, part = std::min(s, 1.0), step = kStep * part;
        kernels().threshold_step(q_.data(), kAlphas.data(), miss, step, kLevels);
        steps_ += part;
        if (round <= kAllRounds || round % kEvery == 0) add_moments(row, s);
    }
    // A file may be older than these fields: the sets then begin here, and nothing is known of the features.
    void serialise(Archive& archive, std::size_t features) {
        sums_.resize(features, 0.0);
        squares_.resize(features, 0.0);
        if (!archive.has("set_thresholds")) return;
        archive.numbers("set_thresholds", q_.data(), kLevels, -kStep, 1.0 + kStep);
        archive.sum("set_steps", steps_);
        archive.sum("feature_weight", weight_);
        archive.numbers("feature_sums", sums_.data(), features);
        archive.sums("feature_squares", squares_.data(), features);
    }

   private:
    // Moments are of the first examples and of a sixteenth of the others: enough to scale an importance by.
    static constexpr std::uint64_t kAllRounds = 256, kEvery = 16;
    static constexpr std::array<double, kLevels> kAlphas = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1,
                                                            0.12, 0.15, 0.2,  0.25, 0.3,  0.35, 0.4,  0.5};

    void add_moments(const Row& row, double s) {
        weight_ += s;
        for (std::size_t k = 0; k < row.size(); ++k) {
            const auto slot = static_cast<std::size_t>(row.slots[k]);
            if (slot >= sums_.size()) {
                sums_.resize(slot + 1, 0.0);
                squares_.resize(slot + 1, 0.0);
            }
            sums_[slot] += s * row.raw[k];
            squares_[slot] += s * row.raw[k] * row.raw[k];
        }
    }

    std::array<double, kLevels> q_;
    double steps_ = 0.0;                  // the sum of the weights, each at most 1
    double weight_ = 0.0;                 // of the examples whose moments were taken
    std::vector<double> sums_, squares_;  // by slot, weighted: of the values and of their squares
};

}  // namespace onlineboost
