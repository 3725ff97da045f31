#include "engine/random.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <random>

#include "engine/math.hpp"

namespace onlineboost {

std::uint64_t process_secret() {
    const auto time = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    try {
        std::random_device source;
        return mix64(time ^ (static_cast<std::uint64_t>(source()) << 32 | source()));
    } catch (const std::exception&) {  // a system without a source of randomness
        return mix64(time);
    }
}

unsigned poisson(double lambda, std::uint64_t seed, std::uint64_t learner, std::uint64_t round) {
    constexpr unsigned cap = 1000;
    if (!(lambda > 0.0)) return 0;
    if (lambda >= 1500.0) return cap;
    // A sum of Poisson variables is Poisson: pieces of at most 500 keep exp(-lambda) in range.
    const unsigned pieces = static_cast<unsigned>(std::ceil(lambda / 500.0));
    const double rate = lambda / pieces;
    const double first = math::exp_fixed(-rate);
    unsigned total = 0;
    for (unsigned j = 0; j < pieces; ++j) {
        const double u =
            uniform(hash64(seed, static_cast<std::uint64_t>(Purpose::kPoisson) + 256ULL * j, learner, round));
        double p = first;
        double cumulated = p;
        unsigned k = 0;
        while (u > cumulated && k < cap) {
            ++k;
            p *= rate / k;
            cumulated += p;
        }
        total += k;
    }
    return total < cap ? total : cap;
}

}  // namespace onlineboost
