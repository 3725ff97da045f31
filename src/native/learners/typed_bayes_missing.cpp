// What typed Naive Bayes does with missing values: learners/own_weights.hpp.
#include <algorithm>
#include <cmath>

#include "kernels/kernels.hpp"
#include "learners/typed_bayes.hpp"

namespace onlineboost {

// What features with weights of their own say; the variances of Gaussians that are missing are taken back.
void TypedBayesBank::judge_own(TypedBayesScratch& scratch, std::size_t from, std::size_t to) const {
    double* q = scratch.q.data();
    for (const std::size_t slot : scratch.own.left_out) {
        const std::size_t row = features_[slot].row;
        OwnWeights::take_spread_back(classes_[1].inverse.row(row), classes_[0].inverse.row(row), q, from, to);
    }
    for (std::size_t own = 0; own < own_.size(); ++own) {
        const Feature& feature = features_[own_.slot(own)];
        if (std::isnan(scratch.own.values[own])) continue;
        if (feature.gaussian) {
            const double* rows[4] = {classes_[1].mean.row(feature.row), classes_[1].inverse.row(feature.row),
                                     classes_[0].mean.row(feature.row), classes_[0].inverse.row(feature.row)};
            own_.add_density(scratch.own, own, rows, q, from, to);
        } else if (scratch.own_rows[own] >= 0) {
            const auto row = static_cast<std::size_t>(scratch.own_rows[own]);
            OwnWeights::add_counts(scratch.own, classes_[1].counts.row(row), classes_[0].counts.row(row),
                                   own_.total(1, own), own_.total(0, own), alpha_,
                                   alpha_ * static_cast<double>(feature.values.size()), 1.0, q, from, to);
        }
    }
}

void TypedBayesBank::own_moments(int c, std::size_t own, double value, const double* w, std::size_t from,
                                 std::size_t to) {
    const std::size_t row = features_[own_.slot(own)].row;
    Class& side = classes_[c];
    own_.learn_density(c, own, side.mean.row(row), side.m2.row(row), side.inverse.row(row), value, w, floor_, from, to);
}

void TypedBayesBank::learn_own(TypedBayesScratch& scratch, int c, const double* w, std::size_t from, std::size_t to) {
    for (std::size_t own = 0; own < own_.size(); ++own) {
        const double value = scratch.own.values[own];
        if (std::isnan(value)) continue;
        const bool counted = scratch.own_rows[own] >= 0;
        double* rows[2] = {own_.total(c, own), nullptr};
        if (counted) rows[1] = classes_[c].counts.row(static_cast<std::size_t>(scratch.own_rows[own]));
        kernels().add_weights(rows, counted ? 2 : 1, w, from, to);
        if (features_[own_.slot(own)].gaussian) own_moments(c, own, value, w, from, to);
    }
}

void TypedBayesBank::check_own() const {
    for (std::size_t own = 0; own < own_.size(); ++own)
        if (const Feature& feature = features_[own_.slot(own)]; feature.gaussian)
            for (int c = 0; c < 2; ++c)
                for (std::size_t i = 0; i < layout.learners; ++i)
                    Archive::check(classes_[c].m2.row(feature.row)[i] <=
                                       kLargestVariance * std::max(own_.total(c, own)[i], kNegligible),
                                   "own_totals");
}

}  // namespace onlineboost
