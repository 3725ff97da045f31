#include "learners/class_leaf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/features.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {

constexpr double kNoBorder = std::numeric_limits<double>::infinity();

typedef float Four __attribute__((vector_size(16)));
typedef float FourMem __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::int32_t Counts __attribute__((vector_size(16)));

// How many of n numbers are less than v, and how many at most v.
[[gnu::always_inline]] inline void count(const float* a, std::size_t n, float v, std::size_t& less,
                                         std::size_t& at_most) {
    Counts under{}, below{};
    const Four all = {v, v, v, v};
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const Four these = *reinterpret_cast<const FourMem*>(a + k);
        under -= these < all;
        below -= these <= all;
    }
    less = static_cast<std::size_t>((under[0] + under[1]) + (under[2] + under[3]));
    at_most = static_cast<std::size_t>((below[0] + below[1]) + (below[2] + below[3]));
    for (; k < n; ++k) {
        less += a[k] < v ? 1 : 0;
        at_most += a[k] <= v ? 1 : 0;
    }
}

}  // namespace

std::size_t ClassLeaf::add_class(std::uint32_t id, double before, double own) {
    if (padded(seen_.size() + 1) > width_) widen_classes(seen_.size() + 1);
    seen_.push_back({before, own, id});
    return seen_.size() - 1;
}

void ClassLeaf::widen_classes(std::size_t classes) {
    const auto width = static_cast<std::uint32_t>(padded(classes));
    const std::size_t rows = rough_.size();
    Floats wider;
    wider.reserve(rough_.capacity() * width);
    wider.resize(rows * width, 0.0f);
    for (std::size_t k = 0; k < rows; ++k) std::copy_n(weights_.data() + k * width_, width_, wider.data() + k * width);
    weights_.swap(wider);
    width_ = width;
}

std::size_t ClassLeaf::majority() const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < seen_.size(); ++c)
        if (sum(c) > sum(best)) best = c;
    return best;
}

double ClassLeaf::total() const {
    double all = 0.0;
    for (const Seen& one : seen_) all += one.own;
    return all;
}

double ClassLeaf::weight() const {
    double all = 0.0;
    for (const Seen& one : seen_) all += one.before + one.own;
    return all;
}

// The borders at most v in single precision are those at most v, unless one of them is equal to it there. A positive v
// does not go to a cell of negative values that has a next one.
inline ClassLeaf::Target ClassLeaf::target(std::int32_t found, double v, std::size_t bins) const {
    const Feature& feature = features_[static_cast<std::size_t>(found)];
    const double* borders = borders_.data() + feature.start;
    std::size_t below, k;
    bool exact = !feature.has_rows(), negative;
    if (feature.has_rows()) {
        const float* rough = rough_.data() + feature.dense;
        std::size_t less;
        count(rough, feature.room, static_cast<float>(v), less, below);
        exact = less != below;
        k = below > 0 ? below - 1 : 0;
        negative = std::signbit(rough[k]);
    }
    if (exact) {
        const std::size_t some = std::min<std::size_t>(round_up(feature.cells), feature.room);
        below = kernels().count_at_most(borders, some, v);
        k = below > 0 ? below - 1 : 0;
        negative = borders[k] < 0.0;
    }
    if (v > 0.0 && negative && k + 1u < feature.cells) ++k;
    const bool fits = feature.cells >= bins || (exact && borders[k] == v);
    const auto at = static_cast<std::int32_t>(k);
    return {found, fits ? at : -1 - at, 0};
}

inline void ClassLeaf::fetch_cell(const Target& target, bool& settled) const {
    const Feature& feature = features_[static_cast<std::size_t>(target.feature)];
    settled &= target.cell >= 0 && feature.has_rows();
    if (!feature.has_rows()) return;
    const float* at = row(feature, target.counting());
    __builtin_prefetch(at);
    if (width_ > 8) __builtin_prefetch(at + width_ - 1);
}

// Where slots ascend in the leaf and in the row, the leaf's features are gone through; the table is not read.
ClassLeaf::Found ClassLeaf::find_targets(std::span<const std::int32_t> slots, const double* values,
                                         const std::int32_t* places, std::size_t bins, Target* targets) const {
    Found found{0, true};
    const auto add = [&](std::int32_t feature, std::int32_t k) {
        Target& one = targets[found.count++] = target(feature, values[k], bins);
        one.value = k;
        fetch_cell(one, found.settled);
    };
    if (places && ascending_ && features_.size() <= slots.size()) {
        for (std::size_t f = 0; f < features_.size(); ++f) {
            const std::int32_t k = places[features_[f].slot];
            if (k >= 0) add(static_cast<std::int32_t>(f), k);
        }
        return found;
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
        const std::int32_t feature = slots[k] == Features::kUnseen ? kAbsent : find(slots[k]);
        if (feature >= 0) add(feature, static_cast<std::int32_t>(k));
    }
    return found;
}

void ClassLeaf::rehash(std::size_t features) {
    std::size_t size = 8;
    while (size < 2 * features) size *= 2;
    if (size <= table_.size()) return;
    table_.assign(size, -1);
    shift_ = 32;
    for (std::size_t s = size; s > 1; s /= 2) --shift_;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        std::size_t at = place(features_[f].slot);
        while (table_[at] >= 0) at = (at + 1) & (size - 1);
        table_[at] = static_cast<std::int32_t>(f);
    }
}

void ClassLeaf::make_room(std::span<const Target> targets, std::size_t c, std::size_t bins) {
    std::size_t features = 0, borders = 0, rows = 0;
    for (const Target& target : targets) {
        if (target.feature == kAbsent) {
            ++features;
            ++borders;
            continue;
        }
        const Feature& feature = features_[static_cast<std::size_t>(target.feature)];
        const bool widens = target.cell < 0 && feature.cells == feature.room;
        if (widens) borders += bins;
        if (widens && (feature.has_rows() || bins == 2))
            rows += bins;
        else if (!feature.has_rows() && (target.cell >= 0 || widens) && one(feature, target.counting()).c != c)
            rows += feature.room;
        else if (!feature.has_rows() && target.cell < 0 && feature.cells + 1 == feature.room)
            rows += feature.room;
    }
    if (c == classes()) {
        make_room(c + 1);
        if (padded(c + 1) > width_) widen_classes(c + 1);
    }
    if (borders > 0) {
        onlineboost::make_room(features_, features_.size() + features);
        onlineboost::make_room(borders_, borders_.size() + borders);
        onlineboost::make_room(ones_, borders_.size() + borders);
        rehash(features_.size() + features);
    }
    if (rows > 0) {
        onlineboost::make_room(rough_, rough_.size() + rows);
        onlineboost::make_room(weights_, (rough_.size() + rows) * width_);
    }
}

void ClassLeaf::add_borders(std::size_t count) {
    cells_ += count;
    borders_.resize(cells_, kNoBorder);
    ones_.resize(cells_);
}

ClassLeaf::Feature& ClassLeaf::add(std::int32_t slot) {
    rehash(features_.size() + 1);
    std::size_t at = place(slot);
    while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::int32_t>(features_.size());
    ascending_ = ascending_ && (features_.empty() || features_.back().slot < slot);
    features_.push_back({slot, static_cast<std::uint32_t>(cells_), kSparse, 0, 1});
    ++sparse_;
    add_borders(1);
    return features_.back();
}

// From now on it has a row per cell.
void ClassLeaf::add_rows(Feature& feature) {
    const std::size_t first = rough_.size();
    rough_.resize(first + feature.room);
    weights_.resize(rough_.size() * width_, 0.0f);
    for (std::size_t k = 0; k < feature.room; ++k) rough_[first + k] = static_cast<float>(border(feature, k));
    for (std::size_t k = 0; k < feature.cells; ++k)
        weights_[(first + k) * width_ + one(feature, k).c] = one(feature, k).weight;
    feature.dense = static_cast<std::uint32_t>(first);
    --sparse_;
}

// A second value asks for room for all bins at once; the place of the first cell stays unused.
void ClassLeaf::widen(Feature& feature, std::size_t bins) {
    const std::size_t border = feature.start, dense = feature.dense;
    feature.start = static_cast<std::uint32_t>(cells_);
    feature.room = static_cast<std::uint16_t>(bins);
    add_borders(bins);
    borders_[feature.start] = borders_[border];
    ones_[feature.start] = ones_[border];
    if (!feature.has_rows()) return;
    feature.dense = static_cast<std::uint32_t>(rough_.size());
    rough_.resize(feature.dense + bins, static_cast<float>(kNoBorder));
    weights_.resize(rough_.size() * width_, 0.0f);
    rough_[feature.dense] = rough_[dense];
    std::copy_n(row(dense), width_, weights_.data() + feature.dense * width_);
}

void ClassLeaf::learn_one(Feature& feature, std::size_t k, std::size_t c, double w) {
    One& one = ones_[feature.start + k];
    if (one.c == c) {
        one.weight += static_cast<float>(w);
        return;
    }
    add_rows(feature);
    weights_[(feature.dense + k) * width_ + c] += static_cast<float>(w);
}

bool ClassLeaf::learn(const Target& target, std::int32_t slot, double v, std::size_t c, double w, std::size_t bins,
                      std::size_t left) {
    const auto affordable = [&](std::size_t features, std::size_t cells) {
        return bytes_of(seen_.size(), features_.size() + features, cells_ + cells) - bytes() <= left;
    };
    const One own{static_cast<float>(w), static_cast<std::uint32_t>(c)};
    if (target.feature < 0) {
        if (!affordable(1, 1)) return false;
        Feature& feature = add(slot);
        feature.cells = 1;
        borders_[feature.start] = v;
        ones_[feature.start] = own;
        return true;
    }
    Feature& feature = features_[static_cast<std::size_t>(target.feature)];
    if (feature.cells == feature.room) {
        if (!affordable(0, bins)) {
            learn_known(target, c, w);
            return false;
        }
        widen(feature, bins);
    }
    double* borders = borders_.data() + feature.start;
    const std::size_t count = feature.cells++;
    const std::size_t k = target.counting() + (borders[target.counting()] < v ? 1 : 0);
    std::copy_backward(borders + k, borders + count, borders + count + 1);
    borders[k] = v;
    if (feature.has_rows()) {
        float *rough = rough_.data() + feature.dense, *rows = weights_.data() + feature.dense * width_;
        std::copy_backward(rough + k, rough + count, rough + count + 1);
        rough[k] = static_cast<float>(v);
        std::copy_backward(rows + k * width_, rows + count * width_, rows + (count + 1) * width_);
        std::fill_n(rows + k * width_, width_, 0.0f);
        rows[k * width_ + c] = own.weight;
        return true;
    }
    One* ones = ones_.data() + feature.start;
    std::copy_backward(ones + k, ones + count, ones + count + 1);
    ones[k] = own;
    if (feature.cells == feature.room) add_rows(feature);
    return true;
}

bool ClassLeaf::restore(std::int32_t slot, const double* borders, const double* weights, std::size_t cells,
                        std::size_t bins) {
    if (find(slot) >= 0 || seen_.empty()) return false;
    Feature& feature = add(slot);
    if (cells > 1) widen(feature, bins);
    feature.cells = static_cast<std::uint16_t>(cells);
    std::copy_n(borders, cells, borders_.data() + feature.start);
    bool rows = cells > 1 && cells == feature.room;
    for (std::size_t k = 0; k < cells; ++k) {
        One& one = ones_[feature.start + k] = {0.0f, 0};
        std::size_t several = 0;
        for (std::size_t c = 0; c < seen_.size(); ++c) {
            const auto weight = static_cast<float>(weights[k * seen_.size() + c]);
            if (weight == 0.0f) continue;
            one = {weight, static_cast<std::uint32_t>(c)};
            rows |= several++ > 0;
        }
    }
    if (!rows) return true;
    add_rows(feature);
    for (std::size_t k = 0; k < cells; ++k)
        for (std::size_t c = 0; c < seen_.size(); ++c)
            weights_[(feature.dense + k) * width_ + c] = static_cast<float>(weights[k * seen_.size() + c]);
    return true;
}

void ClassLeaf::clear_statistics() {
    for (Seen& one : seen_) {
        one.before += one.own;
        one.own = 0.0;
    }
    features_ = {};
    rough_ = {};
    weights_ = {};
    borders_ = {};
    ones_ = {};
    table_ = {};
    ascending_ = true;
    sparse_ = 0;
    cells_ = 0;
    shift_ = 32;
}

}  // namespace onlineboost
