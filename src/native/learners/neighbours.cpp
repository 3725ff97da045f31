#include "learners/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestStored = 1e15;  // squares and sums of them stay far within doubles
constexpr double kRounding = 1e-12;      // a squared distance below this share of the norms is rounding
constexpr double kSmallest = 1e-300;     // between rows that are all 0
constexpr double kLargestWeight = 1e30;
constexpr std::size_t kFirstCapacity = 64;
constexpr double kMostVisited = 0.3;    // the share of rows from which on boxes do not pay
constexpr std::uint64_t kPause = 2000;  // rows after which they are tried again
constexpr int kTrials = 3;              // that may fail before there are no boxes

double stored(double value) {
    return static_cast<double>(static_cast<float>(std::clamp(value, -kLargestStored, kLargestStored)));
}
}  // namespace

struct NeighboursBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<double> values;         // of the row, as they are stored
    std::vector<const float*> columns;  // of those features that were met
    std::vector<double> x;              // their values
    double xx = 0.0;                    // the sum of squares of all
    Vector distances;
    std::vector<std::uint32_t> nearest;
    std::size_t found = 0;
    bool learned = false;  // whether the search saw the row itself
    bool in_boxes = false;
    NeighbourBoxes::Room room;
    std::vector<std::int32_t> slots;  // of `x`
    std::array<float, kMostInBoxes> dense{};
};

std::unique_ptr<Scratch> NeighboursBank::make_scratch() const {
    auto made = std::make_unique<Own>(layout);
    made->nearest.resize(options_.k);
    made->distances.resize(capacity_);
    return made;
}

NeighboursBank::NeighboursBank(std::size_t learners, Options options)
    : Bank(learners), options_(options), weights_(layout.stride) {
    std::size_t k = options.k;
    for (std::size_t i = 0; i < learners; ++i) {
        k_.push_back(k);
        k = k > 1 ? k / 2 : options.k;
    }
}

void NeighboursBank::read(Own& scratch) const {
    const Row& row = *scratch.row;
    scratch.values.clear();
    scratch.xx = 0.0;
    for (const double value : row.raw) {
        scratch.values.push_back(stored(value));
        scratch.xx += scratch.values.back() * scratch.values.back();
    }
}

void NeighboursBank::search(Own& scratch) const {
    const Row& row = *scratch.row;
    scratch.columns.clear();
    scratch.slots.clear();
    scratch.x.clear();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const auto slot = static_cast<std::size_t>(row.slots[k]);
        if (row.slots[k] == Features::kUnseen || slot >= columns_.size()) continue;
        scratch.columns.push_back(columns_[slot].data());
        scratch.slots.push_back(row.slots[k]);
        scratch.x.push_back(scratch.values[k]);
    }
    if (scratch.distances.size() < rows()) scratch.distances.resize(rows());
    scratch.in_boxes = boxed(features_) && rows() >= kLeastBoxed && learned_ >= boxes_again_;
    if (scratch.in_boxes) {
        scratch.dense.fill(0.0f);
        for (std::size_t k = 0; k < scratch.slots.size(); ++k)
            scratch.dense[static_cast<std::size_t>(scratch.slots[k])] = static_cast<float>(scratch.x[k]);
        const NeighbourBoxes::Query query{scratch.dense.data(), scratch.slots, scratch.x.data(), scratch.xx};
        scratch.found = boxes_.search(query, std::min(options_.k, rows()), scratch.room, scratch.distances.data(),
                                      scratch.nearest.data());
        return;
    }
    kernels().squared_distances(scratch.columns.data(), scratch.x.data(), scratch.x.size(), norms_.data(), scratch.xx,
                                scratch.distances.data(), rows());
    scratch.found = kernels().least_of(scratch.distances.data(), rows(),
                                       std::min(options_.k, std::max<std::size_t>(rows(), 1)), scratch.nearest.data());
}

template <class F>
double NeighboursBank::each_neighbour(const Own& scratch, std::size_t i, F f) const {
    double seen = 0.0, first = 0.0;
    for (std::size_t j = 0; j < std::min(k_[i], scratch.found); ++j) {
        const std::size_t r = scratch.nearest[j];
        const double distance = std::max(scratch.distances[r], kRounding * (norms_[r] + scratch.xx) + kSmallest);
        if (j == 0) first = distance;
        const double near = std::min(first / distance, 1.0), w = weights_.row(r)[i];
        if (!(w > 0.0)) continue;
        seen += near;
        f(stored_[r], near * w);
    }
    return seen;
}

// The neighbours' mean label, each by its weight and by how near it is beside the nearest, drawn to 0 by one that has
// no label.
double NeighboursBank::output(const Own& scratch, std::size_t i) const {
    double weight = 0.0, sum = 0.0;
    const double seen = each_neighbour(scratch, i, [&](const Stored& row, double w) {
        weight += w;
        sum += w * row.y;
    });
    return weight > 0.0 ? sum / weight * (seen / (seen + 1.0)) : 0.0;
}

void NeighboursBank::score_classes(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    read(scratch);
    search(scratch);
    scratch.clear_shares(classes_);
    for (std::size_t i = 0; i < layout.learners; ++i) {
        double weight = 0.0;
        const double seen = each_neighbour(scratch, i, [&](const Stored& row, double w) {
            weight += w;
            scratch.shares[static_cast<std::size_t>(row.y)][i] += w;
        });
        const double even = 1.0 / static_cast<double>(classes_), known = weight > 0.0 ? seen / (seen + 1.0) : 0.0;
        const double scale = weight > 0.0 ? known / weight : 0.0;
        for (Vector& row : scratch.shares) row[i] = row[i] * scale + (1.0 - known) * even;
    }
}

void NeighboursBank::score(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    scratch.learned = false;
    read(scratch);
    search(scratch);
    for (std::size_t i = 0; i < layout.learners; ++i) scratch.h[i] = output(scratch, i);
}

void NeighboursBank::make_room(Scratch& outer, std::span<const FeatureId> fresh) {
    auto& scratch = static_cast<Own&>(outer);
    const std::size_t count = scratch.row->size(), rows = std::min(this->rows() + 1, options_.memory);
    const bool wider = wide_ < features_ + fresh.size();
    if (wider || rows > capacity_) {
        const std::size_t capacity =
            rows > capacity_ ? std::min(options_.memory, std::max(kFirstCapacity, 2 * capacity_)) : capacity_;
        onlineboost::make_room(columns_, features_ + fresh.size());
        if (wider) columns_.resize(features_ + fresh.size());
        for (Column& column : columns_) column.resize(capacity);
        capacity_ = capacity;
        wide_ = columns_.size();
    }
    onlineboost::make_room(stored_, rows);
    onlineboost::make_room(norms_, rows);
    weights_.make_room(rows);
    if (boxed(features_ + fresh.size())) boxes_.make_room(rows, features_ + fresh.size(), scratch.room);
    next_.reserve(count);
    scratch.columns.reserve(count);
    scratch.slots.reserve(count);
    scratch.x.reserve(count);
    if (scratch.distances.size() < capacity_) scratch.distances.resize(capacity_);
}

// The row is kept with weight 0 until it is taught.
void NeighboursBank::meet(Scratch& outer, const std::vector<FeatureId>& ids, std::size_t) {
    auto& scratch = static_cast<Own&>(outer);
    const Row& row = *scratch.row;
    if (!boxed(ids.size()) && boxed(features_)) boxes_.clear();
    features_ = ids.size();
    if (boxed(features_)) boxes_.meet(features_);
    if (scratch.rests) return;
    if (scratch.in_boxes) judge_boxes(scratch);
    if (rows() < options_.memory) {
        last_ = rows();
        stored_.emplace_back();
        norms_.push_back(0.0);
        weights_.append();
    } else {
        last_ = static_cast<std::size_t>(hash64(options_.seed, Purpose::kMemory, 0, learned_) % options_.memory);
        for (const std::int32_t slot : stored_[last_].slots) columns_[static_cast<std::size_t>(slot)][last_] = 0.0f;
        std::fill_n(weights_.row(last_), layout.stride, 0.0);
        if (boxed(features_)) boxes_.take(static_cast<std::uint32_t>(last_));
    }
    ++learned_;
    next_.assign(row.slots.begin(), row.slots.end());
    next_.swap(stored_[last_].slots);
    norms_[last_] = scratch.xx;
    for (std::size_t k = 0; k < row.size(); ++k)
        columns_[static_cast<std::size_t>(row.slots[k])][last_] = static_cast<float>(scratch.values[k]);
    if (boxed(features_)) put(last_);
}

bool NeighboursBank::boxed(std::size_t features) const {
    return features <= kMostInBoxes && options_.memory >= kLeastBoxed && options_.memory <= kMostBoxed &&
           boxes_failed_ < kTrials;
}

void NeighboursBank::put(std::size_t r) {
    std::array<float, kMostInBoxes> values;
    for (std::size_t f = 0; f < features_; ++f) values[f] = columns_[f][r];
    boxes_.put(static_cast<std::uint32_t>(r), values.data(), norms_[r]);
}

// What is found does not depend on it, only the time it takes.
void NeighboursBank::judge_boxes(const Own& scratch) {
    visited_ += (static_cast<double>(scratch.room.visited) / static_cast<double>(rows()) - visited_) / 32.0;
    if (visited_ < kMostVisited) return;
    boxes_again_ = learned_ + kPause;
    visited_ = 0.0;
    if (++boxes_failed_ == kTrials) boxes_.clear();
}

void NeighboursBank::update(Scratch&, double y, const double* w) {
    stored_[last_].y = y;
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) weights_.row(last_)[i] += w[i];
}

double NeighboursBank::step(Scratch& outer, std::size_t i, double y, double w, unsigned times) {
    auto& scratch = static_cast<Own&>(outer);
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    stored_[last_].y = y;
    weights_.row(last_)[i] += w * times;
    if (!scratch.learned) search(scratch);
    scratch.learned = true;
    return output(scratch, i);
}

void NeighboursBank::update_class(Scratch& scratch, const double* w) {
    classes_ = std::max(classes_, scratch.label + 1);
    update(scratch, static_cast<double>(scratch.label), w);
}

void NeighboursBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise_rows(archive, ids, -1.0, 1.0);
    for (const Stored& row : stored_) Archive::check(row.y != 0.0, "neighbour_labels");
}

void NeighboursBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    classes_ = classes;
    serialise_rows(archive, ids, 0.0, static_cast<double>(classes) - 1.0);
}

void NeighboursBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise(archive, ids);
    for (Stored& row : stored_) row.y = row.y > 0.0 ? 0.0 : 1.0;
    classes_ = 2;
}

// Labels are whole numbers from `low` to `high`.
void NeighboursBank::serialise_rows(Archive& archive, const std::vector<FeatureId>& ids, double low, double high) {
    const std::string counts_name = "neighbour_counts", slots_name = "neighbour_features";
    archive.counter("neighbours_learned", learned_);
    std::vector<std::int64_t> counts, slots;
    for (const Stored& row : stored_) {
        counts.push_back(static_cast<std::int64_t>(row.slots.size()));
        slots.insert(slots.end(), row.slots.begin(), row.slots.end());
    }
    archive.integers(counts_name, counts);
    archive.integers(slots_name, slots);
    const std::size_t n = counts.size();
    Archive::check(n == std::min<std::uint64_t>(learned_, options_.memory), counts_name);
    std::size_t left = slots.size();
    for (const std::int64_t count : counts) {
        Archive::check(count >= 0 && static_cast<std::uint64_t>(count) <= std::min(left, ids.size()), counts_name);
        left -= static_cast<std::size_t>(count);
    }
    Archive::check(left == 0, counts_name);
    for (const std::int64_t slot : slots)
        Archive::check(slot >= 0 && static_cast<std::uint64_t>(slot) < ids.size(), slots_name);
    std::vector<double> values, labels;
    std::size_t at = 0;
    for (std::size_t r = 0; r < stored_.size(); ++r) {
        for (const std::int32_t slot : stored_[r].slots)
            values.push_back(static_cast<double>(columns_[static_cast<std::size_t>(slot)][r]));
        labels.push_back(stored_[r].y);
    }
    values.resize(slots.size());
    labels.resize(n);
    archive.numbers("neighbour_values", values.data(), values.size(), -kLargestStored, kLargestStored);
    archive.numbers("neighbour_labels", labels.data(), n, low, high);
    archive.table("neighbour_weights", weights_, layout.learners, n, kLargestWeight);
    if (!archive.loading()) return;
    features_ = ids.size();
    capacity_ = n == 0 ? 0 : std::min(options_.memory, std::max(kFirstCapacity, n));
    columns_.assign(features_, Column(capacity_));
    wide_ = features_;
    stored_.assign(n, {});
    norms_.assign(n, 0.0);
    for (std::size_t r = 0; r < n; ++r) {
        Archive::check(labels[r] == std::floor(labels[r]), "neighbour_labels");
        for (std::size_t i = 0; i < layout.learners; ++i)
            Archive::check(weights_.row(r)[i] >= 0.0, "neighbour_weights");
        stored_[r].y = labels[r];
        for (std::int64_t k = 0; k < counts[r]; ++k, ++at) {
            float& place = columns_[static_cast<std::size_t>(slots[at])][r];
            const double value = stored(values[at]);
            Archive::check(place == 0.0f, slots_name);
            place = static_cast<float>(value);
            norms_[r] += value * value;
            stored_[r].slots.push_back(static_cast<std::int32_t>(slots[at]));
        }
    }
    if (!boxed(features_)) return;
    boxes_.clear();
    NeighbourBoxes::Room room;
    for (std::size_t r = 0; r < n; ++r) {
        boxes_.make_room(r + 1, features_, room);
        boxes_.meet(features_);
        put(r);
    }
}

std::string NeighboursBank::limit() const {
    return "a memory of " + std::to_string(options_.memory) + " rows takes at most " + std::to_string(most_features()) +
           " features, and these rows bring more: lower the memory of Neighbours";
}

std::unique_ptr<Bank> NeighboursBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<NeighboursBank>(learners, Options{p.count("k"), p.count("memory"), p.whole("seed")});
}

}  // namespace onlineboost
