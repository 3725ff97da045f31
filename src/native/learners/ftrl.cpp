#include "learners/ftrl.hpp"

#include <cmath>

#include "kernels/kernels.hpp"

namespace onlineboost {

FtrlBank::FtrlBank(std::size_t learners, Normalise normalise, Options options)
    : LinearBank(learners, normalise), options_(options), scale_(options.kept), z_(layout.stride),
      squares_(layout.stride) {
    tables_.push_back(&z_);
    tables_.push_back(&squares_);
    open();
}

void FtrlBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    kernels().squash(scratch.s.data(), h, from, to);
}

void FtrlBank::learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    const double scale = scale_.now();  // 1 if nothing is forgotten
    if (scale_.grows()) {
        double* scaled = scratch.inv.data();
        for (std::size_t i = from; i < to; ++i) scaled[i] = w[i] * scale;
        w = scaled;
    }
    kernels().ftrl(scratch.rows[0].data(), scratch.rows[1].data(), scratch.rows[2].data(), scratch.values.data(),
                   scratch.values.size(), scratch.s.data(), w, y, options_.alpha, scale * options_.beta,
                   scale * options_.l1, scale * options_.l2, scratch.c.data(), from, to);
}

// The regularisers do not fade, so the row's coordinates are solved for again, and scored.
void FtrlBank::age(LinearScratch& scratch) {
    if (!scale_.grows()) return;
    if (scale_.grow()) {
        multiply(z_, GrowingScale::kShrink);
        multiply(squares_, GrowingScale::kShrink * GrowingScale::kShrink);
    }
    const double scale = scale_.now();
    const auto& rows = scratch.rows;
    for (std::size_t k = 0; k < scratch.values.size(); ++k)
        kernels().ftrl_solve(rows[1][k], rows[2][k], options_.alpha, scale * options_.beta, scale * options_.l1,
                             scale * options_.l2, rows[0][k], layout.stride);
    kernels().linear_score(rows[0].data(), scratch.values.data(), scratch.values.size(), scratch.s.data(),
                           scratch.s.data(), scratch.after.data(), 0, layout.stride);
}

void FtrlBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    const std::size_t rows = ids.size() + offset_;
    archive.table("duals", z_, layout.learners, rows);
    archive.table("coordinate_squares", squares_, layout.learners, rows);
    scale_.serialise(archive);
    if (scale_.grows()) archive.table("coordinates", u_, layout.learners, rows, Archive::kLargestCoordinate);
    if (!archive.loading()) return;
    require_none_below_zero(squares_, "coordinate_squares");
    if (scale_.grows()) return;
    while (u_.rows() < rows) u_.append();
    for (std::size_t r = 0; r < rows; ++r) {
        kernels().ftrl_solve(z_.row(r), squares_.row(r), options_.alpha, options_.beta, options_.l1, options_.l2,
                             u_.row(r), layout.stride);
        for (std::size_t i = 0; i < layout.learners; ++i)
            Archive::check(std::abs(u_.row(r)[i]) <= Archive::kLargestCoordinate, "duals");
    }
}

std::unique_ptr<Bank> FtrlBank::build(const Parameters& p, std::size_t learners) {
    const Options options{p.number("alpha"), p.number("beta"), p.number("l1"), p.number("l2"), kept_share(p)};
    return std::make_unique<FtrlBank>(learners, Normalise::from(p), options);
}

}  // namespace onlineboost
