// One example on its way through the model.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/features.hpp"

namespace onlineboost {

constexpr double kLargestInput = 1e100;  // as LARGEST_VALUE of onlineboost.machine.rows
constexpr std::int64_t kNoFeature = std::numeric_limits<FeatureId>::max();  // ids are below it

struct Row {
    // Non-zero features in ascending order of id, as given.
    std::vector<FeatureId> ids;
    std::vector<double> raw;
    std::vector<std::int32_t> slots;  // Features::kUnseen where the model has not met the feature

    std::vector<std::uint32_t> gaps;  // where a value is missing; what stands there was filled in (engine/missing.hpp)

    bool met = false;  // whether the model has met all of them

    void clear() {
        ids.clear();
        raw.clear();
        gaps.clear();
    }
    void push(FeatureId id, double value) {
        if (value != 0.0) {
            ids.push_back(id);
            raw.push_back(value);
        }
    }
    // Takes those of `count` pairs id(k), value(k) whose value is not 0. Gives whether ids ascend and values are what
    // they may be; NaN is a gap.
    template <class Id, class Value>
    bool fill(std::size_t count, Id id, Value value) {
        ids.resize(count);
        raw.resize(count);
        gaps.clear();
        std::size_t kept = 0;
        decltype(id(0)) last = -1;
        double sum = 0.0;  // of absolute values: while it is small, so are they
        for (std::size_t k = 0; k < count; ++k) {
            const auto given = id(k);
            const double v = value(k);
            if (given <= last) return false;
            last = given;
            sum += std::abs(v);
            ids[kept] = static_cast<FeatureId>(given);
            raw[kept] = v;
            kept += v != 0.0 ? 1 : 0;
        }
        ids.resize(kept);
        raw.resize(kept);
        if (static_cast<std::int64_t>(last) >= kNoFeature) return false;
        return sum <= kLargestInput || list_gaps();
    }
    // False where a value is too large.
    bool list_gaps() {
        gaps.clear();
        for (std::size_t k = 0; k < raw.size(); ++k) {
            if (std::isnan(raw[k]))
                gaps.push_back(static_cast<std::uint32_t>(k));
            else if (!(std::abs(raw[k]) <= kLargestInput))
                return false;
        }
        return true;
    }
    std::size_t size() const { return ids.size(); }
};

}  // namespace onlineboost
