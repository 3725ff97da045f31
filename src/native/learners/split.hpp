// Which test would tell the classes of a leaf apart best (Domingos & Hulten, KDD 2000).
#pragma once
#include <cstdint>

#include "learners/leaf_statistics.hpp"

namespace onlineboost {

enum class Criterion { kGain, kGini };

// Rows with x < threshold go left.
struct Split {
    double gain = 0.0;    // of the best test
    double second = 0.0;  // of the best test on any other feature; not splitting at all counts as a feature of gain 0
    std::int32_t slot = -1;
    double threshold = 0.0;
    double left[2] = {0.0, 0.0};  // weights of -1 and of +1 that go left
};

// In [0, 1]: entropy in bits, or four times the product of the class shares.
double impurity(Criterion criterion, const double own[2]);
// The best test on the features of a leaf that holds the weights own[0] of -1 and own[1] of +1.
Split best_split(const LeafStatistics& statistics, const double own[2], Criterion criterion);

}  // namespace onlineboost
