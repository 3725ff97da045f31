// What one leaf of a tree of many classes knows: weights of the classes that it has seen, and per feature a histogram
// over its non-zero values.
//
// Classes are numbered inside the leaf in the order of their first example there, so its memory and the cost of an
// example follow from the classes of the leaf, not from all there are. The first `bins` distinct values of a feature
// become the borders of its cells; a cell reaches from its border to the next, and cells of negative values take no
// positive ones while there is a cell of their own sign (see leaf_statistics.hpp). Borders are kept in ascending order.
//
// Leaves are many, most are young, and most are in no cache when an example comes, so little of one is read and little
// is kept. As long as each cell of a feature has seen one class alone, it has one weight. Then, or once all cells are
// there, the feature gets a row of weights per cell; from there on values are compared with borders in single
// precision, and with the borders themselves only where these are equal.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class ClassLeaf {
   public:
    struct Feature {
        std::int32_t slot;
        std::uint32_t start;  // of its borders
        std::uint32_t dense;  // its first row of weights, or kSparse
        std::uint16_t cells, room;
        bool has_rows() const { return dense != kSparse; }
    };
    // Where a value of a row belongs: the k-th cell of a feature in ascending order. A cell below 0 is one that the
    // value has yet to get, and -1 - cell counts for it until then. `value` is where the row has it.
    struct Target {
        std::int32_t feature, cell, value;
        std::size_t counting() const { return static_cast<std::size_t>(cell < 0 ? -1 - cell : cell); }
    };
    // How many values of a row have a feature here, and whether to learn these is to add to weights in rows.
    struct Found {
        std::size_t count;
        bool settled;
    };
    // What a cell without a row knows: the weight of the class that it has seen.
    struct One {
        float weight;
        std::uint32_t c;
    };
    static constexpr std::int32_t kAbsent = -1;
    static constexpr std::uint32_t kSparse = ~std::uint32_t{0};

    // ---- classes
    std::size_t classes() const { return seen_.size(); }
    std::uint32_t id(std::size_t c) const { return seen_[c].id; }
    double before(std::size_t c) const { return seen_[c].before; }
    double own(std::size_t c) const { return seen_[c].own; }
    double sum(std::size_t c) const { return seen_[c].before + seen_[c].own; }
    double total() const;  // of own
    // Rows of weights have room for a multiple of four.
    static std::size_t padded(std::size_t classes) { return (classes + 3) / 4 * 4; }
    // Its number inside; classes() where it was never seen.
    std::size_t find_class(std::uint32_t id) const {
        std::size_t c = 0;
        while (c < seen_.size() && seen_[c].id != id) ++c;
        return c;
    }
    // Memory for so many classes in a leaf without cells.
    void make_room(std::size_t classes) { onlineboost::make_room(seen_, classes); }
    std::size_t add_class(std::uint32_t id, double before = 0.0, double own = 0.0);
    void add_before(std::size_t c, double w) { seen_[c].before += w; }
    void add_own(std::size_t c, double w) { seen_[c].own += w; }
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
    // Of the values of a row that have a feature here, in the row's order; `bins`: cells that a feature may have. Where
    // the row's slots ascend, `places` has where each slot is in it, or -1. Asks for the memory of the cells.
    Found find_targets(std::span<const std::int32_t> slots, const double* values, const std::int32_t* places,
                       std::size_t bins, Target* targets) const;
    const std::vector<Feature>& features() const { return features_; }
    // Of the k-th of its cells in ascending order.
    double border(const Feature& feature, std::size_t k) const { return borders_[feature.start + k]; }
    const float* row(const Feature& feature, std::size_t k) const { return row(feature.dense + k); }
    const One& one(const Feature& feature, std::size_t k) const { return ones_[feature.start + k]; }
    // Of each of its classes.
    double weight(const Feature& feature, std::size_t k, std::size_t c) const {
        if (feature.has_rows()) return static_cast<double>(row(feature, k)[c]);
        return one(feature, k).c == c ? static_cast<double>(one(feature, k).weight) : 0.0;
    }
    // Asks for memory that find_targets is going to read for a row with so many values. Inlined, for compilers drop
    // calls of functions that do nothing else.
    [[gnu::always_inline]] void fetch(std::size_t values) const {
        fetch_all(seen_);
        if (features_.size() > values) {  // most are not in the row
            fetch_all(table_);
            return;
        }
        fetch_all(features_);
        fetch_all(rough_);
        if (sparse_ == 0) return;
        fetch_all(borders_);
        fetch_all(ones_);
    }
    // That of all weights of a feature.
    [[gnu::always_inline]] void fetch_rows(const Feature& feature) const {
        if (!feature.has_rows()) return;
        const auto* at = reinterpret_cast<const char*>(row(feature, 0));
        for (std::size_t byte = 0; byte < feature.cells * width_ * sizeof(float); byte += 64)
            __builtin_prefetch(at + byte);
    }
    // Memory to learn a row of class c, which is classes() for a new one.
    void make_room(std::span<const Target> targets, std::size_t c, std::size_t bins);
    // Adds to a known cell.
    void learn_known(const Target& target, std::size_t c, double w) {
        Feature& feature = features_[static_cast<std::size_t>(target.feature)];
        if (!feature.has_rows()) return learn_one(feature, target.counting(), c, w);
        weights_[(feature.dense + target.counting()) * width_ + c] += static_cast<float>(w);
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
    std::size_t bytes() const { return bytes_of(seen_.size(), features_.size(), cells_); }

   private:
    using Floats = std::vector<float, Aligned64<float>>;
    struct Seen {
        double before, own;  // weights from before the statistics began, and since
        std::uint32_t id;
    };
    template <class V>
    [[gnu::always_inline]] static void fetch_all(const V& values) {
        const auto* at = reinterpret_cast<const char*>(values.data());
        for (const char* end = at + values.size() * sizeof(typename V::value_type); at < end; at += 64)
            __builtin_prefetch(at);
    }
    static std::size_t bytes_of(std::size_t classes, std::size_t features, std::size_t cells) {
        return 32 * classes + 24 * features + cells * (sizeof(double) + sizeof(float) * padded(classes));
    }
    std::size_t place(std::int32_t slot) const { return (static_cast<std::uint32_t>(slot) * 0x9E3779B1u) >> shift_; }
    const float* row(std::size_t number) const { return weights_.data() + number * width_; }
    Target target(std::int32_t found, double v, std::size_t bins) const;
    void fetch_cell(const Target& target, bool& settled) const;
    void rehash(std::size_t features);
    void widen_classes(std::size_t classes);
    Feature& add(std::int32_t slot);
    void add_borders(std::size_t count);
    void add_rows(Feature& feature);
    void widen(Feature& feature, std::size_t bins);
    void learn_one(Feature& feature, std::size_t k, std::size_t c, double w);

    std::vector<Seen> seen_;
    std::vector<Feature> features_;
    Floats rough_;           // borders of features with rows, infinite where there is no cell yet
    Floats weights_;         // width_ for each of their cells
    Vector borders_;         // of all, infinite where there is no cell yet
    std::vector<One> ones_;  // beside them, of features without rows
    std::uint32_t width_ = 0;
    std::uint32_t sparse_ = 0;         // features without rows
    std::size_t cells_ = 0;            // that there is room for
    std::vector<std::int32_t> table_;  // of features, by their slots
    unsigned shift_ = 32;
    bool ascending_ = true;  // the features' slots
};

}  // namespace onlineboost
