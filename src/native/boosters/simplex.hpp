// Euclidean projection onto the probability simplex (Duchi, Shalev-Shwartz, Singer, Chandra, ICML 2008).
#pragma once
#include <cstddef>
#include <cstdint>

namespace onlineboost {

// In place. `work` has room for n doubles.
void project_by_sorting(double* v, std::size_t n, double* work);
// Expected linear time; the pivots are drawn from (seed, round).
void project_by_pivots(double* v, std::size_t n, double* work, std::uint64_t seed, std::uint64_t round);

}  // namespace onlineboost
