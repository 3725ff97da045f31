// One model whose sweeps are split among threads:
//
//     threads <model> <learners> <numbers per row> <rows> <threads> <repetitions> [threshold]
//
// Learns the same rows with one thread and with several by turns, again and again with labels that are drawn anew, and
// stops if a margin differs. Prints the mean over rows of the least microseconds that each took, so that a busy machine
// shows what a quiet one would. Rows are dense; for a Bernoulli bank, half of the columns are 1.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "engine/crew.hpp"
#include "engine/random.hpp"
#include "models.hpp"

using namespace onlineboost;

int main(int count, char** arguments) {
    if (count < 7) {
        std::fprintf(
            stderr, "usage: threads <model> <learners> <numbers per row> <rows> <threads> <repetitions> [threshold]\n");
        return 2;
    }
    const std::string name = arguments[1];
    const auto number = [&](int k) { return static_cast<std::size_t>(std::strtoull(arguments[k], nullptr, 10)); };
    const std::size_t learners = number(2), columns = number(3), rows = number(4), threads = number(5),
                      repetitions = number(6);
    if (count > 7) Crew::set_threshold(number(7));
    const bool binary = name.find("bernoulli") != std::string::npos;
    std::vector<double> x(rows * columns);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double u = 2.0 * uniform(hash64(1, std::uint64_t{99}, k, 0)) - 1.0;
        x[k] = binary ? (u > 0.0 ? 1.0 : 0.0) : u;
    }
    std::unique_ptr<Model> models[2] = {benchmark::make_model(name, learners, columns),
                                        benchmark::make_model(name, learners, columns)};
    models[1]->set_threads(threads);
    std::vector<double> best[2] = {std::vector<double>(rows, 1e300), std::vector<double>(rows, 1e300)};
    for (std::size_t pass = 0; pass <= repetitions; ++pass) {  // the first meets the features and is not timed
        std::vector<double> margins[2] = {std::vector<double>(rows), std::vector<double>(rows)};
        for (std::size_t m = 0; m < 2; ++m)
            for (std::size_t r = 0; r < rows; ++r) {
                const DenseSource<double> source(x.data() + r * columns, 1, columns,
                                                 static_cast<std::ptrdiff_t>(columns), 1);
                const double y = uniform(hash64(1, std::uint64_t{98}, r, pass)) > 0.5 ? 1.0 : -1.0;
                const auto start = std::chrono::steady_clock::now();
                models[m]->learn(source, &y, nullptr, {&margins[m][r], nullptr, nullptr, nullptr});
                const double time =
                    std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
                if (pass > 0) best[m][r] = std::min(best[m][r], time);
            }
        if (std::memcmp(margins[0].data(), margins[1].data(), rows * sizeof(double)) != 0) {
            std::fprintf(stderr, "%s: the margins depend on the threads\n", name.c_str());
            return 1;
        }
    }
    double mean[2] = {0.0, 0.0};
    for (std::size_t m = 0; m < 2; ++m)
        for (const double time : best[m]) mean[m] += time / static_cast<double>(rows);
    std::printf("%s N=%zu numbers=%zu: 1 thread %.1f us, %zu threads %.1f us, gain %.2f\n", name.c_str(), learners,
                columns, mean[0], threads, mean[1], mean[0] / mean[1]);
}
