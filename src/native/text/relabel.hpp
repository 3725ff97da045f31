// The ids of a stream's names become the ids under which a model knows them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace onlineboost::text {

struct Relabelled {
    std::size_t size = 0;
    std::unique_ptr<double[]> data;
    std::unique_ptr<std::int32_t[]> indices;  // ascending in each row
    std::int64_t width = 1;                   // one more than the largest index
    std::vector<std::int32_t> fresh;          // the stream's ids that got the model's ids from `next` on, in this order
};

// Puts the features of a row in ascending order. Small numbers are not compared with each other: each sets its bit, and
// the bits are read in order.
class Ascending {
   public:
    // Makes `values` those of the ids, and orders both; false where an id stands twice. `all`: the bits of all ids.
    bool order(std::int32_t all, std::int32_t* ids, const double* given, double* values, std::size_t count) {
        return all < kSmall ? read_bits(ids, given, values, count) : sort(ids, given, values, count);
    }

   private:
    static constexpr std::int32_t kSmall = 64 * 64;

    bool read_bits(std::int32_t* ids, const double* given, double* values, std::size_t count) {
        std::uint64_t words = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const auto id = static_cast<std::size_t>(ids[k]);
            values_[id] = given[k];
            bits_[id >> 6] |= std::uint64_t{1} << (id & 63);
            words |= std::uint64_t{1} << (id >> 6);
        }
        std::size_t made = 0;
        for (; words != 0; words &= words - 1) {
            const int word = std::countr_zero(words);
            for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1) {
                const std::int32_t id = 64 * word + std::countr_zero(bits);
                ids[made] = id;
                values[made++] = values_[id];
            }
            bits_[word] = 0;
        }
        return made == count;
    }
    bool sort(std::int32_t* ids, const double* given, double* values, std::size_t count) {
        pairs_.clear();
        for (std::size_t k = 0; k < count; ++k) pairs_.emplace_back(ids[k], given[k]);
        const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::is_sorted(pairs_.begin(), pairs_.end(), before)) std::sort(pairs_.begin(), pairs_.end(), before);
        for (std::size_t k = 0; k < count; ++k) {
            if (k > 0 && pairs_[k].first == pairs_[k - 1].first) return false;
            ids[k] = pairs_[k].first;
            values[k] = pairs_[k].second;
        }
        return true;
    }

    std::uint64_t bits_[64] = {};
    double values_[kSmall];
    std::vector<std::pair<std::int32_t, double>> pairs_;
};

// `known[id]` is the model's id, or -1. A row that is learned gives new features the next ids; in any other row they
// have, for this row alone, the ids that learning it would give, as for single examples. `known` itself is left alone.
inline Relabelled relabel(const double* data, const std::int32_t* indices, const std::int32_t* starts, std::size_t rows,
                          const double* weights, bool learn, std::vector<std::int64_t> known, std::int64_t next) {
    Relabelled made;
    const auto size = static_cast<std::size_t>(starts[rows]);
    made.size = size;
    made.data = std::make_unique_for_overwrite<double[]>(size);
    made.indices = std::make_unique_for_overwrite<std::int32_t[]>(size);
    const auto ascending = std::make_unique_for_overwrite<Ascending>();
    std::int64_t* const places = known.data();
    const std::size_t names = known.size();
    std::int64_t most = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const bool learned = learn && !(weights && weights[r] == 0.0);
        const auto count = static_cast<std::size_t>(starts[r + 1] - starts[r]);
        const std::int32_t* given = indices + starts[r];
        std::int32_t* ids = made.indices.get() + starts[r];
        std::int64_t unknown = 0, all = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const auto name = static_cast<std::uint32_t>(given[k]);
            if (name >= names) throw std::invalid_argument("the batch is not over the stream's names");
            std::int64_t id = places[name];
            if (id < 0) [[unlikely]] {
                id = next + unknown;
                if (learned) {
                    places[name] = next++;
                    made.fresh.push_back(given[k]);
                } else {
                    ++unknown;
                }
            }
            ids[k] = static_cast<std::int32_t>(id);
            all |= id;
            most = std::max(most, id);
        }
        if (all > INT32_MAX) throw std::invalid_argument("there are more than 2^31 features: hash them (hash:BITS)");
        if (!ascending->order(static_cast<std::int32_t>(all), ids, data + starts[r], made.data.get() + starts[r],
                              count))
            throw std::invalid_argument("a feature stands twice in one row");
    }
    made.width = most + 1;
    return made;
}

}  // namespace onlineboost::text
