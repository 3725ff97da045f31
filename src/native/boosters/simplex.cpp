#include "boosters/simplex.hpp"

#include <algorithm>
#include <functional>

#include "engine/random.hpp"

namespace onlineboost {

namespace {

// The projection does not change under a shift. With the maximum at 0, the values that matter are between -1 and 0, and
// the sums below are as exact for a huge step as for a small one.
void shift_maximum_to_zero(double* v, std::size_t n) {
    const double top = *std::max_element(v, v + n);
    for (std::size_t i = 0; i < n; ++i) v[i] -= top;
}

void subtract(double* v, std::size_t n, double tau) {
    for (std::size_t i = 0; i < n; ++i) v[i] = std::max(v[i] - tau, 0.0);
}

}  // namespace

void project_by_sorting(double* v, std::size_t n, double* work) {
    shift_maximum_to_zero(v, n);
    std::copy(v, v + n, work);
    std::sort(work, work + n, std::greater<>());
    double sum = 0.0;
    double tau = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        sum += work[j];
        const double candidate = (sum - 1.0) / static_cast<double>(j + 1);
        if (j > 0 && work[j] <= candidate) break;
        tau = candidate;
    }
    subtract(v, n, tau);
}

void project_by_pivots(double* v, std::size_t n, double* work, std::uint64_t seed, std::uint64_t round) {
    shift_maximum_to_zero(v, n);
    std::copy(v, v + n, work);
    double* begin = work;
    double* end = work + n;
    double sum = 0.0;
    double count = 0.0;
    for (std::uint64_t draw = 0; begin != end; ++draw) {
        const auto size = static_cast<double>(end - begin);
        double* chosen =
            begin + static_cast<std::ptrdiff_t>(uniform(hash64(seed, Purpose::kPivot, round, draw)) * size);
        const double pivot = *chosen;
        std::swap(*begin, *chosen);  // the pivot leads its group
        double* middle = std::partition(begin + 1, end, [pivot](double x) { return x >= pivot; });
        double group = 0.0;
        for (const double* p = begin; p != middle; ++p) group += *p;
        const auto members = static_cast<double>(middle - begin);
        if ((sum + group) - (count + members) * pivot < 1.0) {
            sum += group;
            count += members;
            begin = middle;
        } else {
            ++begin;
            end = middle;
        }
    }
    subtract(v, n, (sum - 1.0) / std::max(count, 1.0));
}

}  // namespace onlineboost
