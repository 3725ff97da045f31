// What Naive Bayes does with missing values: learners/own_weights.hpp.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/kernels.hpp"
#include "learners/naive_bayes.hpp"

namespace onlineboost {

// Of what the row has.
double NaiveBayesBank::norm_of(const Row& row) const {
    if (!own_.wanted() || row.gaps.empty()) return normalise_.norm(row);
    double sum = normalise_.intercept ? 1.0 : 0.0;
    GapWalk gaps(row, true);
    for (std::size_t k = 0; k < row.size(); ++k)
        if (!gaps.missing(k) && !OwnWeights::is_indicator(row.ids[k])) sum += row.raw[k] * row.raw[k];
    return normalise_.unit_norm && sum > 0.0 ? std::sqrt(sum) : 1.0;
}

// What features with weights of their own say; and what the others that are missing would say by their absence, or by
// their variance, is taken back.
void NaiveBayesBank::judge_own(NaiveBayesScratch& scratch, std::size_t from, std::size_t to) const {
    double* q = scratch.q.data();
    const auto absence = [&](std::size_t row, int c, const double* total) {
        double* event = scratch.own.event[c].data();
        for (std::size_t i = from; i < to; ++i) event[i] = total[i] - classes_[c].counts.row(row)[i];
        return event;
    };
    for (const std::size_t slot : scratch.own.left_out) {
        const std::size_t row = places_[slot].row;
        const double *n1 = classes_[1].total.data(), *n0 = classes_[0].total.data();
        if (places_[slot].gaussian) {
            OwnWeights::take_spread_back(classes_[1].inverse.row(row), classes_[0].inverse.row(row), q, from, to);
        } else {
            OwnWeights::add_counts(scratch.own, absence(row, 1, n1), absence(row, 0, n0), n1, n0, rule_.alpha,
                                   rule_.beta, -1.0, q, from, to);
        }
    }
    for (std::size_t own = 0; own < own_.size(); ++own) {
        const double value = scratch.own.values[own];
        if (std::isnan(value)) continue;
        const Place place = places_[own_.slot(own)];
        const double *n1 = own_.total(1, own), *n0 = own_.total(0, own);
        if (place.gaussian) {
            own_.add_density(scratch.own, own, classes_[1], classes_[0], place.row, q, from, to);
        } else {
            const bool present = value > 0.0;
            OwnWeights::add_counts(scratch.own, present ? classes_[1].counts.row(place.row) : absence(place.row, 1, n1),
                                   present ? classes_[0].counts.row(place.row) : absence(place.row, 0, n0), n1, n0,
                                   rule_.alpha, rule_.beta, 1.0, q, from, to);
        }
    }
}

void NaiveBayesBank::learn_own(NaiveBayesScratch& scratch, int c, const double* w, std::size_t from, std::size_t to) {
    const auto counts = [&](std::size_t own, double value) {
        const Place place = places_[own_.slot(own)];
        return !place.gaussian && value > 0.0 ? classes_[c].counts.row(place.row) : nullptr;
    };
    const auto moments = [&](std::size_t own) {
        const Place place = places_[own_.slot(own)];
        return place.gaussian ? static_cast<std::int64_t>(place.row) : -1;
    };
    own_.learn(scratch.own, c, classes_[c], w, floor_, from, to, counts, moments);
}

void NaiveBayesBank::check_own() const {
    for (std::size_t own = 0; own < own_.size(); ++own) {
        const Place place = places_[own_.slot(own)];
        for (int c = 0; c < 2; ++c) {
            if (place.gaussian) {
                own_.check_density(c, own, classes_[c], place.row, layout.learners);
                continue;
            }
            for (std::size_t i = 0; i < layout.learners; ++i)
                Archive::check(classes_[c].counts.row(place.row)[i] <= own_.total(c, own)[i], "own_totals");
        }
    }
}

}  // namespace onlineboost
