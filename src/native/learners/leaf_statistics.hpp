// What one leaf of a tree knows of the features met in it: per feature a histogram over its non-zero values.
//
// A cell holds a pair of sums: the weights of -1 and of +1, or gradients and their weights. The first `bins` distinct values of a
// feature become the borders of its cells; a cell reaches from its border to the next. Cells of negative values never take
// positive ones as long as there is a cell of their own sign, so that 0, which is never stored, lies between two cells. The sums of
// the rows without the feature are the leaf's minus those of the cells.
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
    // Adds the pair to the cell of value v of a feature that has such a cell and needs no other;
    // `index` is what find() gives. False where learn() must be asked.
    bool learn_known(std::int32_t index, double v, const double add[2], std::size_t bins) {
        const Feature& feature = features_[static_cast<std::size_t>(index)];
        double* borders = pool_.data() + feature.start;
        if (feature.cells == 1 ? borders[0] != v : feature.cells < bins) return false;
        double* pair = borders + feature.room + 2 * cell_of(borders, feature.cells, v);
        pair[0] += add[0];
        pair[1] += add[1];
        return true;
    }
    // The same in all cases. A feature, or room for it, that would take more than `left` further bytes is not added; returns false
    // then.
    bool learn(std::int32_t index, std::int32_t slot, double v, const double add[2], std::size_t bins, std::size_t left);
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
    static std::size_t cell_of(const double* borders, std::size_t count, double v) { return count == 1 ? 0 : search(borders, count, v); }
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
