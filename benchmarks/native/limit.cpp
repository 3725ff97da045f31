// The engine beside the bare loops and beside loads and stores alone, on one stream in one run:
//
//     limit <stream> <perceptron|bernoulli> <100|1000> <repetitions>
//
// Prints one line of JSON: nanoseconds per example, the best of the repetitions, which take turns.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "bare.hpp"
#include "engine/slice.hpp"
#include "models.hpp"

namespace {

using namespace onlineboost;
using namespace onlineboost::benchmark;

template <class Work>
double seconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The memory that an example must pass through: its features' rows once to score, and those of the learners that move
// once more to update. One addition per load; `moves` says which groups of eight learners moved.
template <class Real, std::size_t N>
double touch(const Prepared& p, const std::vector<std::uint8_t>& moves) {
    constexpr std::size_t stride = round_up(N), groups = stride / 8;
    typedef Real Line __attribute__((vector_size(8 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
    typedef Real Eight __attribute__((vector_size(8 * sizeof(Real))));
    std::vector<Real> table((p.ids.size() + 1) * stride, Real{1});
    Eight total = {};
    const double spent = seconds([&] {
        std::vector<Real*> rows;
        for (std::size_t t = 0; t < p.y.size(); ++t) {
            rows.assign(1, table.data());
            for (std::size_t k = p.starts[t]; k < p.starts[t + 1]; ++k)
                rows.push_back(table.data() + (p.slots[k] + 1) * stride);
            Eight sums[groups] = {};
            for (const Real* row : rows)
                for (std::size_t g = 0; g < groups; ++g) sums[g] += *reinterpret_cast<const Line*>(row + 8 * g);
            for (std::size_t g = 0; g < groups; ++g) total += sums[g];
            for (std::size_t g = 0; g < groups; ++g)
                if (moves[t * groups + g])
                    for (Real* row : rows) *reinterpret_cast<Line*>(row + 8 * g) += sums[g];
        }
    });
    volatile Real keep = total[0];
    (void)keep;
    return spent;
}

template <class Bare, std::size_t N>
int run(const FileStream& stream, const std::string& learner, int repetitions) {
    const Prepared prepared(stream);
    const std::size_t rows = stream.y.size(), groups = round_up(N) / 8;
    const bool perceptron = learner == "perceptron";
    double engine = 1e9, bare = 1e9, doubles = 1e9, floats = 1e9, moving = 0.0;
    std::vector<double> margins(rows), probabilities(rows), bare_margins(rows);
    std::vector<std::uint8_t> moves(perceptron ? rows * groups : 0);
    for (int r = 0; r < repetitions; ++r) {
        const auto model = make_model("uniform-" + learner, N, stream.columns);
        const auto source = stream.source();
        engine = std::min(engine, seconds([&] {
                              model->learn(source, stream.y.data(), nullptr,
                                           {margins.data(), probabilities.data(), nullptr, nullptr});
                          }));
        Bare loops(prepared, stream.columns, kSeed, kGamma, kTheta);
        bare = std::min(bare, seconds([&] {
                            for (std::size_t t = 0; t < rows; ++t) bare_margins[t] = loops.learn(prepared, t);
                        }));
        if constexpr (std::is_same_v<Bare, BarePerceptrons<N>>) {
            if (r == 0) {
                Bare again(prepared, stream.columns, kSeed, kGamma, kTheta);
                for (std::size_t t = 0; t < rows; ++t) {
                    again.learn(prepared, t);
                    for (std::size_t i = 0; i < N; ++i)
                        if (prepared.y[t] * again.s[i] <= 0.0 && again.w[i] != 0.0) moves[t * groups + i / 8] = 1;
                }
                moving =
                    static_cast<double>(std::count(moves.begin(), moves.end(), 1)) / static_cast<double>(moves.size());
            }
            doubles = std::min(doubles, touch<double, N>(prepared, moves));
            floats = std::min(floats, touch<float, N>(prepared, moves));
        }
    }
    if (std::memcmp(margins.data(), bare_margins.data(), rows * sizeof(double)) != 0) {
        std::fprintf(stderr, "the bare loops give other margins than the engine\n");
        return 1;
    }
    const double each = 1e9 / static_cast<double>(rows),
                 values = static_cast<double>(prepared.slots.size()) / static_cast<double>(rows);
    std::printf(
        "{\"learner\": \"%s\", \"learners\": %zu, \"rows\": %zu, \"features\": %zu, \"nonzeros\": %.3f, \"engine\": "
        "%.1f, \"bare\": %.1f",
        learner.c_str(), N, rows, prepared.ids.size(), values, engine * each, bare * each);
    if (perceptron)
        std::printf(", \"moving\": %.4f, \"doubles\": %.1f, \"floats\": %.1f", moving, doubles * each, floats * each);
    std::printf("}\n");
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) {
        std::fprintf(stderr, "usage: limit <stream> <perceptron|bernoulli> <100|1000> <repetitions>\n");
        return 2;
    }
    Slice::set_seconds(0.0);
    try {
        const FileStream stream(arguments[1]);
        const std::string learner = arguments[2];
        const int repetitions = std::max(1, std::atoi(arguments[4]));
        const bool many = std::atoi(arguments[3]) == 1000;
        if (learner == "perceptron")
            return many ? run<BarePerceptrons<1000>, 1000>(stream, learner, repetitions)
                        : run<BarePerceptrons<100>, 100>(stream, learner, repetitions);
        return many ? run<BareBernoulli<1000>, 1000>(stream, learner, repetitions)
                    : run<BareBernoulli<100>, 100>(stream, learner, repetitions);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
