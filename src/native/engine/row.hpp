// One example on its way through the model.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/features.hpp"

namespace onlineboost {

constexpr double kLargestInput = 1e100;  // as in onlineboost._input

struct Row {
    // Non-zero features in ascending order of id, as given.
    std::vector<FeatureId> ids;
    std::vector<double> raw;
    std::vector<std::int32_t> slots;  // Features::kUnseen where the model has not met the feature

    bool met = false;  // whether the model has met all of them

    void clear() {
        ids.clear();
        raw.clear();
    }
    void push(FeatureId id, double value) {
        if (value != 0.0) {
            ids.push_back(id);
            raw.push_back(value);
        }
    }
    // Takes those of `count` pairs id(k), value(k) whose value is not 0.
    template <class Id, class Value>
    void fill(std::size_t count, Id id, Value value) {
        ids.resize(count);
        raw.resize(count);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count; ++k) {
            ids[kept] = id(k);
            raw[kept] = value(k);
            kept += raw[kept] != 0.0 ? 1 : 0;
        }
        ids.resize(kept);
        raw.resize(kept);
    }
    std::size_t size() const { return ids.size(); }

    // Whether no value is NaN or beyond what is allowed. A sum of absolute values that is small has no large one in it:
    // two instructions a value.
    bool values_are_sound() const {
        using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
        using Bits [[gnu::vector_size(16)]] = std::int64_t;
        constexpr Bits magnitude = {INT64_MAX, INT64_MAX};
        const double* v = raw.data();
        const std::size_t n = raw.size();
        Pair sums[2] = {};
        std::size_t k = 0;
        for (; k + 4 <= n; k += 4)
            for (std::size_t j = 0; j < 2; ++j)
                sums[j] += (Pair)((Bits) * reinterpret_cast<const Pair*>(v + k + 2 * j) & magnitude);
        double sum = (sums[0][0] + sums[0][1]) + (sums[1][0] + sums[1][1]);
        for (; k < n; ++k) sum += std::abs(v[k]);
        if (sum <= kLargestInput) return true;
        return std::all_of(v, v + n, [](double value) { return std::abs(value) <= kLargestInput; });
    }
    bool ids_ascend() const {
        using Four [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = FeatureId;
        const FeatureId* id = ids.data();
        const std::size_t n = ids.size();
        using Masks [[gnu::vector_size(16)]] = std::int32_t;
        Masks falling = {};
        std::size_t k = 1;
        for (; k + 4 <= n; k += 4)
            falling |= *reinterpret_cast<const Four*>(id + k) <= *reinterpret_cast<const Four*>(id + k - 1);
        bool bad = (falling[0] | falling[1] | falling[2] | falling[3]) != 0;
        for (; k < n; ++k) bad |= id[k] <= id[k - 1];
        return !bad;
    }
};

}  // namespace onlineboost
