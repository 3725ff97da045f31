#include "learners/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/crew.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestMean = 1e125;  // differences are squared and divided by a variance of 1e-30
constexpr double kLargestTotal = 1e37;  // products of eight are taken
}  // namespace

NaiveBayesBank::NaiveBayesBank(std::size_t learners, Normalise normalise, Kind kind, double alpha,
                               double variance_floor, bool paper, double kept)
    : BankWith(learners), normalise_(normalise), kind_(kind),
      rule_(paper && kind == Kind::kBernoulli ? BayesRule{alpha, alpha, alpha, -1.0}
                                              : BayesRule{alpha, 2.0 * alpha, 0.0, kSeen}),
      floor_(variance_floor), kept_(kept), pooled_(paper && kind == Kind::kGaussian),
      classes_{Class(layout.stride), Class(layout.stride)}, both_(layout.stride), nothing_(layout.stride),
      has_constant_(kind == Kind::kGaussian && normalise.intercept), own_(layout.stride, !paper) {
    if (has_constant_) new_place(true);
    list_rows();
    zeros_.resize(classes_[0].mean.rows(), 0.0);
    for (const int c : {0, 1}) derive(c, 0, layout.stride);
}

NaiveBayesBank::Place NaiveBayesBank::new_place(bool gaussian) {
    for (Class& side : classes_) {
        if (gaussian) {
            side.mean.append();
            side.m2.append();
            side.inverse.append();
        } else {
            side.counts.append();
        }
    }
    return {gaussian, (gaussian ? classes_[0].mean.rows() : classes_[0].counts.rows()) - 1};
}

void NaiveBayesBank::list_rows() {
    list_rows(false, counts_at_);
    list_rows(true, moments_at_);
    all_listed_ = true;
    for (std::size_t slot = 0; slot < places_.size(); ++slot) all_listed_ &= own_.of(slot) == OwnWeights::kNone;
}

void NaiveBayesBank::list_rows(bool gaussian, std::vector<std::int32_t>& at) {
    at.assign((gaussian ? classes_[0].mean : classes_[0].counts).rows(), 0);
    for (std::size_t slot = 0; slot < places_.size(); ++slot)
        if (places_[slot].gaussian == gaussian && own_.of(slot) != OwnWeights::kNone) at[places_[slot].row] = -1;
    std::int32_t listed = 0;
    for (std::int32_t& place : at) place = place < 0 ? place : listed++;
    for (int c = 0; c < 2; ++c) {
        Table* tables[4] = {&classes_[c].counts, &classes_[c].mean, &classes_[c].m2, &classes_[c].inverse};
        for (int k = gaussian ? 1 : 0; k < (gaussian ? 4 : 1); ++k) {
            lists_[c][k].resize(static_cast<std::size_t>(listed));
            for (std::size_t r = 0; r < at.size(); ++r)
                if (at[r] >= 0) lists_[c][k][static_cast<std::size_t>(at[r])] = tables[k]->row(r);
        }
    }
}

// What follows from counts and moments; the kernels keep it up to date, a new row or a loaded state asks for it anew.
void NaiveBayesBank::derive(int c, std::size_t from, std::size_t to) {
    Class& side = classes_[c];
    derive_absent(c, from, to);
    kernels().gaussian_update(lists_[c][1].data(), lists_[c][2].data(), lists_[c][3].data(), zeros_.data(),
                              lists_[c][1].size(), nothing_.data(), weights_of(c), floor_, side.spread.data(), from,
                              to);
    for (std::size_t own = 0; own < own_.size(); ++own)
        if (const Place place = places_[own_.slot(own)]; place.gaussian)
            own_.learn_density(c, own, side, place.row, 0.0, nothing_.data(), floor_, from, to);
}

// Pooled, the variances of the other class change as well, though nothing of its moments does.
void NaiveBayesBank::learn_moments(int c, NaiveBayesScratch& scratch, const double* w, std::size_t from,
                                   std::size_t to) {
    if (scratch.values.empty()) return;
    const auto learn = [&](int k, const double* weights) {
        kernels().gaussian_update(lists_[k][1].data(), lists_[k][2].data(), lists_[k][3].data(), scratch.values.data(),
                                  scratch.values.size(), weights, weights_of(k), floor_, classes_[k].spread.data(),
                                  from, to);
    };
    if (pooled_) {
        for (std::size_t i = from; i < to; ++i) both_[i] = classes_[0].total[i] + classes_[1].total[i];
        learn(1 - c, nothing_.data());
    }
    learn(c, w);
}

void NaiveBayesBank::derive_absent(int c, std::size_t from, std::size_t to) {
    Class& side = classes_[c];
    kernels().bernoulli_absent(lists_[c][0].data(), lists_[c][0].size(), side.total.data(), &rule_, side.absent.data(),
                               side.exponent.data(), from, to);
}

void NaiveBayesBank::make_room(Scratch& shared, std::span<const FeatureId> fresh) {
    NaiveBayesScratch& scratch = own(shared);
    const Row& row = *scratch.row;
    std::size_t turning = 0;  // to Gaussian
    GapWalk gaps(row, own_.wanted());
    if (kind_ == Kind::kAuto)
        for (std::size_t k = 0; k < row.size(); ++k)
            if (!gaps.missing(k) && row.raw[k] != 1.0)
                turning +=
                    row.slots[k] == Features::kUnseen || !places_[static_cast<std::size_t>(row.slots[k])].gaussian;
    if (own_.make_room(scratch.own, row, fresh.size()) == 0 && fresh.empty() && turning == 0) return;
    const std::size_t binary = classes_[0].counts.rows() + (kind_ == Kind::kGaussian ? 0 : fresh.size());
    const std::size_t gaussian = classes_[0].mean.rows() + (kind_ == Kind::kGaussian ? fresh.size() : turning);
    for (int c = 0; c < 2; ++c) {
        Table* tables[4] = {&classes_[c].counts, &classes_[c].mean, &classes_[c].m2, &classes_[c].inverse};
        for (int k = 0; k < 4; ++k) {
            tables[k]->make_room(k == 0 ? binary : gaussian);
            onlineboost::make_room(lists_[c][k], k == 0 ? binary : gaussian);
        }
    }
    onlineboost::make_room(places_, places_.size() + fresh.size());
    onlineboost::make_room(owners_, binary);
    onlineboost::make_room(counts_at_, binary);
    onlineboost::make_room(moments_at_, gaussian);
    onlineboost::make_room(scratch.values, gaussian);
    zeros_.resize(std::max(zeros_.size(), gaussian), 0.0);
}

// The values so far were 0 or 1 before normalisation; the norm of the present row stands in for the norms of theirs.
void NaiveBayesBank::make_gaussian(std::size_t slot, double norm) {
    const std::size_t old = places_[slot].row;
    const Place place = new_place(true);
    const std::int32_t own = own_.of(slot);
    for (int c = 0; c < 2; ++c) {
        Class& side = classes_[c];
        const double* total = own < 0 ? side.total.data() : own_.total(c, static_cast<std::size_t>(own));
        const double* count = side.counts.row(old);
        double* mean = side.mean.row(place.row);
        double* m2 = side.m2.row(place.row);
        for (std::size_t i = 0; i < layout.learners; ++i) {
            const double n = total[i];
            mean[i] = n > 0.0 ? count[i] / n / norm : 0.0;
            m2[i] = n > 0.0 ? count[i] * (n - count[i]) / n / (norm * norm) : 0.0;
        }
        side.counts.remove_swap(old);
    }
    owners_[old] = owners_.back();
    owners_.pop_back();
    if (old < owners_.size()) places_[owners_[old]].row = old;
    places_[slot] = place;
}

void NaiveBayesBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    const Row& row = *scratch.row;
    bool changed = from < ids.size();
    const bool fades = kept_ < 1.0 && !scratch.rests;
    if (fades) fade();
    for (std::size_t slot = from; slot < ids.size(); ++slot) {
        places_.push_back(new_place(kind_ == Kind::kGaussian));
        if (!places_.back().gaussian) owners_.push_back(slot);
    }
    changed |= own_.meet(row, ids, from, classes_[0].total, classes_[1].total);
    GapWalk gaps(row, own_.wanted());
    if (kind_ == Kind::kAuto && !scratch.rests)
        for (std::size_t k = 0; k < row.size(); ++k)
            if (!gaps.missing(k) && row.raw[k] != 1.0 && !places_[static_cast<std::size_t>(row.slots[k])].gaussian) {
                make_gaussian(static_cast<std::size_t>(row.slots[k]), norm_of(row));
                changed = true;
            }
    if (changed) list_rows();
    if (changed || fades)
        for (const int c : {0, 1}) derive(c, 0, layout.stride);
    if (changed) gather(own(scratch));
}

// Means stay; what is derived is to be derived anew.
void NaiveBayesBank::fade() {
    for (int c = 0; c < 2; ++c)
        onlineboost::fade(kept_, classes_[c].total, {&classes_[c].counts, &classes_[c].m2, &own_.totals(c)});
    for (std::size_t i = 0; i < layout.stride; ++i) both_[i] = classes_[0].total[i] + classes_[1].total[i];
}

void NaiveBayesBank::gather(NaiveBayesScratch& scratch) const {
    const Row& row = *scratch.row;
    for (auto& rows : scratch.rows) rows.resize(row.size());  // met or not: meet gathers again, without allocating
    scratch.values.assign(lists_[0][1].size(), 0.0);
    own_.begin(scratch.own);
    const double norm = row.gaps.empty() ? normalise_.norm(row) : norm_of(row);
    if (has_constant_) scratch.values[0] = 1.0 / norm;
    const std::size_t present =
        all_listed_ && row.gaps.empty() ? gather_all(scratch, norm) : gather_some(scratch, norm);
    for (auto& rows : scratch.rows) rows.resize(present);
}

// Where all features share the weights of the classes and none is missing: they are listed in the order of their rows.
// Gives how many binary features are present.
std::size_t NaiveBayesBank::gather_all(NaiveBayesScratch& scratch, double norm) const {
    const Row& row = *scratch.row;
    double *const *counts1 = lists_[1][0].data(), *const *counts0 = lists_[0][0].data();
    double **plus = scratch.rows[0].data(), **minus = scratch.rows[1].data(), *values = scratch.values.data();
    std::size_t present = 0;
    for (std::size_t k = 0, n = row.size(); k < n; ++k) {
        if (row.slots[k] == Features::kUnseen) continue;
        const Place place = places_[static_cast<std::size_t>(row.slots[k])];
        if (place.gaussian) {
            values[place.row] = row.raw[k] / norm;
        } else if (row.raw[k] > 0.0) {
            plus[present] = counts1[place.row];
            minus[present++] = counts0[place.row];
        }
    }
    return present;
}

std::size_t NaiveBayesBank::gather_some(NaiveBayesScratch& scratch, double norm) const {
    const Row& row = *scratch.row;
    auto& self = const_cast<NaiveBayesBank&>(*this);  // rows are written by update only
    GapWalk gaps(row, own_.wanted());
    bool moments_missing = false;
    std::size_t present = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const bool missing = gaps.missing(k);
        if (row.slots[k] == Features::kUnseen) continue;
        const auto slot = static_cast<std::size_t>(row.slots[k]);
        const Place place = places_[slot];
        const double value = missing ? OwnWeights::kMissing : place.gaussian ? row.raw[k] / norm : row.raw[k];
        const std::int32_t own = own_.of(slot);
        if (own == OwnWeights::kIndicator) continue;
        if (own >= 0) {
            scratch.own.values[static_cast<std::size_t>(own)] = value;
            continue;
        }
        if (missing) scratch.own.left_out.push_back(slot);
        if (place.gaussian) {
            scratch.values[static_cast<std::size_t>(moments_at_[place.row])] = value;
            moments_missing |= missing;
        } else if (value > 0.0) {
            scratch.rows[0][present] = self.classes_[1].counts.row(place.row);
            scratch.rows[1][present++] = self.classes_[0].counts.row(place.row);
        }
    }
    if (moments_missing) OwnWeights::leave_out(scratch.own, listed(), scratch.values);
    return present;
}

void NaiveBayesBank::score(Scratch& shared) const {
    NaiveBayesScratch& scratch = own(shared);
    gather(scratch);
    const std::size_t numbers = 2 * scratch.rows[0].size() + 4 * scratch.values.size();
    sweep(scratch.threads, layout.stride, numbers,
          [&](std::size_t from, std::size_t to) { output(scratch, scratch.h.data(), from, to); });
}

void NaiveBayesBank::output(NaiveBayesScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    const Kernels& kernel = kernels();
    const auto side = [&scratch](const Class& c, const std::vector<double*>& present) {
        return BayesSide{c.total.data(), c.absent.data(), c.exponent.data(), c.spread.data(), present.data()};
    };
    const BayesSide plus = side(classes_[1], scratch.rows[0]), minus = side(classes_[0], scratch.rows[1]);
    const bool own = own_.size() > 0 || !scratch.own.left_out.empty();
    const bool gaussian = !scratch.values.empty() || own;
    if (gaussian) OwnWeights::score_listed(scratch.own, listed(), scratch.values, scratch.q.data(), from, to);
    if (own) judge_own(scratch, from, to);
    kernel.bayes_output(&plus, &minus, scratch.rows[0].size(), &rule_, gaussian ? scratch.q.data() : nullptr, h, from,
                        to);
}

void NaiveBayesBank::update(Scratch& shared, double y, const double* w) {
    NaiveBayesScratch& scratch = own(shared);
    const Kernels& kernel = kernels();
    const int c = y > 0.0 ? 1 : 0;
    Class& side = classes_[c];
    const auto& present = scratch.rows[1 - c];
    double* total = side.total.data();
    const std::size_t numbers = lists_[c][0].size() + 3 * scratch.values.size();
    sweep(scratch.threads, layout.stride, numbers, [&](std::size_t from, std::size_t to) {
        kernel.add_weights(&total, 1, w, from, to);
        kernel.add_weights(present.data(), present.size(), w, from, to);
        if (!lists_[c][0].empty()) derive_absent(c, from, to);
        learn_moments(c, scratch, w, from, to);
        if (own_.size() > 0) learn_own(scratch, c, w, from, to);
    });
}

double NaiveBayesBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    NaiveBayesScratch& scratch = own(shared);
    const double weight = w * times;
    if (weight <= 0.0) return scratch.h[i];
    // The same kernels, on learner i alone. scratch.h stays; the new output goes to scratch.after.
    const int c = y > 0.0 ? 1 : 0;
    Class& side = classes_[c];
    side.total[i] += weight;
    for (double* row : scratch.rows[1 - c]) row[i] += weight;
    if (!lists_[c][0].empty()) derive_absent(c, i, i + 1);
    scratch.weights[i] = weight;
    learn_moments(c, scratch, scratch.weights.data(), i, i + 1);
    if (own_.size() > 0) learn_own(scratch, c, scratch.weights.data(), i, i + 1);
    output(scratch, scratch.after.data(), i, i + 1);
    return scratch.after[i];
}

void NaiveBayesBank::forget(std::size_t i) {
    both_[i] = 0.0;
    own_.forget(i);
    for (Class& side : classes_) {
        side.total[i] = 0.0;
        for (Table* table : {&side.counts, &side.mean, &side.m2}) table->fill_column(i, 0.0);
    }
    for (const int c : {0, 1}) derive(c, i, i + 1);
}

// The kernels divide by totals and take logarithms of what is left of them, so that these must be what weights add up
// to.
void NaiveBayesBank::check(const Class& side, const std::string& name) const {
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const double total = side.total[i];
        Archive::check(total == 0.0 || total >= kNegligible, name + "totals");
        for (std::size_t r = 0; r < side.counts.rows(); ++r)
            Archive::check(side.counts.row(r)[i] >= 0.0 && side.counts.row(r)[i] <= total, name + "counts");
        for (std::size_t r = 0; r < side.m2.rows(); ++r)
            Archive::check(side.m2.row(r)[i] >= 0.0 && side.m2.row(r)[i] <= kLargestVariance * total, name + "squares");
    }
}

void NaiveBayesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> rows;  // -1 - r for Gaussian row r, r for binary row r
    for (const Place& p : places_)
        rows.push_back(p.gaussian ? -1 - static_cast<std::int64_t>(p.row) : static_cast<std::int64_t>(p.row));
    archive.integers("places", rows);
    const std::size_t constant = has_constant_ ? 1 : 0;
    std::size_t gaussian = constant, binary = 0;
    for (const std::int64_t r : rows) (r < 0 ? gaussian : binary) += 1;
    if (archive.loading()) {
        if (rows.size() != ids.size()) throw std::invalid_argument("state field 'places' has the wrong length");
        places_.clear();
        owners_.assign(binary, 0);
        std::vector<bool> used(gaussian + binary, false);
        for (std::size_t slot = 0; slot < rows.size(); ++slot) {
            const bool is_gaussian = rows[slot] < 0;
            const auto row = static_cast<std::size_t>(is_gaussian ? -1 - rows[slot] : rows[slot]);
            const std::size_t mark = is_gaussian ? binary + row : row;
            if (row >= (is_gaussian ? gaussian : binary) || (is_gaussian && row < constant) || used[mark])
                throw std::invalid_argument("state field 'places' names a row twice or out of range");
            used[mark] = true;
            places_.push_back({is_gaussian, row});
            if (!is_gaussian) owners_[row] = slot;
        }
    }
    for (int c = 0; c < 2; ++c) {
        const std::string side = c == 1 ? "plus." : "minus.";
        archive.numbers(side + "totals", classes_[c].total.data(), layout.learners, 0.0, kLargestTotal);
        archive.table(side + "counts", classes_[c].counts, layout.learners, binary);
        archive.table(side + "means", classes_[c].mean, layout.learners, gaussian, kLargestMean);
        archive.table(side + "squares", classes_[c].m2, layout.learners, gaussian);
        if (archive.loading()) {
            while (classes_[c].inverse.rows() < gaussian) classes_[c].inverse.append();
            check(classes_[c], side);
        }
    }
    own_.serialise(archive, ids, layout.learners, classes_[0].total, classes_[1].total);
    if (archive.loading()) check_own();
    if (archive.loading()) {
        for (std::size_t i = 0; i < layout.learners; ++i) both_[i] = classes_[0].total[i] + classes_[1].total[i];
        list_rows();
        zeros_.resize(gaussian, 0.0);
        for (const int c : {0, 1}) derive(c, 0, layout.stride);
    }
}

std::unique_ptr<Bank> NaiveBayesBank::build(const Parameters& p, std::size_t learners) {
    const auto kind = p.choice<Kind>("features", {"auto", "bernoulli", "gaussian"});
    return std::make_unique<NaiveBayesBank>(learners, Normalise::from(p), kind, p.number("alpha"),
                                            p.number("variance_floor"), p.flag("paper"), kept_share(p));
}

}  // namespace onlineboost
