// One example on its way through the model, and the scratch that a walk needs: allocated once per batch, never per example.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/features.hpp"
#include "engine/storage.hpp"

namespace onlineboost {

struct Row {
    // Non-zero features in ascending order of id, as given.
    std::vector<FeatureId> ids;
    std::vector<double> raw;
    std::vector<std::int32_t> slots;  // Features::kUnseen where the model has not met the feature

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
    std::size_t size() const { return ids.size(); }
};

struct Scratch {
    explicit Scratch(Layout layout)
        : s(layout.stride), h(layout.stride), z(layout.stride), w(layout.stride + 1), scaled(layout.stride), c(layout.stride),
          q(layout.stride), inv(layout.stride) {}
    Row row;
    Vector s, h, z, w, scaled, c, q, inv;         // one value per learner, 0 in the padding
    double norm2 = 0.0;                           // of the row, after its normalisation
    std::vector<double> values;                   // the row as the bank sees it
    std::vector<double*> rows[2];                 // state rows that belong to `values`
    std::vector<Vector> fresh;                    // rows of features that the model has not met
    std::size_t unmet = 0;                        // how many of them this row has
    std::vector<std::uint32_t> places;            // where each learner, a tree, put the row
    std::vector<std::int32_t> found;              // for each learner, where its leaf has the row's features
    std::vector<double> spread;                   // the values that trees test, 0 but for those listed in `tested`
    std::vector<std::int32_t> tested;
};

}  // namespace onlineboost
