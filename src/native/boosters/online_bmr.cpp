#include "boosters/online_bmr.hpp"

#include <cmath>
#include <stdexcept>

namespace onlineboost {

RankPotential::RankPotential(std::size_t votes, double p, double q)
    : p_(p), q_(q), half_(votes + 2), span_(static_cast<int>(half_)), table_((votes + 1) * (2 * half_ + 1)) {
    for (std::size_t n = 0; n <= votes; ++n)
        for (int lead = -span_; lead <= span_; ++lead)
            at(n, lead) =
                n == 0 ? std::max(0.0, 1.0 - lead)
                       : p * value(n - 1, lead + 1) + q * value(n - 1, lead - 1) + (1.0 - p - q) * value(n - 1, lead);
}

double RankPotential::value(std::size_t n, double lead) const {
    const auto steps = static_cast<double>(n);
    if (lead >= steps + 1.0) return 0.0;                             // out of reach, whatever the steps are
    if (lead <= 1.0 - steps) return 1.0 - lead - steps * (p_ - q_);  // never made up
    const double below = std::floor(lead);
    const std::size_t k = n * (2 * half_ + 1) + static_cast<std::size_t>(static_cast<int>(below) + span_);
    return table_[k] + (lead - below) * (table_[k + 1] - table_[k]);
}

void OnlineBMR::make_room(const LabelScratches& heard, const Present& present) {
    Ranking::make_room(heard, present);
    potential_ = nullptr;
    if (has_.empty() || lacks_.empty()) return;
    const std::pair key{heard.size() - 1, has_.size()};
    auto found = potentials_.find(key);
    if (found == potentials_.end()) {
        if (potentials_.size() >= kMostKept) potentials_.clear();
        const auto count = static_cast<double>(has_.size());
        const double gamma = std::min(gamma_, 1.0 / count);
        const double q = (1.0 - gamma * count) / static_cast<double>(heard.size() - 1);
        found = potentials_.emplace(key, RankPotential(learners_, q + gamma, q)).first;
    }
    potential_ = &found->second;
}

void OnlineBMR::score(const std::vector<double>& shares, std::size_t places, double* scores) const {
    std::fill_n(scores, places, 0.0);
    for (std::size_t i = 0; i < learners_; ++i)
        for (std::size_t k = 0; k < places; ++k) scores[k] += shares[i * places + k];
    for (std::size_t k = 0; k < places; ++k) scores[k] /= static_cast<double>(learners_);
}

void OnlineBMR::learn_pairs(const LabelScratches& heard, double s) {
    for (std::size_t i = 0; i < learners_; ++i) {
        const std::size_t left = learners_ - 1 - i;
        add_pulls([this, left](std::size_t l, std::size_t r) {
            const double lead = sums_[l] - sums_[r], here = potential_->value(left, lead);
            return std::pair(std::max(here - potential_->value(left, lead + 1.0), 0.0),
                             std::max(potential_->value(left, lead - 1.0) - here, 0.0));
        });
        teach(heard, i, s);
        for (std::size_t k = 0; k < heard.size(); ++k) sums_[k] += shares_[i * heard.size() + k];
    }
}

std::unique_ptr<LabelBooster> OnlineBMR::build(const Parameters& p, std::size_t learners) {
    if (learners > kMostVotes) throw std::invalid_argument("OnlineBMR takes fewer learners");
    return std::make_unique<OnlineBMR>(learners, p.number("gamma"), !through_zero(p));
}

}  // namespace onlineboost
