// The hash of hashed features. It is part of what a model means, so it never changes: FNV-1a over the bytes (Fowler,
// Noll, Vo; RFC 9923), then the finaliser of SplitMix64, because the upper bits of FNV-1a are poor for short texts.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/random.hpp"

namespace onlineboost::text {

inline std::uint64_t stable_hash(std::string_view bytes) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return mix64(hash);
}

// The upper bits: 0 to 2^bits - 1, for bits from 1 to 30.
inline std::uint32_t bucket(std::string_view bytes, int bits) {
    return static_cast<std::uint32_t>(stable_hash(bytes) >> (64 - bits));
}

}  // namespace onlineboost::text
