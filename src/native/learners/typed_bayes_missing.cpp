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
            own_.add_density(scratch.own, own, classes_[1], classes_[0], feature.row, q, from, to);
        } else if (scratch.own_rows[own] >= 0) {
            const auto row = static_cast<std::size_t>(scratch.own_rows[own]);
            OwnWeights::add_counts(scratch.own, classes_[1].counts.row(row), classes_[0].counts.row(row),
                                   own_.total(1, own), own_.total(0, own), alpha_,
                                   alpha_ * static_cast<double>(feature.values.size()), 1.0, q, from, to);
        }
    }
}

void TypedBayesBank::learn_own(TypedBayesScratch& scratch, int c, const double* w, std::size_t from, std::size_t to) {
    const auto counts = [&](std::size_t own, double) {
        const std::int64_t row = scratch.own_rows[own];
        return row >= 0 ? classes_[c].counts.row(static_cast<std::size_t>(row)) : nullptr;
    };
    const auto moments = [&](std::size_t own) {
        const Feature& feature = features_[own_.slot(own)];
        return feature.gaussian ? static_cast<std::int64_t>(feature.row) : -1;
    };
    own_.learn(scratch.own, c, classes_[c], w, floor_, from, to, counts, moments);
}

void TypedBayesBank::check_own() const {
    for (std::size_t own = 0; own < own_.size(); ++own)
        if (const Feature& feature = features_[own_.slot(own)]; feature.gaussian)
            for (int c = 0; c < 2; ++c) own_.check_density(c, own, classes_[c], feature.row, layout.learners);
}

}  // namespace onlineboost
