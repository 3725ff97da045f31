// Missing values: NaN in a row. docs/missing.md has the rules, onlineboost.reference.missing the same in NumPy.
//
// A bank never sees NaN. A missing value of feature j is filled with the mean of the values that j had in the rows
// learned since its first missing one (an absent value is 0), and a feature of its own says that j is missing. Banks
// that have a better way look at Row::gaps. Nothing is kept for features that were never missing.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/archive.hpp"
#include "engine/row.hpp"

namespace onlineboost {

// The feature that is 1 where `id` is missing. Ids from 2^31 on are names beside columns and have none.
constexpr FeatureId kIndicators = FeatureId{1} << 31;
constexpr bool has_indicator(FeatureId id) { return id < kIndicators; }
constexpr FeatureId indicator_of(FeatureId id) { return 0xFFFFFFFEu - id; }

class MissingValues {
   public:
    // Fills the gaps of a row that was just read, and adds their indicators.
    void fill(Row& row) const {
        if (!row.gaps.empty()) fill_gaps(row);
    }
    // Before a row is learned: memory, so that learn() cannot fail.
    void make_room(const Row& row) {
        if (!row.gaps.empty()) make_room_for(row);
    }
    // After fill() and make_room() on the same row.
    void learn(const Row& row) {
        if (!row.gaps.empty() || rows_ > 0) learn_row(row);
    }
    void serialise(Archive& archive);

   private:
    void fill_gaps(Row& row) const;
    void make_room_for(const Row& row);
    void learn_row(const Row& row);
    double mean(FeatureId id) const;

    Features tracked_;                // those that were missing
    std::vector<double> sums_;        // of their values since then
    std::vector<std::int64_t> base_;  // rows_ less the rows in which they were not missing
    std::int64_t rows_ = 0;           // learned since the first missing value
    std::vector<FeatureId> fresh_;
};

}  // namespace onlineboost
