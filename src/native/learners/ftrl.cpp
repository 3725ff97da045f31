#include "learners/ftrl.hpp"

#include <cmath>

#include "kernels/kernels.hpp"

namespace onlineboost {

FtrlBank::FtrlBank(std::size_t learners, Normalise normalise, Options options)
    : LinearBank(learners, normalise), options_(options), z_(layout.stride), squares_(layout.stride) {
    tables_.push_back(&z_);
    tables_.push_back(&squares_);
    open();
}

void FtrlBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    kernels().squash(scratch.s.data(), h, from, to);
}

void FtrlBank::learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    kernels().ftrl(scratch.rows[0].data(), scratch.rows[1].data(), scratch.rows[2].data(), scratch.values.data(),
                   scratch.values.size(), scratch.s.data(), w, y, options_.alpha, options_.beta, options_.l1,
                   options_.l2, scratch.c.data(), from, to);
}

void FtrlBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    const std::size_t rows = ids.size() + offset_;
    archive.table("duals", z_, layout.learners, rows);
    archive.table("coordinate_squares", squares_, layout.learners, rows);
    if (!archive.loading()) return;
    require_none_below_zero(squares_, "coordinate_squares");
    while (u_.rows() < rows) u_.append();
    for (std::size_t r = 0; r < rows; ++r) {
        kernels().ftrl_solve(z_.row(r), squares_.row(r), options_.alpha, options_.beta, options_.l1, options_.l2,
                             u_.row(r), layout.stride);
        for (std::size_t i = 0; i < layout.learners; ++i)
            Archive::check(std::abs(u_.row(r)[i]) <= Archive::kLargestCoordinate, "duals");
    }
}

std::unique_ptr<Bank> FtrlBank::build(const Parameters& p, std::size_t learners) {
    const Options options{p.number("alpha"), p.number("beta"), p.number("l1"), p.number("l2")};
    return std::make_unique<FtrlBank>(learners, Normalise::from(p), options);
}

}  // namespace onlineboost
