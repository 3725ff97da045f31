// One example on its way through the model, and the scratch that a walk needs: allocated once per batch, never per example.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/features.hpp"
#include "engine/storage.hpp"

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

    // Whether no value is NaN or beyond what is allowed. A sum of absolute values that is small has no large one in it: two
    // instructions a value.
    bool values_are_sound() const {
        using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
        using Bits [[gnu::vector_size(16)]] = std::int64_t;
        constexpr Bits magnitude = {INT64_MAX, INT64_MAX};
        const double* v = raw.data();
        const std::size_t n = raw.size();
        Pair sums[2] = {};
        std::size_t k = 0;
        for (; k + 4 <= n; k += 4)
            for (std::size_t j = 0; j < 2; ++j) sums[j] += (Pair)((Bits) * reinterpret_cast<const Pair*>(v + k + 2 * j) & magnitude);
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

struct Scratch {
    explicit Scratch(Layout layout)
        : s(round_up(layout.stride)), h(s.size()), scaled(s.size()), prefix(s.size()), c(s.size()), q(s.size()), inv(s.size()),
          taught(s.size()), after(s.size()) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    Row row;
    std::size_t threads = 1;                      // that a sweep may be split among
    // One value per learner, 0 in the padding.
    Vector s, h, scaled, prefix, c, q, inv, taught, after;
    double norm2 = 0.0;                           // of the row, after its normalisation
    std::vector<double> values;                   // the row as the bank sees it
    std::vector<double*> rows[3];                 // state rows that belong to `values`
    std::vector<Vector> fresh;                    // rows of features that the model has not met
    std::size_t unmet = 0;                        // how many of them this row has
    double unmet2 = 0.0;                          // their share of norm2
    std::vector<double> late;                     // their values
    std::vector<std::size_t> at;                  // coordinates that belong to `values`, for a full covariance
    std::vector<double*> product;                 // the rows of a matrix times `values`
    struct Entry {
        FeatureId id;
        std::int32_t slot;
        double value;
    };
    std::vector<Entry> order;                     // a changed row on its way to its order
    std::vector<bool> seen;                       // slots that the row has
    Vector wide;                                  // one value per random Fourier feature
    double vote = 0.0;                            // of a family, a whole model inside a bank
    std::vector<std::unique_ptr<Scratch>> inner;  // of the banks inside a bank that changes rows
    std::vector<std::uint32_t> places;            // where each learner, a tree, put the row
    std::vector<std::int32_t> found;              // for each learner, where its leaf has the row's features
    std::vector<double> spread;                   // the values that trees test, 0 but for those listed in `tested`
    std::vector<std::int32_t> tested;
};

}  // namespace onlineboost
