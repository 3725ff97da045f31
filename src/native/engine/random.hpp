// Counter-based randomness: every draw is a hash of (seed, purpose, a, b), so there is no generator state.
// The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#pragma once
#include <cstdint>

namespace onlineboost {

enum class Purpose : std::uint64_t {
    kStart = 1,
    kPoisson = 2,
    kExpert = 3,
    kPivot = 4,
    kPhase = 5,
    kRadius = 6,
    kAngle = 7,
    kSubset = 8,
    kResample = 9,
    kFeatures = 10,
    kSample = 11,
    kClass = 12,
    kMemory = 16,
    kMember = 17
};

inline std::uint64_t mix64(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

// The part of hash64 that does not depend on b, and the rest.
inline std::uint64_t hash_key(std::uint64_t seed, std::uint64_t purpose, std::uint64_t a) {
    return mix64(mix64(seed + kGolden * purpose) + kGolden * (a + 1));
}
inline std::uint64_t hash_rest(std::uint64_t key, std::uint64_t b) { return mix64(key + kGolden * (b + 1)); }

inline std::uint64_t hash64(std::uint64_t seed, std::uint64_t purpose, std::uint64_t a, std::uint64_t b) {
    return hash_rest(hash_key(seed, purpose, a), b);
}

inline std::uint64_t hash64(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b) {
    return hash64(seed, static_cast<std::uint64_t>(purpose), a, b);
}

// The seed of a class of many, by its number: the first has the model's own.
inline std::uint64_t class_seed(std::uint64_t seed, std::uint64_t k) {
    return k == 0 ? seed : hash64(seed, Purpose::kClass, k, 0);
}

// Uniform in [0, 1), 53 bits.
inline double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Near-Gaussian, mean 0 and variance 1: the sum of the hash's four 16-bit pieces, exact in double.
inline double start_coordinate(std::uint64_t seed, std::uint64_t learner, std::uint64_t feature) {
    const std::uint64_t bits = hash64(seed, Purpose::kStart, learner, feature);
    const std::uint64_t pieces = (bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) + ((bits >> 32) & 0xFFFF) + (bits >> 48);
    return (static_cast<double>(pieces + 2) / 65536.0 - 2.0) * 1.7320508075688772;
}

// A number that differs from process to process, for what must not be foreseen and must not show in results.
std::uint64_t process_secret();

// Poisson(lambda) by inversion, at most 1000; for lambda >= 1500 the cap is reached but for a chance below 1e-30.
unsigned poisson(double lambda, std::uint64_t seed, std::uint64_t learner, std::uint64_t round);

}  // namespace onlineboost
