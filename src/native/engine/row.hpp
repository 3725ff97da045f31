// One example on its way through the model.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/features.hpp"

namespace onlineboost {

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
};

}  // namespace onlineboost
