#include "boosters/bbm.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

BBM::BBM(std::size_t learners, Options options)
    : learners_(learners), options_(options), logit_(math::log_fixed((0.5 + options.edge) / (0.5 - options.edge))),
      log_factorial_(learners), scale_(round_up(learners)), mass_(scale_.size()), edge_(mass_.size()) {
    double sum = 0.0, lost = 0.0;  // Kahan's summation: a million logarithms to the last digits
    for (std::size_t k = 2; k < learners; ++k) {
        const double term = math::log_fixed(static_cast<double>(k)) - lost, next = sum + term;
        lost = (next - sum) - term;
        log_factorial_[k] = sum = next;
    }
    for (std::size_t r = 0; r < learners; ++r) {
        const auto trials = static_cast<double>(r);
        const auto k = static_cast<std::size_t>(std::min(std::floor((trials + 1.0) * (0.5 + options.edge)), trials));
        scale_[learners - 1 - r] =
            options.relative ? (log_factorial_[k] + log_factorial_[r - k]) - static_cast<double>(k) * logit_
                             : log_factorial_[r] + math::log_fixed(0.5) + trials * math::log_fixed(0.5 - options.edge);
    }
}

void BBM::see(Scratch& scratch) const {
    if (options_.sign) take_signs(scratch, learners_);
}

double BBM::vote(Scratch& scratch) const {
    return kernels().sum(scratch.h.data(), learners_) / static_cast<double>(learners_);
}

void BBM::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const Binomial tables{log_factorial_.data(), scale_.data(), logit_};
    const double sum = kernels().bbm_step(scratch.h.data(), y, s, &tables, options_.sign, scratch.weights.data(),
                                          mass_.data(), edge_.data(), learners_);
    count_ += s;
    mistakes_ += y * vote <= 0.0 ? s : 0.0;
    potential_ += sum <= 0.0 ? s : 0.0;
    bank.update(scratch, y, scratch.weights.data());
}

void BBM::serialise(Archive& archive) {
    archive.sums("weight_mass", mass_.data(), learners_);
    archive.numbers("weighted_edges", edge_.data(), learners_);
    archive.sum("count", count_);
    archive.sum("vote_mistakes", mistakes_);
    archive.sum("majority_mistakes", potential_);
}

std::unique_ptr<Booster> BBM::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<BBM>(learners, Options{p.number("edge"), p.flag("relative"), p.flag("sign")});
}

}  // namespace onlineboost
