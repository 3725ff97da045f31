#include "learners/adagrad.hpp"

#include "kernels/kernels.hpp"

namespace onlineboost {

AdaGradBank::AdaGradBank(std::size_t learners, Normalise normalise, double rate, double kept)
    : LinearBank(learners, normalise), rate_(rate), scale_(kept), squares_(layout.stride) {
    tables_.push_back(&squares_);
    open();
}

void AdaGradBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    kernels().squash(scratch.s.data(), h, from, to);
}

void AdaGradBank::learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    if (scale_.grows()) {  // the rates do not change if weights and roots of the sums have one factor
        double* scaled = scratch.inv.data();
        for (std::size_t i = from; i < to; ++i) scaled[i] = w[i] * scale_.now();
        w = scaled;
    }
    kernels().adagrad(scratch.rows[0].data(), scratch.rows[1].data(), scratch.values.data(), scratch.values.size(),
                      scratch.s.data(), w, y, rate_, scratch.c.data(), scratch.q.data(), from, to);
}

void AdaGradBank::age(LinearScratch&) {
    if (scale_.grows() && scale_.grow()) multiply(squares_, GrowingScale::kShrink * GrowingScale::kShrink);
}

void AdaGradBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.table("coordinates", u_, layout.learners, ids.size() + offset_, Archive::kLargestCoordinate);
    archive.table("coordinate_squares", squares_, layout.learners, ids.size() + offset_);
    scale_.serialise(archive);
    if (archive.loading()) require_none_below_zero(squares_, "coordinate_squares");
}

std::unique_ptr<Bank> AdaGradBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<AdaGradBank>(learners, Normalise::from(p), p.number("rate"), kept_share(p, 0.5));
}

}  // namespace onlineboost
