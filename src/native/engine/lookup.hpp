// What a row has to do with the table of features, for models of two classes and of many.
#pragma once
#include <limits>
#include <string>
#include <unordered_set>

#include "engine/missing.hpp"
#include "engine/source.hpp"
#include "kernels/kernels.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

constexpr std::size_t kMostFeatures = std::numeric_limits<std::int32_t>::max();  // slots are 32-bit

inline void find_slots(const Features& features, Row& row) {
    row.slots.resize(row.size());
    row.met = features.find(row.ids, row.slots.data());
}

// An array may be written to by another thread after it was checked: what is learned is looked at once more.
inline void recheck_weight(double weight) {
    if (!(weight >= 0.0 && weight <= 1e15))
        throw std::invalid_argument("the sample weights changed while they were read: pass a copy");
}
inline void recheck_label(double y) {
    if (y != 1.0 && y != -1.0) throw std::invalid_argument("the labels changed while they were read: pass a copy");
}

// Lists the features of the row that have no slot, which add_slots gives them in this order.
inline void list_fresh(const Row& row, std::vector<FeatureId>& fresh) {
    fresh.clear();
    if (row.met) return;
    make_room(fresh, row.size());
    for (std::size_t k = 0; k < row.size(); ++k)
        if (row.slots[k] == Features::kUnseen) fresh.push_back(row.ids[k]);
}

// Gives a slot to those features of the row that have none; room was made for them.
inline void add_slots(Features& features, Row& row) {
    if (row.met) return;
    for (std::size_t k = 0; k < row.size(); ++k)
        if (row.slots[k] == Features::kUnseen) row.slots[k] = features.add(row.ids[k]);
}

// Refuses rows that bring more features than the bank takes. Asks for no row twice where it takes any number.
inline void check_room(const Bank& bank, const Features& features, const MissingValues& missing, const Source& source,
                       const double* s, Row& row) {
    const std::size_t most = bank.most_features();
    if (most == Bank::kAnyFeatures) return;
    std::unordered_set<FeatureId> fresh;
    for (std::size_t r = 0; r < source.rows(); ++r) {
        if (s && !(s[r] >= kNegligible)) continue;
        source.read(r, row);
        missing.fill(row);
        for (const FeatureId id : row.ids)
            if (features.find(id) == Features::kUnseen) fresh.insert(id);
        if (features.ids().size() + fresh.size() > most) throw std::invalid_argument(bank.limit());
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
        if (id < 0 || id >= std::numeric_limits<FeatureId>::max() ||
            features.find(static_cast<FeatureId>(id)) != Features::kUnseen)
            throw std::invalid_argument("state field 'features' names a feature twice or out of range");
        const auto fresh = static_cast<FeatureId>(id);
        features.make_room({&fresh, 1});
        features.add(fresh);
    }
}

}  // namespace onlineboost
