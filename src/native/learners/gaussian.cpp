#include "learners/gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
// Entries of a full Sigma carry errors of about this much of the starting variance; a row's variance below that is not
// to be trusted.
constexpr double kRounding = 1e-12;
// A loaded Sigma: how far it may be from having no negative direction, and no entry above the starting variance.
constexpr double kSlack = 1e-9, kGrown = 1.0 + 1e-6;
// MacKay's approximation: the mean of a sigmoid of N(s, v) is about that of s / sqrt(1 + pi v / 8).
constexpr double kProbit = 0.39269908169872414;
}  // namespace

struct GaussianBank::Own final : LinearScratch {
    explicit Own(Layout layout) : LinearScratch(layout), active(h.size()) {}
    Vector active;                 // weights, 0 for a learner that stays as it is
    Vector products;               // Sigma x, a row per coordinate
    std::vector<double*> product;  // and where its rows are
};

std::unique_ptr<Scratch> GaussianBank::make_scratch() const { return std::make_unique<Own>(layout); }

GaussianBank::GaussianBank(std::size_t learners, Normalise normalise, Options options)
    : LinearBank(learners, normalise), options_(options), sigma_(layout.stride) {
    if (!options_.full) tables_.push_back(&sigma_);
    open();
}

std::string GaussianBank::limit() const {
    return "a full covariance takes at most " + std::to_string(kMostFeatures) +
           " features, and these rows bring more: use covariance=\"diagonal\" or a diagonal learner";
}

void GaussianBank::make_room(Scratch& shared, std::span<const FeatureId> fresh) {
    LinearBank::make_room(shared, fresh);
    if (options_.half_life > 0.0) onlineboost::make_room(met_, u_.rows() + fresh.size());
    if (!options_.full) return;
    auto& scratch = static_cast<Own&>(shared);
    const std::size_t d = u_.rows() + fresh.size();
    sigma_.make_room(d * (d + 1) / 2);
    onlineboost::make_room(entries_, d * (d + 1) / 2);
    onlineboost::make_room(coordinates_, d);
    if (scratch.products.size() < d * layout.stride) scratch.products.resize(d * layout.stride);
    onlineboost::make_room(scratch.product, d);
}

void GaussianBank::begin(std::uint64_t) {
    const std::size_t f = u_.rows() - 1;
    if (options_.full) {
        for (std::size_t g = 0; g <= f; ++g) entries_.push_back(sigma_.append());
        coordinates_.push_back(u_.row(f));
    } else if (options_.half_life > 0.0) {
        met_.push_back(static_cast<std::int64_t>(clock_));
    }
    double* own = sigma_.row(sigma_.rows() - 1);
    std::fill(own, own + layout.learners, options_.variance);
}

void GaussianBank::forget(std::size_t i) {
    u_.fill_column(i, 0.0);
    sigma_.fill_column(i, options_.full ? 0.0 : options_.variance);
    if (!options_.full) return;
    for (std::size_t f = 0, diagonal = 0; f < u_.rows(); ++f, diagonal += f + 1)
        sigma_.row(diagonal)[i] = options_.variance;
}

// What is left of what was known of a coordinate when it was met last.
double GaussianBank::kept(std::size_t coordinate) const {
    const auto rows = static_cast<double>(clock_ - static_cast<std::uint64_t>(met_[coordinate]));
    return math::exp_fixed(-rows * kLogTwo / options_.half_life);
}

void GaussianBank::age(LinearScratch& scratch) {
    if (!(options_.half_life > 0.0)) return;
    ++clock_;
    if (!options_.full) {
        for (const std::size_t f : scratch.at) {
            const double share = kept(f);
            double* own = sigma_.row(f);
            for (std::size_t i = 0; i < layout.learners; ++i) own[i] = aged(own[i], share);
            met_[f] = static_cast<std::int64_t>(clock_);
        }
        return;
    }
    const double share = math::exp_fixed(-kLogTwo / options_.half_life);
    for (std::size_t f = 0, at = 0; f < coordinates_.size(); ++f)
        for (std::size_t g = 0; g <= f; ++g, ++at)
            for (std::size_t i = 0; i < layout.learners; ++i)
                entries_[at][i] = f == g ? aged(entries_[at][i], share) : share * entries_[at][i];
}

void GaussianBank::list_rows() {
    coordinates_.clear();
    entries_.clear();
    for (std::size_t r = 0; r < u_.rows(); ++r) coordinates_.push_back(u_.row(r));
    for (std::size_t r = 0; r < sigma_.rows(); ++r) entries_.push_back(sigma_.row(r));
}

void GaussianBank::output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    const Kernels& kernel = kernels();
    const double* s = scratch.s.data();
    double* v = scratch.inv.data();
    if (options_.forward) variance(scratch, v, from, to);
    if (options_.rule == Rule::kLogistic) {
        if (!options_.forward) return kernel.squash(s, h, from, to);
        for (std::size_t i = from; i < to; ++i) v[i] = s[i] / std::sqrt(1.0 + kProbit * v[i]);
        return kernel.squash(v, h, from, to);
    }
    if (!options_.forward) return kernel.clip(s, h, from, to);
    for (std::size_t i = from; i < to; ++i) v[i] = s[i] / (1.0 + v[i]);
    kernel.clip(v, h, from, to);
}

void GaussianBank::variance(LinearScratch& scratch, double* v, std::size_t from, std::size_t to) const {
    const Kernels& kernel = kernels();
    const auto& x = scratch.values;
    if (options_.full)
        kernel.full_variance(entries_.data(), scratch.at.data(), x.data(), x.size(), v, from, to);
    else
        kernel.diagonal_variance(scratch.rows[1].data(), x.data(), x.size(), v, from, to);
    if (options_.half_life > 0.0 && !options_.full)
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double share = kept(scratch.at[k]), square = x[k] * x[k];
            const double* own = scratch.rows[1][k];
            for (std::size_t i = from; i < to; ++i) v[i] += (aged(own[i], share) - own[i]) * square;
        }
    const double unmet = options_.variance * scratch.unmet2;
    for (std::size_t i = from; i < to; ++i) v[i] = std::max(v[i] + unmet, 0.0);  // rounding of a full Sigma may pass 0
}

void GaussianBank::scalars(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) const {
    const Kernels& kernel = kernels();
    const double *s = scratch.s.data(), *v = scratch.inv.data();
    double *alpha = scratch.c.data(), *beta = scratch.q.data();
    switch (options_.rule) {
        case Rule::kArow:
            return kernel.arow(s, v, w, y, options_.first, alpha, beta, from, to);
        case Rule::kScw1:
        case Rule::kScw2:
            return kernel.scw(s, v, w, y, options_.phi, options_.first, options_.rule == Rule::kScw2, alpha, beta, from,
                              to);
        case Rule::kRidge:
            return kernel.ridge(s, v, w, y, alpha, beta, from, to);
        case Rule::kLogistic:
            return kernel.logistic(s, v, w, y, alpha, beta, from, to);
    }
}

void GaussianBank::learn(LinearScratch& shared, double y, const double* w, std::size_t from, std::size_t to) {
    auto& scratch = static_cast<Own&>(shared);
    const Kernels& kernel = kernels();
    const auto& x = scratch.values;
    double* v = scratch.inv.data();
    if (!options_.full) {
        kernel.diagonal_variance(scratch.rows[1].data(), x.data(), x.size(), v, from, to);
        scalars(scratch, y, w, from, to);
        kernel.diagonal_apply(scratch.rows[0].data(), scratch.rows[1].data(), x.data(), x.size(), scratch.c.data(),
                              scratch.q.data(), from, to);
        return;
    }
    const std::size_t d = coordinates_.size();
    scratch.product.resize(d);
    for (std::size_t f = 0; f < d; ++f) scratch.product[f] = scratch.products.data() + f * layout.stride;
    double length = 0.0;
    for (const double value : x) length += std::abs(value);
    // A margin of 1 or more asks AROW for nothing, whatever the variance: no product then.
    double* active = scratch.active.data();
    for (std::size_t i = from; i < to; ++i)
        active[i] = options_.rule == Rule::kArow && y * scratch.s[i] >= 1.0 ? 0.0 : w[i];
    kernel.full_product(entries_.data(), d, scratch.at.data(), x.data(), x.size(),
                        kRounding * options_.variance * (length * length), active, scratch.product.data(), v, from, to);
    scalars(scratch, y, active, from, to);
    kernel.full_apply(coordinates_.data(), entries_.data(), d, scratch.product.data(), scratch.c.data(),
                      scratch.q.data(), from, to);
    const double* beta = scratch.q.data();
    if (std::any_of(beta + from, beta + to, [](double b) { return b != 0.0; })) settle(from, to);
}

// A variance that rounding took below 0 is none: the coordinate is known. Its covariances go with it, so that Sigma
// stays one.
void GaussianBank::settle(std::size_t from, std::size_t to) {
    using Signs [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = std::int64_t;
    const std::size_t d = coordinates_.size();
    for (std::size_t f = 0, diagonal = 0; f < d; ++f, diagonal += f + 1) {
        const double* own = entries_[diagonal];
        std::size_t at = from;
        Signs signs = {};
        for (; at + 2 <= to; at += 2) signs |= *reinterpret_cast<const Signs*>(own + at);
        if ((signs[0] | signs[1]) >= 0 && (at == to || !(own[at] < 0.0))) continue;
        for (std::size_t i = from; i < to; ++i) {
            if (!(own[i] < 0.0)) continue;
            for (std::size_t g = 0; g < d; ++g) entries_[f >= g ? f * (f + 1) / 2 + g : g * (g + 1) / 2 + f][i] = 0.0;
        }
    }
}

// Whether learner i's Sigma, with a little added to its diagonal, has a Cholesky factor. Without it the updates would
// blow up.
bool GaussianBank::is_covariance(std::size_t d, std::size_t i) const {
    std::vector<double> factor(d * (d + 1) / 2);
    for (std::size_t f = 0; f < d; ++f) {
        double* own = &factor[f * (f + 1) / 2];
        for (std::size_t g = 0; g <= f; ++g) {
            const double* other = &factor[g * (g + 1) / 2];
            double rest = sigma_.row(f * (f + 1) / 2 + g)[i] + (f == g ? kSlack * options_.variance : 0.0);
            for (std::size_t k = 0; k < g; ++k) rest -= own[k] * other[k];
            if (f == g && !(rest > 0.0)) return false;
            own[g] = f == g ? std::sqrt(rest) : rest / other[g];
        }
    }
    return true;
}

void GaussianBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    const std::size_t d = ids.size() + offset_;
    if (archive.loading() && ids.size() > most_features())
        throw std::invalid_argument("state field 'features' has more than a full covariance takes");
    archive.table("coordinates", u_, layout.learners, d, Archive::kLargestCoordinate);
    archive.table("covariance", sigma_, layout.learners, options_.full ? d * (d + 1) / 2 : d,
                  kGrown * options_.variance);
    if (options_.half_life > 0.0 && !options_.full) {
        archive.counter("rows_met", clock_);
        archive.integers("coordinates_met", met_);
        Archive::check(met_.size() == d, "coordinates_met");
        for (const std::int64_t one : met_)
            Archive::check(one >= 0 && static_cast<std::uint64_t>(one) <= clock_, "coordinates_met");
    }
    if (!archive.loading()) return;
    if (options_.full)
        for (std::size_t i = 0; i < layout.learners; ++i) Archive::check(is_covariance(d, i), "covariance");
    else
        require_none_below_zero(sigma_, "covariance");
    list_rows();
}

std::unique_ptr<Bank> GaussianBank::build(const Parameters& p, std::size_t learners) {
    const Options options{p.choice<Rule>("rule", {"arow", "scw1", "scw2", "ridge", "logistic"}),
                          p.flag("full"),
                          p.number("first"),
                          p.number("phi"),
                          p.number("variance"),
                          p.flag("forward"),
                          p.has("half_life") ? p.number("half_life") : 0.0};
    return std::make_unique<GaussianBank>(learners, Normalise::from(p), options);
}

}  // namespace onlineboost
