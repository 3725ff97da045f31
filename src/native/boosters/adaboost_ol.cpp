#include "boosters/adaboost_ol.hpp"

#include <cmath>

#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kStep = 4.0, kLargestVote = 2.0;  // the paper's: steps 4 / sqrt(t) within [-2, 2]
}

AdaBoostOL::AdaBoostOL(std::size_t learners, Options options, ExpertVote::Options experts)
    : learners_(learners), options_(options), experts_(learners, experts), alpha_(round_up(learners)),
      mass_(alpha_.size()), edge_(alpha_.size()) {
    for (std::size_t i = 0; options.sample && i < alpha_.size(); ++i)
        keys_.push_back(hash_key(options.seed, static_cast<std::uint64_t>(Purpose::kSample), i));
}

void AdaBoostOL::see(Scratch& scratch) const {
    if (options_.sign) take_signs(scratch, learners_);
}

double AdaBoostOL::vote(Scratch& scratch) const {
    kernels().prefix_products(alpha_.data(), scratch.h.data(), scratch.room.data(), learners_);
    return experts_.balance(scratch);
}

void AdaBoostOL::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    experts_.learn(scratch, y, s, vote, rounds);
    const double step = kStep / std::sqrt(static_cast<double>(rounds + 1)) * s;
    kernels().logistic_step(scratch.h.data(), scratch.room.data(), y, s, step, kLargestVote, alpha_.data(),
                            scratch.weights.data(), mass_.data(), edge_.data(), learners_);
    if (options_.sample)
        kernels().draw_examples(keys_.data(), kGolden * (rounds + 1), s, scratch.weights.data(), learners_);
    bank.update(scratch, y, scratch.weights.data());
}

void AdaBoostOL::serialise(Archive& archive) {
    archive.numbers("alpha", alpha_.data(), learners_, -kLargestVote, kLargestVote);
    archive.sums("weight_mass", mass_.data(), learners_);
    archive.numbers("weighted_edges", edge_.data(), learners_);
    experts_.serialise(archive);
}

std::unique_ptr<Booster> AdaBoostOL::build(const Parameters& p, std::size_t learners) {
    const Options options{p.flag("sample_examples"), p.flag("sign"), p.whole("seed")};
    return std::make_unique<AdaBoostOL>(learners, options, ExpertVote::Options::from(p));
}

}  // namespace onlineboost
