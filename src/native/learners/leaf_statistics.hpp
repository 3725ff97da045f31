// What one leaf of a tree knows of the features met in it: per feature a histogram of class weights over its non-zero values.
//
// The first `bins` distinct values of a feature become the borders of its cells; a cell reaches from its border to the next. Cells
// of negative values never take positive ones as long as there is a cell of their own sign, so that 0, which is never stored, lies
// between two cells. The weight of a row without the feature is the leaf's weight minus that of the cells.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace onlineboost {

class LeafStatistics {
   public:
    struct Feature {
        std::int32_t slot;
        std::uint32_t start;  // in the pool: `room` borders, then `room` pairs of weights
        std::uint16_t cells, room;
    };
    // Cells in ascending order; weights[2 k] and weights[2 k + 1] are those of -1 and of +1 in cell k.
    struct Cells {
        const double* borders;
        const double* weights;
        std::size_t count;
    };

    // Adds weight w to the cell of value v for class c (0: -1, 1: +1). A feature, or room for it, that would take more than `left`
    // further bytes is not added; returns false then.
    bool learn(std::int32_t slot, double v, int c, double w, std::size_t bins, std::size_t left);
    // The pair of weights of v's cell, and how many cells there are; null where the feature was never met.
    const double* find(std::int32_t slot, double v, std::size_t& cells) const;

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
    static std::size_t capacity(std::size_t size);
    static std::size_t bytes_of(std::size_t features, std::size_t pool, std::size_t table);
    std::size_t place(std::int32_t slot) const { return (static_cast<std::uint32_t>(slot) * 0x9E3779B1u) >> shift_; }
    std::int32_t index_of(std::int32_t slot) const {
        if (table_.empty()) return -1;
        for (std::size_t at = place(slot);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at].slot == slot) return table_[at].index;
            if (table_[at].slot < 0) return -1;
        }
    }
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
