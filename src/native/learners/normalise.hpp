// The input of the paper's learners (SPEC 3.1): append a constant 1, then divide by the Euclidean norm.
#pragma once
#include <cmath>

#include "engine/row.hpp"

namespace onlineboost {

struct Normalise {
    bool intercept = true;
    bool unit_norm = true;

    // The divisor for a row.
    double norm(const Row& row) const {
        if (!unit_norm) return 1.0;
        double sum = intercept ? 1.0 : 0.0;
        for (const double v : row.raw) sum += v * v;
        return sum > 0.0 ? std::sqrt(sum) : 1.0;
    }
    // scratch.values = (1, x) / norm with the intercept first, and scratch.norm2 its squared length.
    void apply(Scratch& scratch) const {
        const double divisor = norm(scratch.row);
        scratch.values.clear();
        if (intercept) scratch.values.push_back(1.0 / divisor);
        for (const double v : scratch.row.raw) scratch.values.push_back(v / divisor);
        scratch.norm2 = 0.0;
        for (const double v : scratch.values) scratch.norm2 += v * v;
    }
};

}  // namespace onlineboost
