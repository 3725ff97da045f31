// What one leaf of a tree knows of the features met in it: per feature a histogram over its non-zero values.
//
// A cell holds a pair of sums: the weights of -1 and of +1, or gradients and their weights. The first `bins` distinct
// values of a feature become the borders of its cells; a cell reaches from its border to the next. Cells of negative
// values never take positive ones as long as there is a cell of their own sign, so that 0, which is never stored, lies
// between two cells. The sums of the rows without the feature are the leaf's minus those of the cells.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace onlineboost {

class LeafStatistics {
   public:
    struct Feature {
        std::int32_t slot;
        std::uint32_t start;  // in the pool: `room` borders, then `room` pairs of weights
        std::uint16_t cells, room;
    };
    // Cells in ascending order; weights[2 k] and weights[2 k + 1] are the pair of cell k.
    struct Cells {
        const double* borders;
        const double* weights;
        std::size_t count;
    };

    // Where the feature is in features(); -1 where it was never met.
    std::int32_t find(std::int32_t slot) const {
        if (table_.empty()) return -1;
        for (std::size_t at = place(slot);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at].slot == slot) return table_[at].index;
            if (table_[at].slot < 0) return -1;
        }
    }
    // Asks for memory: what find() is going to read, and the borders of a feature. Inlined, for compilers
    // drop calls of functions that do nothing else.
    [[gnu::always_inline]] void fetch(std::span<const std::int32_t> slots) const {
        if (table_.empty()) return;
        for (const std::int32_t slot : slots) __builtin_prefetch(&table_[place(slot)]);
    }
    [[gnu::always_inline]] void fetch_borders(std::int32_t index) const {
        const Feature& feature = features_[static_cast<std::size_t>(index)];
        const auto* at = reinterpret_cast<const char*>(pool_.data() + feature.start);
        for (const char* end = at + feature.cells * sizeof(double); at < end; at += 64) __builtin_prefetch(at);
    }
    // Where a value of a row belongs: the place of its pair, if the feature has a cell for it and needs no other;
    // kAbsent where the feature was never met, kRefused where it takes no part in this leaf; index_of() is its index
    // where a cell is missing.
    using Target = std::int32_t;
    static constexpr Target kAbsent = -1, kRefused = -2;
    static std::int32_t index_of(Target growing) { return -3 - growing; }
    // The pair of v's cell is at `cell`.
    Target target(std::int32_t index, const Feature& feature, double v, const double* cell, std::size_t bins) const {
        const bool fits = feature.cells == 1 ? pool_[feature.start] == v : feature.cells >= bins;
        const std::ptrdiff_t at = cell - pool_.data();
        return fits && at <= kFarthest ? static_cast<Target>(at) : -3 - index;
    }
    Target target(std::int32_t index, double v, std::size_t bins) const {
        const Feature& feature = features_[static_cast<std::size_t>(index)];
        return target(index, feature, v, weights(feature, v), bins);
    }
    // Adds to the pair at a place.
    void learn_known(Target place, const double add[2]) {
        double* pair = pool_.data() + place;
        pair[0] += add[0];
        pair[1] += add[1];
    }
    // Memory for `features` more features, and for all cells of `widened` that have one: as much as `limit` bytes may
    // hold. Neither learn() nor what bytes() says depends on it.
    void make_room(std::size_t features, std::size_t widened, std::size_t bins, std::size_t limit) {
        const std::size_t count = features_.size() + features, table = features > 0 ? count : 0;
        const std::size_t pool = pool_.size() + kSingle * (features + bins * widened);
        if (count > features_.capacity() || pool > pool_.capacity() || 2 * table > table_.capacity())
            reserve(count, pool, table, limit);
    }
    // Adds the pair in all cases; `index` is what find() gives. A feature, or room for it, that would take more than
    // `left` further bytes is not added; returns false then.
    bool learn(std::int32_t index, std::int32_t slot, double v, const double add[2], std::size_t bins,
               std::size_t left);
    // The pair of v's cell of a feature.
    const double* weights(const Feature& feature, double v) const {
        const double* borders = pool_.data() + feature.start;
        return borders + feature.room + 2 * cell_of(borders, feature.cells, v);
    }

    const std::vector<Feature>& features() const { return features_; }
    Cells cells(const Feature& feature) const {
        const double* at = pool_.data() + feature.start;
        return {at, at + feature.room, feature.cells};
    }
    // A feature with its cells, as they were saved: borders ascend strictly. False where the slot is there already.
    bool restore(std::int32_t slot, const double* borders, const double* weights, std::size_t cells, std::size_t bins);
    void clear() { *this = LeafStatistics(); }
    // Depends on what is stored, not on how it came there.
    std::size_t bytes() const { return bytes_; }

   private:
    struct Entry {
        std::int32_t slot = -1;
        std::int32_t index = 0;
    };
    // The last cell whose border is not above v, but none of the other sign where v's sign has a cell.
    static std::size_t cell_of(const double* borders, std::size_t count, double v) {
        return count == 1 ? 0 : search(borders, count, v);
    }
    static constexpr std::size_t kSingle = 3;  // doubles of a feature with one cell, as 0/1 features have
    static constexpr std::ptrdiff_t kFarthest = std::numeric_limits<Target>::max();
    void reserve(std::size_t count, std::size_t pool, std::size_t table, std::size_t limit);
    static std::size_t search(const double* borders, std::size_t count, double v);
    static std::size_t capacity(std::size_t size);
    static std::size_t bytes_of(std::size_t features, std::size_t pool, std::size_t table);
    std::size_t place(std::int32_t slot) const { return (static_cast<std::uint32_t>(slot) * 0x9E3779B1u) >> shift_; }
    std::size_t table_for(std::size_t features) const;
    Feature* add(std::int32_t slot, std::size_t left);
    bool widen(Feature& feature, std::size_t bins, std::size_t left);
    void rehash(std::size_t size);

    std::vector<Feature> features_;
    std::vector<double> pool_;
    std::vector<Entry> table_;
    unsigned shift_ = 32;
    std::size_t bytes_ = 0;
};

}  // namespace onlineboost
