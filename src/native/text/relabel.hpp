// The ids of a stream's names become the ids under which a model knows them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace onlineboost::text {

struct Relabelled {
    std::vector<double> data;
    std::vector<std::int32_t> indices;  // ascending in each row
    std::vector<std::int32_t> fresh;    // the stream's ids that got the model's ids from `next` on, in this order
};

// `known[id]` is the model's id, or -1. A row that is learned gives new features the next ids; in any other row they
// have, for this row alone, the ids that learning it would give, as for single examples. `known` itself is left alone.
inline Relabelled relabel(const double* data, const std::int32_t* indices, const std::int32_t* starts, std::size_t rows,
                          const double* weights, bool learn, std::vector<std::int64_t> known, std::int64_t next) {
    Relabelled made;
    const auto size = static_cast<std::size_t>(starts[rows]);
    made.data.reserve(size);
    made.indices.reserve(size);
    std::vector<std::uint64_t> row;  // the model's id above, the place in the input below
    for (std::size_t r = 0; r < rows; ++r) {
        const bool learned = learn && !(weights && weights[r] == 0.0);
        std::int64_t unknown = 0;
        row.clear();
        for (std::int32_t k = starts[r]; k < starts[r + 1]; ++k) {
            std::int64_t& place = known[static_cast<std::size_t>(indices[k])];
            std::int64_t id = place;
            if (id < 0) {
                id = next + unknown;
                if (learned) {
                    place = next++;
                    made.fresh.push_back(indices[k]);
                } else {
                    ++unknown;
                }
            }
            if (id > INT32_MAX) throw std::invalid_argument("there are more than 2^31 features: hash them (hash:BITS)");
            row.push_back(static_cast<std::uint64_t>(id) << 32 | static_cast<std::uint32_t>(k));
        }
        if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (k > 0 && row[k] >> 32 == row[k - 1] >> 32)
                throw std::invalid_argument("a feature stands twice in one row");
            made.indices.push_back(static_cast<std::int32_t>(row[k] >> 32));
            made.data.push_back(data[row[k] & 0xFFFFFFFFu]);
        }
    }
    return made;
}

}  // namespace onlineboost::text
