#include "learners/leaf_statistics.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"

namespace onlineboost {

std::size_t LeafStatistics::search(const double* borders, std::size_t count, double v) {
    const std::size_t below = kernels().count_at_most(borders, count, v);
    std::size_t k = below > 0 ? below - 1 : 0;
    if (v > 0.0 && borders[k] < 0.0 && k + 1 < count) ++k;
    return k;
}

// Capacities grow by halves and follow from the size alone, so that a restored leaf counts as many bytes as the one
// saved.
std::size_t LeafStatistics::capacity(std::size_t size) {
    if (size == 0) return 0;
    std::size_t room = 4;
    while (room < size) room += room / 2;
    return room;
}

std::size_t LeafStatistics::bytes_of(std::size_t features, std::size_t pool, std::size_t table) {
    return capacity(features) * sizeof(Feature) + capacity(pool) * sizeof(double) + table * sizeof(Entry);
}

std::size_t LeafStatistics::table_for(std::size_t features) const {
    std::size_t size = 8;
    while (size < 2 * features) size *= 2;
    return size;
}

void LeafStatistics::rehash(std::size_t size) {
    table_.assign(size, {});
    shift_ = 32;
    for (std::size_t s = size; s > 1; s /= 2) --shift_;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        std::size_t at = place(features_[f].slot);
        while (table_[at].slot >= 0) at = (at + 1) & (size - 1);
        table_[at] = {features_[f].slot, static_cast<std::int32_t>(f)};
    }
}

void LeafStatistics::reserve(std::size_t count, std::size_t pool, std::size_t table, std::size_t limit) {
    features_.reserve(std::min(capacity(count), limit / sizeof(Feature) + 1));
    pool_.reserve(std::min(capacity(pool), limit / sizeof(double) + 1));
    if (table > 0) table_.reserve(std::min(table_for(table), limit / sizeof(Entry) + 1));
}

LeafStatistics::Feature* LeafStatistics::add(std::int32_t slot, std::size_t left) {
    const std::size_t count = features_.size() + 1, pool = pool_.size() + kSingle, table = table_for(count);
    const std::size_t after = bytes_of(count, pool, table);
    if (after > bytes_ + left) return nullptr;
    bytes_ = after;
    features_.reserve(capacity(count));
    pool_.reserve(capacity(pool));
    features_.push_back({slot, static_cast<std::uint32_t>(pool_.size()), 0, 1});
    pool_.resize(pool, 0.0);
    if (table != table_.size()) {
        rehash(table);
    } else {
        std::size_t at = place(slot);
        while (table_[at].slot >= 0) at = (at + 1) & (table - 1);
        table_[at] = {slot, static_cast<std::int32_t>(count - 1)};
    }
    return &features_.back();
}

// A second value asks for room for all bins at once; the place of the first cell stays unused.
bool LeafStatistics::widen(Feature& feature, std::size_t bins, std::size_t left) {
    const std::size_t pool = pool_.size() + kSingle * bins;
    const std::size_t after = bytes_of(features_.size(), pool, table_.size());
    if (after > bytes_ + left) return false;
    bytes_ = after;
    pool_.reserve(capacity(pool));
    const std::size_t old = feature.start;
    feature.start = static_cast<std::uint32_t>(pool_.size());
    feature.room = static_cast<std::uint16_t>(bins);
    pool_.resize(pool, 0.0);
    pool_[feature.start] = pool_[old];
    pool_[feature.start + bins] = pool_[old + 1];
    pool_[feature.start + bins + 1] = pool_[old + 2];
    return true;
}

bool LeafStatistics::learn(std::int32_t index, std::int32_t slot, double v, const double add[2], std::size_t bins,
                           std::size_t left) {
    if (index < 0) {
        Feature* feature = this->add(slot, left);
        if (!feature) return false;
        feature->cells = 1;
        pool_[feature->start] = v;
        pool_[feature->start + 1] = add[0];
        pool_[feature->start + 2] = add[1];
        return true;
    }
    Feature& feature = features_[static_cast<std::size_t>(index)];
    double* borders = pool_.data() + feature.start;
    std::size_t k = cell_of(borders, feature.cells, v);
    bool whole = true;
    if (borders[k] != v && feature.cells < bins) {
        whole = feature.cells < feature.room || widen(feature, bins, left);
        borders = pool_.data() + feature.start;
        if (whole) {
            double* weights = borders + feature.room;
            const std::size_t count = feature.cells++;
            k = static_cast<std::size_t>(std::upper_bound(borders, borders + count, v) - borders);
            std::copy_backward(borders + k, borders + count, borders + count + 1);
            std::copy_backward(weights + 2 * k, weights + 2 * count, weights + 2 * count + 2);
            borders[k] = v;
            weights[2 * k] = weights[2 * k + 1] = 0.0;
        }
    }
    double* pair = borders + feature.room + 2 * k;
    pair[0] += add[0];
    pair[1] += add[1];
    return whole;
}

bool LeafStatistics::restore(std::int32_t slot, const double* borders, const double* weights, std::size_t cells,
                             std::size_t bins) {
    constexpr std::size_t no_limit = ~std::size_t{0} / 2;
    if (find(slot) >= 0) return false;
    Feature& feature = *add(slot, no_limit);
    if (cells > 1) widen(feature, bins, no_limit);
    feature.cells = static_cast<std::uint16_t>(cells);
    std::copy(borders, borders + cells, pool_.data() + feature.start);
    std::copy(weights, weights + 2 * cells, pool_.data() + feature.start + feature.room);
    return true;
}

}  // namespace onlineboost
