// What OSBoost has of two classes and of many: a vote, the smooth weights, their sums, and who watches the learners.
#pragma once
#include <memory>
#include <optional>

#include "boosters/checkpoints.hpp"
#include "boosters/diagnostics.hpp"
#include "boosters/votes.hpp"
#include "drift/watch.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

class SmoothWeights {
   public:
    struct Options {
        double gamma, theta;
        double margin_scale;  // multiplies the outputs before they are clipped to [-1, 1]; 1 is the paper
        double keep;          // what one round leaves of the fading sums; 0: there are none
        bool history;         // keeps checkpoints of the sums
    };
    SmoothWeights(std::size_t learners, Options options, std::unique_ptr<Vote> vote, std::optional<DriftWatch> watch);
    SmoothWeights(const Parameters& p, std::size_t learners);

    Vote& vote() { return *vote_; }
    const Vote& vote() const { return *vote_; }
    std::size_t learners() const { return learners_; }
    double margin_scale() const { return options_.margin_scale; }

    // After the vote has learned: a mistake of the vote, by its margin y f.
    void count(double margin, double s) {
        const double mistake = margin <= 0.0 ? s : 0.0;
        mistakes_ += mistake;
        faded_mistakes_ = options_.keep * faded_mistakes_ + mistake;
    }
    // The weights of the learners whose outputs are in scratch.h.
    void weigh(Scratch& scratch, double y, double s) {
        const Sums sums[2] = {whole_.sums(), faded_ ? faded_->sums() : Sums{}};
        kernels().smooth_step(scratch.h.data(), y, s, aim_.data(), beta_, scratch.weights.data(), sums, faded_ ? 2 : 1,
                              learners_);
    }
    // After the bank has learned with these weights.
    void watch(Bank& bank, Scratch& scratch, double y, double margin, std::uint64_t rounds) {
        if (watch_) watch_->learn(bank, scratch.h.data(), y, margin, rounds);
        if (checkpoints_) checkpoints_->learned(rounds + 1, [this](Archive& archive) { serialise_sums(archive); });
    }
    void serialise(Archive& archive);

   private:
    void serialise_sums(Archive& archive);

    std::size_t learners_;
    Options options_;
    double beta_;
    std::unique_ptr<Vote> vote_;
    Vector aim_;  // i theta, the sum of margins that the first i learners aim at
    Diagnostics whole_;
    std::optional<Diagnostics> faded_;
    double mistakes_ = 0.0;  // sum s 1{y f <= 0} of the vote
    double faded_mistakes_ = 0.0;
    std::optional<DriftWatch> watch_;
    std::optional<Checkpoints> checkpoints_;
};

}  // namespace onlineboost
