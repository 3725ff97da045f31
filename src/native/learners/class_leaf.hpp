// What one leaf of a tree of many classes knows: weights of the classes that it has seen, and per feature a histogram
// over its non-zero values.
//
// Classes are numbered inside the leaf in the order of their first example there, so its memory and the cost of an
// example follow from the classes of the leaf, not from all there are. The first `bins` distinct values of a feature
// become the borders of its cells; a cell reaches from its border to the next, and cells of negative values take no
// positive ones while there is a cell of their own sign (see leaf_statistics.hpp). Borders are kept in ascending order;
// the weights of a cell stay where they began.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class ClassLeaf {
   public:
    struct Feature {
        std::int32_t slot;
        std::uint32_t start;  // its first cell in the pool
        std::uint16_t cells, room;
    };
    // Where a value of a row belongs: cell >= 0 of the pool. A cell below 0 is one that the value has yet to get, and
    // -1 - cell counts for it until then.
    struct Target {
        std::int32_t feature, cell;
        std::size_t counting() const { return static_cast<std::size_t>(cell < 0 ? -1 - cell : cell); }
    };
    static constexpr std::int32_t kAbsent = -1, kRefused = -2;

    // ---- classes
    std::size_t classes() const { return ids_.size(); }
    std::uint32_t id(std::size_t c) const { return ids_[c]; }
    double before(std::size_t c) const { return before_[c]; }
    double own(std::size_t c) const { return own_[c]; }
    double sum(std::size_t c) const { return before_[c] + own_[c]; }
    double total() const;  // of own
    // Its number inside; classes() where it was never seen.
    std::size_t find_class(std::uint32_t id) const {
        std::size_t c = 0;
        while (c < ids_.size() && ids_[c] != id) ++c;
        return c;
    }
    // Memory for so many classes in a leaf without cells.
    void make_room(std::size_t classes);
    std::size_t add_class(std::uint32_t id, double before = 0.0, double own = 0.0);
    void add_before(std::size_t c, double w) { before_[c] += w; }
    void add_own(std::size_t c, double w) { own_[c] += w; }
    // The class with the most weight, of equal ones the first seen; its weight; classes() for an empty leaf.
    std::size_t majority() const;
    double weight() const;  // of all classes, before and own

    // ---- cells
    std::int32_t find(std::int32_t slot) const {
        if (table_.empty()) return kAbsent;
        for (std::size_t at = place(slot);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at] < 0) return kAbsent;
            if (features_[static_cast<std::size_t>(table_[at])].slot == slot) return table_[at];
        }
    }
    // `bins`: cells that a feature may have; `guess`: which feature of the leaf it may be.
    Target target(std::int32_t slot, double v, std::size_t bins, std::size_t guess) const;
    const std::vector<Feature>& features() const { return features_; }
    // Of the k-th of its cells in ascending order.
    double border(const Feature& feature, std::size_t k) const { return borders_[feature.start + k]; }
    const float* weights(const Feature& feature, std::size_t k) const { return weights(cell(feature, k)); }
    const float* weights(std::size_t cell) const { return weights_.data() + cell * width_; }
    // Asks for memory that a score of a row with so many values is going to read: where the cells are, and then the
    // cells. Inlined, for compilers drop calls of functions that do nothing else.
    [[gnu::always_inline]] void fetch(std::size_t values) const {
        fetch_all(ids_);
        fetch_all(before_);
        fetch_all(own_);
        if (features_.size() > values) {  // most are not in the row
            fetch_all(table_);
            return;
        }
        fetch_all(features_);
        fetch_all(borders_);
        fetch_all(ranks_);
    }
    [[gnu::always_inline]] void fetch(const Target& target) const {
        const float* row = weights(target.counting());
        __builtin_prefetch(row);
        __builtin_prefetch(row + width_ - 1);
        if (target.cell >= 0) return;
        const Feature& feature = features_[static_cast<std::size_t>(target.feature)];
        if (feature.cells < feature.room) __builtin_prefetch(weights(feature.start + feature.cells));
    }
    // Memory for one more class, and for so many more features and features that widen to all their bins.
    void make_room(bool fresh_class, std::size_t features, std::size_t widened, std::size_t bins);
    void learn_known(std::int32_t cell, std::size_t c, double w) {
        weights_[static_cast<std::size_t>(cell) * width_ + c] += static_cast<float>(w);
    }
    // A value without a cell of its own. Adds in all cases; a feature, or room for it, that would take more than `left`
    // further bytes is not added: returns false then.
    bool learn(const Target& target, std::int32_t slot, double v, std::size_t c, double w, std::size_t bins,
               std::size_t left);
    // A feature with its cells, as they were saved: classes() weights for each. False where the slot is there already.
    bool restore(std::int32_t slot, const double* borders, const double* weights, std::size_t cells, std::size_t bins);
    // Statistics begin anew, or end.
    void clear_statistics();
    // Depends on what is stored, not on how it came there.
    std::size_t bytes() const { return bytes_of(ids_.size(), features_.size(), cells_); }

   private:
    template <class V>
    [[gnu::always_inline]] static void fetch_all(const V& values) {
        const auto* at = reinterpret_cast<const char*>(values.data());
        for (const char* end = at + values.size() * sizeof(typename V::value_type); at < end; at += 64)
            __builtin_prefetch(at);
    }
    static std::size_t padded(std::size_t classes) { return (classes + 3) / 4 * 4; }
    static std::size_t bytes_of(std::size_t classes, std::size_t features, std::size_t cells) {
        return 32 * classes + 24 * features + cells * (sizeof(double) + sizeof(float) * padded(classes));
    }
    std::size_t place(std::int32_t slot) const { return (static_cast<std::uint32_t>(slot) * 0x9E3779B1u) >> shift_; }
    // The cell whose weights count for v, in ascending order.
    std::size_t rank_of(const Feature& feature, double v) const;
    std::size_t cell(const Feature& feature, std::size_t k) const { return feature.start + ranks_[feature.start + k]; }
    void rehash(std::size_t features);
    void widen_classes(std::size_t classes);
    Feature& add(std::int32_t slot);
    void widen(Feature& feature, std::size_t bins);

    std::vector<std::uint32_t> ids_;
    std::vector<double> before_, own_;  // from before the statistics began, and since
    std::vector<Feature> features_;
    Vector borders_;                    // infinite where there is no cell yet
    std::vector<std::uint16_t> ranks_;  // for each border, where the weights of its cell are, from the first on
    std::vector<float> weights_;        // width_ for each cell
    std::size_t width_ = 0, cells_ = 0;
    std::vector<std::int32_t> table_;  // of features, by their slots
    unsigned shift_ = 32;
};

}  // namespace onlineboost
