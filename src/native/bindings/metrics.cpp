// The sums over tested examples that need every probability (evaluation/metrics/sums.py).
#include "bindings/metrics.hpp"

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "bindings/sources.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {

using Classes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr int kBits = 8, kOctaves = 16;  // of the ranking: bits of the mantissa, octaves below 1
constexpr std::size_t kHalf = static_cast<std::size_t>(kOctaves) << kBits;
constexpr double kLeast = 1.0 / (1 << kOctaves), kSmallest = 1e-15;

std::size_t ranking_bin(double p) {
    const auto prefix = [](double x) { return std::bit_cast<std::uint64_t>(x) >> (52 - kBits); };
    const double small = std::max(std::min(p, 1.0 - p), kLeast);
    const std::size_t bin = std::min<std::size_t>(prefix(small) - prefix(kLeast), kHalf - 1);
    return p <= 0.5 ? bin : 2 * kHalf - 1 - bin;
}

std::pair<double, double> sum_probabilities(const Classes& classes, const Table& p, const In& weights, Grid gaps,
                                            Grid others, Grid own) {
    const std::size_t rows = p.shape(0), count = p.shape(1), bins = gaps.shape(1);
    require(classes.shape(0) == rows && weights.shape(0) == rows, "rows, labels and weights must be as many");
    require(gaps.shape(0) == count && others.shape(0) == count && own.shape(0) == count && bins > 0 &&
                others.shape(1) == 2 * kHalf && own.shape(1) == 2 * kHalf,
            "the tables must have a row per class");
    double log_loss = 0.0, brier = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
        const double* of = p.data() + r * count;
        const double w = weights.data()[r];
        const auto label = static_cast<std::size_t>(classes.data()[r]);
        require(label < count, "a label has no column");
        log_loss -= w * kernels().log(std::max(of[label], kSmallest));
        for (std::size_t k = 0; k < count; ++k) {
            require(of[k] == of[k], "a probability must be a number");
            const double gap = k == label ? of[k] - 1.0 : of[k];
            const double place = std::clamp(of[k], 0.0, 1.0) * static_cast<double>(bins);
            const auto bin = std::min(static_cast<std::size_t>(place), bins - 1);
            brier += w * gap * gap;
            gaps.data()[k * bins + bin] += gap * w;
            (k == label ? own : others).data()[k * 2 * kHalf + ranking_bin(of[k])] += w;
        }
    }
    return {log_loss, brier};
}

}  // namespace

void bind_metrics(nb::module_& m) {
    using namespace nb::literals;
    m.attr("RANKING_BINS") = 2 * kHalf;
    m.def("sum_probabilities", &sum_probabilities, "classes"_a, "probabilities"_a, "weights"_a, "gaps"_a, "others"_a,
          "own"_a, "Adds up what the metrics need of probabilities; gives the sums of log-loss and Brier score.");
}

}  // namespace onlineboost
