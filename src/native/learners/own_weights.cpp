#include "learners/own_weights.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

std::size_t OwnWeights::make_room(OwnWeightsScratch& scratch, const Row& row, std::size_t fresh) {
    onlineboost::make_room(own_of_, own_of_.size() + fresh);
    if (!wanted_ || row.gaps.empty()) return 0;
    std::size_t coming = 0;
    for (const std::uint32_t k : row.gaps)
        coming += row.slots[k] == Features::kUnseen || own_of_[static_cast<std::size_t>(row.slots[k])] == kNone;
    onlineboost::make_room(slots_, size() + coming);
    onlineboost::make_room(scratch.values, size() + coming);
    for (Table* table : {&totals_[0], &totals_[1], &spreads_[0], &spreads_[1]}) table->make_room(size() + coming);
    return coming;
}

bool OwnWeights::meet(const Row& row, const std::vector<FeatureId>& ids, std::size_t from, const Vector& minus,
                      const Vector& plus) {
    for (std::size_t slot = from; slot < ids.size(); ++slot)
        own_of_.push_back(wanted_ && is_indicator(ids[slot]) ? kIndicator : kNone);
    const std::size_t before = size();
    if (wanted_)
        for (const std::uint32_t k : row.gaps) {
            std::int32_t& own = own_of_[static_cast<std::size_t>(row.slots[k])];
            if (own != kNone) continue;
            own = static_cast<std::int32_t>(size());
            slots_.push_back(static_cast<std::size_t>(row.slots[k]));
            std::copy(minus.begin(), minus.end(), totals_[0].append());
            std::copy(plus.begin(), plus.end(), totals_[1].append());
            for (Table& table : spreads_) table.append();
        }
    return size() > before;
}

void OwnWeights::add_counts(OwnWeightsScratch& scratch, const double* plus, const double* minus, const double* n_plus,
                            const double* n_minus, double alpha, double pseudo, double times, double* q,
                            std::size_t from, std::size_t to) {
    double* term = scratch.term.data();
    kernels().categorical(&plus, &minus, &pseudo, 1, n_plus, n_minus, alpha, term, from, to);
    for (std::size_t i = from; i < to; ++i)
        q[i] += n_plus[i] > kSeen && n_minus[i] > kSeen ? 2.0 * times * term[i] : 0.0;
}

void OwnWeights::add_density(OwnWeightsScratch& scratch, std::size_t own, const BayesClass& plus,
                             const BayesClass& minus, std::size_t row, double* q, std::size_t from,
                             std::size_t to) const {
    double* term = scratch.term.data();
    const double* rows[4] = {plus.mean.row(row), plus.inverse.row(row), minus.mean.row(row), minus.inverse.row(row)};
    kernels().gaussian_score(rows, rows + 1, rows + 2, rows + 3, &scratch.values[own], 1, term, from, to);
    const double *n1 = total(1, own), *n0 = total(0, own), *s1 = spread(1, own), *s0 = spread(0, own);
    for (std::size_t i = from; i < to; ++i) q[i] += n1[i] > kSeen && n0[i] > kSeen ? term[i] - (s1[i] - s0[i]) : 0.0;
}

void OwnWeights::learn_density(int c, std::size_t own, BayesClass& side, std::size_t row, double value, const double* w,
                               double floor, std::size_t from, std::size_t to) {
    double *mean = side.mean.row(row), *m2 = side.m2.row(row), *inverse = side.inverse.row(row);
    kernels().gaussian_update(&mean, &m2, &inverse, &value, 1, w, total(c, own), floor, spread(c, own), from, to);
}

void OwnWeights::check_density(int c, std::size_t own, const BayesClass& side, std::size_t row,
                               std::size_t learners) const {
    for (std::size_t i = 0; i < learners; ++i)
        Archive::check(side.m2.row(row)[i] <= kLargestVariance * std::max(total(c, own)[i], kNegligible), "own_totals");
}

void OwnWeights::leave_out(OwnWeightsScratch& scratch, const Listed& listed, const std::vector<double>& values) {
    const std::vector<double*>* lists[4] = {&listed.mean1, &listed.inverse1, &listed.mean0, &listed.inverse0};
    scratch.whole = false;
    scratch.others.clear();
    for (auto& list : scratch.rest) list.clear();
    for (std::size_t r = 0; r < values.size(); ++r) {
        if (std::isnan(values[r])) continue;
        scratch.others.push_back(values[r]);
        for (int k = 0; k < 4; ++k) scratch.rest[k].push_back((*lists[k])[r]);
    }
}

void OwnWeights::score_listed(const OwnWeightsScratch& scratch, const Listed& listed, const std::vector<double>& values,
                              double* q, std::size_t from, std::size_t to) {
    const auto& rest = scratch.rest;
    const Listed given = scratch.whole ? listed : Listed{rest[0], rest[1], rest[2], rest[3]};
    const std::vector<double>& x = scratch.whole ? values : scratch.others;
    kernels().gaussian_score(given.mean1.data(), given.inverse1.data(), given.mean0.data(), given.inverse0.data(),
                             x.data(), x.size(), q, from, to);
}

void OwnWeights::take_spread_back(const double* inverse1, const double* inverse0, double* q, std::size_t from,
                                  std::size_t to) {
    for (std::size_t i = from; i < to; ++i) q[i] += math::log_fixed(inverse0[i]) - math::log_fixed(inverse1[i]);
}

void OwnWeights::serialise(Archive& archive, const std::vector<FeatureId>& ids, std::size_t learners,
                           const Vector& minus, const Vector& plus) {
    if (!archive.loading() && !wanted_) return;
    if (archive.loading()) {
        wanted_ = wanted_ && archive.has("own_weights");  // an earlier file keeps its rule
        own_of_.assign(ids.size(), kNone);
        if (!wanted_) return;
    }
    std::vector<std::int64_t> slots(slots_.begin(), slots_.end());
    archive.integers("own_weights", slots);
    if (archive.loading()) {
        for (std::size_t slot = 0; slot < ids.size(); ++slot)
            if (is_indicator(ids[slot])) own_of_[slot] = kIndicator;
        for (const std::int64_t slot : slots) {
            const auto at = static_cast<std::size_t>(slot);
            if (slot < 0 || at >= ids.size() || own_of_[at] != kNone)
                throw std::invalid_argument("state field 'own_weights' names a feature twice or out of range");
            own_of_[at] = static_cast<std::int32_t>(size());
            slots_.push_back(at);
            for (Table& table : spreads_) table.append();
        }
    }
    if (slots.empty()) return;
    for (int c = 0; c < 2; ++c) {
        const std::string name = c == 1 ? "plus.own_totals" : "minus.own_totals";
        archive.table(name, totals_[c], learners, slots.size());
        if (!archive.loading()) continue;
        for (std::size_t own = 0; own < slots.size(); ++own)
            for (std::size_t i = 0; i < learners; ++i) {
                const double weight = totals_[c].row(own)[i];
                Archive::check((weight == 0.0 || weight >= kNegligible) && weight <= (c == 1 ? plus : minus)[i], name);
            }
    }
}

}  // namespace onlineboost
