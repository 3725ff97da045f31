// One model on a made stream, for counting instructions:
//
//     instructions <model> <instruction set>
//
// The stream comes from the engine's own hash, so that it is the same everywhere. What is to be counted is
// learn_counted() alone: the first rows, in which features are met, are learned before it.
#include <cstdio>
#include <vector>

#include "engine/random.hpp"
#include "engine/slice.hpp"
#include "kernels/kernels.hpp"
#include "models.hpp"

namespace {

using namespace onlineboost;

constexpr std::size_t kLearners = 100, kWarm = 300, kCounted = 300;

// CSR rows like adult's (one of the values of each of 14 attributes, 0/1) or like a table of 12 numbers.
struct Stream {
    std::vector<double> data, y;
    std::vector<std::int32_t> indices, starts{0};
    std::size_t columns;

    Stream(std::size_t rows, bool binary) : columns(binary ? 126 : 12) {
        const std::size_t attributes = binary ? 14 : 12;
        const auto draw = [](std::uint64_t a, std::uint64_t b) { return uniform(hash64(1, std::uint64_t{99}, a, b)); };
        for (std::size_t r = 0; r < rows; ++r) {
            double score = 0.0;
            for (std::size_t j = 0; j < attributes; ++j) {
                const double u = draw(r, j);
                const auto value = static_cast<std::size_t>(9.0 * u * u);  // the first values are frequent
                const std::size_t column = binary ? 9 * j + value : j;
                indices.push_back(static_cast<std::int32_t>(column));
                data.push_back(binary ? 1.0 : 2.0 * u - 1.0);
                score += data.back() * (draw(1000000, column) - 0.5);
            }
            starts.push_back(static_cast<std::int32_t>(data.size()));
            y.push_back(score + 0.8 * (draw(r, 500) - 0.5) > 0.0 ? 1.0 : -1.0);
        }
    }
    SparseSource<double, std::int32_t> rows(std::size_t from, std::size_t count) const {
        return {data.data(), indices.data(), starts.data() + from, count, data.size()};
    }
};

}  // namespace

// A name of its own in the table of symbols, for callgrind's --toggle-collect.
extern "C" __attribute__((noinline)) void learn_counted(Model& model, const Source& source, const double* y,
                                                        const Model::Report& report) {
    model.learn(source, y, nullptr, report);
}

int main(int count, char** arguments) {
    if (count != 3 || !select_kernels(arguments[2])) {
        std::fprintf(stderr, "usage: instructions <model> <instruction set that runs here>\n");
        return 2;
    }
    Slice::set_seconds(0.0);
    const std::string name = arguments[1];
    const Stream stream(kWarm + kCounted, name.find("gaussian") == std::string::npos);
    const auto model = benchmark::make_model(name, kLearners, stream.columns);
    std::vector<double> margins(kCounted), probabilities(kCounted);
    model->learn(stream.rows(0, kWarm), stream.y.data(), nullptr, {});
    learn_counted(*model, stream.rows(kWarm, kCounted), stream.y.data() + kWarm,
                  {margins.data(), probabilities.data(), nullptr, nullptr});
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < kCounted; ++r) wrong += stream.y[kWarm + r] * margins[r] <= 0.0;
    std::printf("%zu rows, error %.4f, last margin %a\n", kCounted, static_cast<double>(wrong) / kCounted,
                margins.back());
}
