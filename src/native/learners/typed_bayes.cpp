#include "learners/typed_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestValue = 1e100;  // of an input
constexpr double kLargestMean = 1e125;   // differences are squared and divided by a variance of 1e-30
constexpr double kLargestTotal = 1e35;   // products of eight are taken, of some of them and pseudo-counts
}  // namespace

TypedBayesBank::TypedBayesBank(std::size_t learners, double alpha, double variance_floor, std::size_t most_values,
                               double kept)
    : BankWith(learners), alpha_(alpha), floor_(variance_floor), most_values_(most_values), kept_(kept),
      classes_{BayesClass(layout.stride), BayesClass(layout.stride)}, nothing_(layout.stride),
      ones_(layout.stride, 1.0), own_(layout.stride, true) {}

void TypedBayesBank::make_room(Scratch& shared, std::span<const FeatureId> fresh) {
    TypedBayesScratch& scratch = own(shared);
    std::size_t turning = 0, freed = 0;
    for (const std::size_t slot : scratch.surprised) {
        Feature& feature = features_[slot];
        if (feature.values.size() < most_values_) {
            onlineboost::make_room(feature.values, feature.values.size() + 1);
        } else {
            ++turning;
            freed += feature.values.size();
        }
    }
    coming_.clear();
    onlineboost::make_room(coming_, fresh.size());
    for (std::size_t k = 0; k < fresh.size(); ++k) {
        coming_.emplace_back();
        coming_.back().values.reserve(2);
        if (most_values_ < 2) ++turning, freed += 2;
    }
    const std::size_t owning = own_.make_room(scratch.own, *scratch.row, fresh.size());
    if (scratch.surprised.empty() && fresh.empty() && owning == 0) return;
    onlineboost::make_room(scratch.own_rows, own_.size() + owning);
    onlineboost::make_room(moments_at_, classes_[0].mean.rows() + turning);
    const std::size_t features = features_.size() + fresh.size(), gaussian = classes_[0].mean.rows() + turning;
    for (int c = 0; c < 2; ++c) {
        Table* tables[3] = {&classes_[c].mean, &classes_[c].m2, &classes_[c].inverse};
        for (int k = 0; k < 3; ++k) {
            tables[k]->make_room(gaussian);
            onlineboost::make_room(moments_[c][k], gaussian);
        }
        const std::size_t asked = scratch.surprised.size() + 2 * fresh.size();
        classes_[c].counts.make_room(classes_[c].counts.rows() + asked - std::min(asked, free_.size()));
        onlineboost::make_room(scratch.rows[c], features);
    }
    onlineboost::make_room(free_, free_.size() + freed);
    onlineboost::make_room(features_, features);
    onlineboost::make_room(scratch.dense, features);
    onlineboost::make_room(scratch.pseudo, features);
    onlineboost::make_room(scratch.values, gaussian);
    zeros_.resize(std::max(zeros_.size(), gaussian), 0.0);
}

std::size_t TypedBayesBank::new_count_row() {
    if (free_.empty()) {
        for (BayesClass& side : classes_) side.counts.append();
        return classes_[0].counts.rows() - 1;
    }
    const std::size_t row = free_.back();
    free_.pop_back();
    return row;
}

// The moments are those of the counts, exactly.
void TypedBayesBank::make_gaussian(std::size_t slot) {
    Feature& feature = features_[slot];
    feature.gaussian = true;
    feature.row = classes_[0].mean.rows();
    for (int c = 0; c < 2; ++c) {
        BayesClass& side = classes_[c];
        const double* total = total_of(c, slot);
        double* mean = side.mean.append();
        double* m2 = side.m2.append();
        side.inverse.append();
        for (std::size_t i = 0; i < layout.learners; ++i) {
            double sum = 0.0;
            for (const Value& v : feature.values) sum += side.counts.row(v.row)[i] * v.value;
            mean[i] = total[i] > 0.0 ? sum / total[i] : 0.0;
            for (const Value& v : feature.values)
                m2[i] += side.counts.row(v.row)[i] * ((v.value - mean[i]) * (v.value - mean[i]));
        }
        for (const Value& v : feature.values) std::fill_n(side.counts.row(v.row), layout.stride, 0.0);
    }
    for (const Value& v : feature.values) free_.push_back(v.row);
    feature.values.clear();
}

void TypedBayesBank::list_moments() {
    moments_at_.assign(classes_[0].mean.rows(), 0);
    for (std::size_t own = 0; own < own_.size(); ++own)
        if (const Feature& feature = features_[own_.slot(own)]; feature.gaussian) moments_at_[feature.row] = -1;
    std::int32_t listed = 0;
    for (std::int32_t& at : moments_at_) at = at < 0 ? at : listed++;
    for (int c = 0; c < 2; ++c) {
        Table* tables[3] = {&classes_[c].mean, &classes_[c].m2, &classes_[c].inverse};
        for (int k = 0; k < 3; ++k) {
            moments_[c][k].resize(static_cast<std::size_t>(listed));
            for (std::size_t r = 0; r < moments_at_.size(); ++r)
                if (moments_at_[r] >= 0) moments_[c][k][static_cast<std::size_t>(moments_at_[r])] = tables[k]->row(r);
        }
    }
}

void TypedBayesBank::derive(int c, std::size_t from, std::size_t to) {
    kernels().gaussian_update(moments_[c][0].data(), moments_[c][1].data(), moments_[c][2].data(), zeros_.data(),
                              moments_[c][0].size(), nothing_.data(), classes_[c].total.data(), floor_,
                              classes_[c].spread.data(), from, to);
    for (std::size_t own = 0; own < own_.size(); ++own)
        if (const Feature& feature = features_[own_.slot(own)]; feature.gaussian)
            own_.learn_density(c, own, classes_[c], feature.row, 0.0, nothing_.data(), floor_, from, to);
}

void TypedBayesBank::spread_out(TypedBayesScratch& scratch) const {
    const Row& row = *scratch.row;
    scratch.dense.assign(features_.size(), 0.0);
    GapWalk gaps(row, own_.wanted());
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double value = gaps.missing(k) ? OwnWeights::kMissing : row.raw[k];
        if (const std::int32_t slot = row.slots[k]; slot != Features::kUnseen)
            scratch.dense[static_cast<std::size_t>(slot)] = value;
    }
}

// A value that was never learned says nothing, and neither does one that is missing.
void TypedBayesBank::gather(TypedBayesScratch& scratch) const {
    auto& self = const_cast<TypedBayesBank&>(*this);  // rows are written by update only
    spread_out(scratch);
    scratch.rows[0].clear();
    scratch.rows[1].clear();
    scratch.pseudo.clear();
    scratch.surprised.clear();
    scratch.values.assign(moments_[0][0].size(), 0.0);
    own_.begin(scratch.own);
    scratch.own_rows.assign(own_.size(), -1);
    bool moments_missing = false;
    for (std::size_t slot = 0; slot < features_.size(); ++slot) {
        const Feature& feature = features_[slot];
        const std::int32_t own = own_.of(slot);
        if (own == OwnWeights::kIndicator) continue;
        const double value = scratch.dense[slot];
        const bool missing = std::isnan(value);
        if (own >= 0) scratch.own.values[static_cast<std::size_t>(own)] = value;
        if (feature.gaussian) {
            if (own >= 0) continue;
            scratch.values[static_cast<std::size_t>(moments_at_[feature.row])] = value;
            if (missing) scratch.own.left_out.push_back(slot);
            moments_missing |= missing;
            continue;
        }
        if (missing) continue;
        bool found = false;
        for (const Value& v : feature.values)
            if (v.value == value) {
                found = true;
                if (own >= 0) {
                    scratch.own_rows[static_cast<std::size_t>(own)] = static_cast<std::int64_t>(v.row);
                    break;
                }
                scratch.rows[0].push_back(self.classes_[1].counts.row(v.row));
                scratch.rows[1].push_back(self.classes_[0].counts.row(v.row));
                scratch.pseudo.push_back(alpha_ * static_cast<double>(feature.values.size()));
                break;
            }
        if (!found) scratch.surprised.push_back(slot);
    }
    if (moments_missing) OwnWeights::leave_out(scratch.own, listed(), scratch.values);
}

void TypedBayesBank::score(Scratch& shared) const {
    TypedBayesScratch& scratch = own(shared);
    gather(scratch);
    output(scratch, scratch.h.data(), 0, layout.stride);
}

void TypedBayesBank::output(TypedBayesScratch& scratch, double* h, std::size_t from, std::size_t to) const {
    const auto side = [this](const BayesClass& c) {
        return BayesSide{c.total.data(), ones_.data(), nothing_.data(), c.spread.data(), nullptr};
    };
    const BayesSide plus = side(classes_[1]), minus = side(classes_[0]);
    const BayesRule rule{alpha_, 2.0 * alpha_, 0.0, kSeen};
    double* q = scratch.q.data();
    kernels().categorical(scratch.rows[0].data(), scratch.rows[1].data(), scratch.pseudo.data(), scratch.pseudo.size(),
                          plus.total, minus.total, alpha_, scratch.s.data(), from, to);
    OwnWeights::score_listed(scratch.own, listed(), scratch.values, q, from, to);
    for (std::size_t i = from; i < to; ++i) q[i] += 2.0 * scratch.s[i];  // half of q counts in the log odds
    judge_own(scratch, from, to);
    kernels().bayes_output(&plus, &minus, 0, &rule, q, h, from, to);
}

void TypedBayesBank::meet(Scratch& shared, const std::vector<FeatureId>& ids, std::size_t from) {
    TypedBayesScratch& scratch = own(shared);
    bool changed = from < ids.size(), turned = kept_ < 1.0 && !shared.rests;  // moments are derived anew
    if (turned)
        for (int c = 0; c < 2; ++c)
            fade(kept_, classes_[c].total, {&classes_[c].counts, &classes_[c].m2, &own_.totals(c)});
    for (std::size_t slot = from; slot < ids.size(); ++slot) {
        Feature& feature = features_.emplace_back(std::move(coming_[slot - from]));
        if (!started_ || (own_.wanted() && OwnWeights::is_indicator(ids[slot]))) continue;
        feature.values.push_back({0.0, new_count_row()});
        for (BayesClass& side : classes_)
            std::copy(side.total.begin(), side.total.end(), side.counts.row(feature.values[0].row));
    }
    const bool owned = own_.meet(*scratch.row, ids, from, classes_[0].total, classes_[1].total);
    turned |= owned;
    changed |= owned;
    if (scratch.surprised.empty() && !changed && !turned) {
        started_ = started_ || !shared.rests;
        return;
    }
    spread_out(scratch);
    const auto welcome = [&](std::size_t slot) {
        Feature& feature = features_[slot];
        const double value = scratch.dense[slot];
        if (std::isnan(value) || own_.of(slot) == OwnWeights::kIndicator || feature.has(value)) return;
        changed = true;
        if (feature.values.size() < most_values_) {
            feature.values.push_back({value, new_count_row()});
        } else {
            make_gaussian(slot);
            turned = true;
        }
    };
    if (!shared.rests) {
        for (const std::size_t slot : scratch.surprised) welcome(slot);
        for (std::size_t slot = from; slot < ids.size(); ++slot) welcome(slot);
        started_ = true;
    }
    if (turned) {
        list_moments();
        for (int c = 0; c < 2; ++c) derive(c, 0, layout.stride);
    }
    if (changed) gather(scratch);
}

void TypedBayesBank::learn(TypedBayesScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
    const int c = y > 0.0 ? 1 : 0;
    BayesClass& side = classes_[c];
    for (std::size_t i = from; i < to; ++i) side.total[i] += w[i];
    for (double* row : scratch.rows[1 - c])
        for (std::size_t i = from; i < to; ++i) row[i] += w[i];
    learn_own(scratch, c, w, from, to);
    if (scratch.values.empty()) return;
    kernels().gaussian_update(moments_[c][0].data(), moments_[c][1].data(), moments_[c][2].data(),
                              scratch.values.data(), scratch.values.size(), w, side.total.data(), floor_,
                              side.spread.data(), from, to);
}

void TypedBayesBank::update(Scratch& scratch, double y, const double* w) {
    learn(own(scratch), y, w, 0, layout.stride);
}

double TypedBayesBank::step(Scratch& shared, std::size_t i, double y, double w, unsigned times) {
    TypedBayesScratch& scratch = own(shared);
    const double weight = w * times;
    if (weight <= 0.0) return scratch.h[i];
    scratch.weights[i] = weight;
    learn(scratch, y, scratch.weights.data(), i, i + 1);
    output(scratch, scratch.after.data(), i, i + 1);
    return scratch.after[i];
}

void TypedBayesBank::forget(std::size_t i) {
    own_.forget(i);
    for (const int c : {0, 1}) {
        BayesClass& side = classes_[c];
        side.total[i] = 0.0;
        for (Table* table : {&side.counts, &side.mean, &side.m2}) table->fill_column(i, 0.0);
        derive(c, i, i + 1);
    }
}

// Of a loaded state.
void TypedBayesBank::check(const BayesClass& side, const std::string& name) const {
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const double total = side.total[i];
        Archive::check(total == 0.0 || total >= kNegligible, name + "totals");
        for (std::size_t r = 0; r < side.counts.rows(); ++r)
            Archive::check(side.counts.row(r)[i] >= 0.0 && side.counts.row(r)[i] <= kLargestTotal, name + "counts");
        for (std::size_t r = 0; r < side.m2.rows(); ++r)
            Archive::check(side.m2.row(r)[i] >= 0.0 && side.m2.row(r)[i] <= kLargestVariance * total, name + "squares");
    }
}

void TypedBayesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    std::vector<std::int64_t> kinds, started{started_ ? 1 : 0};  // the number of values, or -1 - r for Gaussian row r
    std::vector<double> values;
    for (const Feature& f : features_) {
        kinds.push_back(f.gaussian ? -1 - static_cast<std::int64_t>(f.row)
                                   : static_cast<std::int64_t>(f.values.size()));
        for (const Value& v : f.values) values.push_back(v.value);
    }
    archive.integers("started", started);
    archive.integers("kinds", kinds);
    if (archive.loading()) {
        if (kinds.size() != ids.size() || started.size() != 1)
            throw std::invalid_argument("state field 'kinds' has the wrong length");
        started_ = started[0] != 0;
        std::size_t gaussian = 0, total = 0;
        for (const std::int64_t k : kinds) {
            if (k > static_cast<std::int64_t>(most_values_))
                throw std::invalid_argument("state field 'kinds' has too many values");
            (k < 0 ? gaussian : total) += k < 0 ? 1 : static_cast<std::size_t>(k);
        }
        std::vector<bool> used(gaussian, false);
        for (const std::int64_t k : kinds) {
            Feature& f = features_.emplace_back();
            f.gaussian = k < 0;
            f.row = k < 0 ? static_cast<std::size_t>(-1 - k) : 0;
            if (k < 0 && (f.row >= gaussian || used[f.row]))
                throw std::invalid_argument("state field 'kinds' names a row twice or out of range");
            if (k < 0) used[f.row] = true;
        }
        values.resize(total);
    }
    archive.numbers("values", values.data(), values.size(), -kLargestValue, kLargestValue);
    std::size_t gaussian = 0, at = 0;
    for (std::size_t slot = 0; slot < features_.size(); ++slot) {
        Feature& f = features_[slot];
        gaussian += f.gaussian ? 1 : 0;
        if (!archive.loading() || f.gaussian) continue;
        for (std::int64_t k = 0; k < kinds[slot]; ++k, ++at) f.values.push_back({values[at], at});
    }
    for (int c = 0; c < 2; ++c) {
        const std::string side = c == 1 ? "plus." : "minus.";
        BayesClass& own = classes_[c];
        archive.numbers(side + "totals", own.total.data(), layout.learners, 0.0, kLargestTotal);
        Table compact(layout.stride);  // in the order of slots and values
        if (!archive.loading())
            for (const Feature& f : features_)
                for (const Value& v : f.values) std::copy_n(own.counts.row(v.row), layout.stride, compact.append());
        archive.table(side + "counts", archive.loading() ? own.counts : compact, layout.learners, values.size());
        archive.table(side + "means", own.mean, layout.learners, gaussian, kLargestMean);
        archive.table(side + "squares", own.m2, layout.learners, gaussian);
        if (!archive.loading()) continue;
        while (own.inverse.rows() < gaussian) own.inverse.append();
        check(own, side);
    }
    own_.serialise(archive, ids, layout.learners, classes_[0].total, classes_[1].total);
    if (!archive.loading()) return;
    check_own();
    list_moments();
    zeros_.resize(gaussian, 0.0);
    for (int c = 0; c < 2; ++c) derive(c, 0, layout.stride);
}

std::unique_ptr<Bank> TypedBayesBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<TypedBayesBank>(learners, p.number("alpha"), p.number("variance_floor"),
                                            p.count("most_values"), kept_share(p));
}

}  // namespace onlineboost
