// The input of the paper's learners (SPEC 3.1): append a constant 1, then divide by the Euclidean norm.
#pragma once
#include <cmath>

#include "engine/parameters.hpp"
#include "engine/row.hpp"

namespace onlineboost {

struct NormalisedRow {
    std::vector<double> values;  // with the intercept first
    double norm2 = 0.0;          // the squared length
};

struct Normalise {
    bool intercept = true;
    bool unit_norm = true;

    static Normalise from(const Parameters& p) { return {p.flag("intercept"), p.flag("unit_norm")}; }

    // The divisor for a row.
    double norm(const Row& row) const {
        const double sum = squared(row);
        return unit_norm && sum > 0.0 ? std::sqrt(sum) : 1.0;
    }
    // (1, x) / norm
    void apply(const Row& row, NormalisedRow& out) const {
        const double sum = squared(row);
        const double factor = unit_norm && sum > 0.0 ? 1.0 / std::sqrt(sum) : 1.0;
        const std::size_t first = intercept ? 1 : 0, size = row.size();
        out.values.resize(first + size);
        double* values = out.values.data();
        const double* raw = row.raw.data();
        if (intercept) values[0] = factor;
        for (std::size_t k = 0; k < size; ++k) values[first + k] = raw[k] * factor;
        out.norm2 = (sum * factor) * factor;
    }

   private:
    // The squared length of (1, x). Four sums side by side: an addition takes longer than the next needs to start.
    double squared(const Row& row) const {
        const double* v = row.raw.data();
        const std::size_t n = row.size();
        double sums[4] = {intercept ? 1.0 : 0.0, 0.0, 0.0, 0.0};
        std::size_t k = 0;
        for (; k + 4 <= n; k += 4)
            for (std::size_t j = 0; j < 4; ++j) sums[j] += v[k + j] * v[k + j];
        for (std::size_t j = 0; k + j < n; ++j) sums[j] += v[k + j] * v[k + j];
        return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    }
};

}  // namespace onlineboost
