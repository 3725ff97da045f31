// What a row has to do with the table of features, for models of two classes and of many.
#pragma once
#include <limits>
#include <string>
#include <unordered_set>

#include "engine/source.hpp"
#include "kernels/kernels.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

constexpr std::size_t kMostFeatures = std::numeric_limits<std::int32_t>::max();  // slots are 32-bit

inline void find_slots(const Features& features, Row& row) {
    row.slots.resize(row.size());
    row.met = true;
    for (std::size_t k = 0; k < row.size(); ++k) {
        row.slots[k] = features.find(row.ids[k]);
        row.met &= row.slots[k] != Features::kUnseen;
    }
}

// Gives a slot to those features of the row that have none.
inline void add_slots(Features& features, Row& row) {
    if (row.met) return;
    for (std::size_t k = 0; k < row.size(); ++k)
        if (row.slots[k] == Features::kUnseen) row.slots[k] = features.add(row.ids[k]);
}

// Refuses rows that bring more features than the bank takes. Asks for no row twice where it takes any number.
inline void check_room(const Bank& bank, const Features& features, const Source& source, const double* s, Row& row) {
    const std::size_t most = bank.most_features();
    if (most == Bank::kAnyFeatures) return;
    std::unordered_set<FeatureId> fresh;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        if (s && !(s[r] >= kNegligible)) continue;
        source.read(r, row);
        for (const FeatureId id : row.ids)
            if (features.find(id) == Features::kUnseen) fresh.insert(id);
        if (features.ids().size() + fresh.size() > most)
            throw std::invalid_argument(bank.limit());
    }
}

// The table as ids in the order of their slots.
inline void serialise_features(Archive& archive, Features& features) {
    std::vector<std::int64_t> ids(features.ids().begin(), features.ids().end());
    archive.integers("features", ids);
    if (!archive.loading()) return;
    if (!features.ids().empty()) throw std::invalid_argument("a state is loaded into a model that was just made");
    if (ids.size() > kMostFeatures) throw std::invalid_argument("state field 'features' has too many features");
    for (const std::int64_t id : ids) {
        if (id < 0 || id >= std::numeric_limits<FeatureId>::max() || features.find(static_cast<FeatureId>(id)) != Features::kUnseen)
            throw std::invalid_argument("state field 'features' names a feature twice or out of range");
        features.add(static_cast<FeatureId>(id));
    }
}

}  // namespace onlineboost
