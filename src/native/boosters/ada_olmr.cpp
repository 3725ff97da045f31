#include "boosters/ada_olmr.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

AdaOLMR::AdaOLMR(std::size_t learners, bool intercept)
    : Ranking(learners, intercept), alpha_(learners),
      loss_(round_up(learners), std::numeric_limits<double>::infinity()), portions_(loss_.size()) {
    std::fill_n(loss_.begin(), learners, 0.0);
    refresh();
}

void AdaOLMR::refresh() {
    total_ = kernels().expert_weights(loss_.data(), 1.0, kernels().least(loss_.data(), learners_), portions_.data(),
                                      learners_);
}

// The mean of the experts' sums: expert i has those of the learners up to i, so that learner j counts in all from j on.
void AdaOLMR::score(const std::vector<double>& shares, std::size_t places, double* scores) const {
    std::fill_n(scores, places, 0.0);
    double from_here = 0.0;
    for (std::size_t i = learners_; i-- > 0;) {
        from_here += portions_[i];
        const double vote = alpha_[i] * (from_here / total_);
        for (std::size_t k = 0; k < places; ++k) scores[k] += vote * shares[i * places + k];
    }
}

double AdaOLMR::rank_loss() const {
    double wrong = 0.0;
    for (const std::size_t l : has_)
        for (const std::size_t r : lacks_) wrong += sums_[l] < sums_[r] ? 1.0 : sums_[l] == sums_[r] ? 0.5 : 0.0;
    return wrong / (static_cast<double>(has_.size()) * static_cast<double>(lacks_.size()));
}

void AdaOLMR::learn_pairs(const LabelScratches& heard, double s) {
    const std::size_t places = heard.size();
    const double eta = 1.0 / std::sqrt(static_cast<double>(rounds + 1));
    const double pairs = static_cast<double>(has_.size()) * static_cast<double>(lacks_.size());
    const auto add = [this] {
        add_pulls([this](std::size_t l, std::size_t r) {
            const double g = 1.0 / (1.0 + math::exp_fixed(sums_[l] - sums_[r]));
            return std::pair(g, g);
        });
    };
    add();
    for (std::size_t i = 0; i < learners_; ++i) {
        teach(heard, i, s);
        const double* shares = shares_.data() + i * places;
        for (std::size_t k = 0; k < places; ++k) sums_[k] += alpha_[i] * shares[k];
        add();
        double slope = 0.0;  // of the loss in alpha_i
        for (const std::size_t r : lacks_) slope += pulls_[r] * shares[r];
        for (const std::size_t l : has_) slope -= pulls_[l] * shares[l];
        alpha_[i] = std::clamp(alpha_[i] - eta * s * (slope / pairs), -kBound, kBound);
        loss_[i] += s * rank_loss();
    }
    refresh();
}

void AdaOLMR::serialise(Archive& archive, std::size_t places) {
    Ranking::serialise(archive, places);
    archive.numbers("alpha", alpha_.data(), learners_, -kBound, kBound);
    archive.sums("expert_losses", loss_.data(), learners_);
    if (archive.loading()) refresh();
}

std::unique_ptr<LabelBooster> AdaOLMR::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<AdaOLMR>(learners, !through_zero(p));
}

}  // namespace onlineboost
