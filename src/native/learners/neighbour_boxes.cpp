#include "learners/neighbour_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kOfBounds = 1.0 - 1e-5;  // bounds are summed in single precision
constexpr double kOfDistances = 1e-12;    // and distances are differences of sums of squares
constexpr std::size_t kSpares = 8;        // one more row, and a box that is dissolved
}  // namespace

void NeighbourBoxes::make_room(std::size_t rows, std::size_t features, Room& room) {
    const std::size_t boxes = boxes_.size() + kSpares;
    onlineboost::make_room(boxes_, boxes);
    onlineboost::make_room(spare_, boxes);
    onlineboost::make_room(norms_, boxes);
    onlineboost::make_room(box_of_, rows);
    onlineboost::make_room(least_, features);
    onlineboost::make_room(largest_, features);
    while (spare_.size() < kSpares) spare_.push_back(std::make_unique<Box>());
    if (least_.size() < features) {
        least_.resize(features);  // those beyond features_ are not looked at
        largest_.resize(features);
    }
    for (auto* bounds : {&least_, &largest_})
        for (auto& of : *bounds) onlineboost::make_room(of, boxes);
    for (auto* all : {&boxes_, &spare_})
        for (auto& box : *all) onlineboost::make_room(box->values, kSize * features);
    onlineboost::make_room(bounds_, boxes);
    onlineboost::make_room(room.bounds, boxes);
    onlineboost::make_room(room.heap, boxes);
    onlineboost::make_room(room.columns, features);
    onlineboost::make_room(left_over_, kFew * features);
}

void NeighbourBoxes::meet(std::size_t features) {
    for (; features_ < features; ++features_) {
        least_[features_].assign(boxes_.size(), 0.0f);
        largest_[features_].assign(boxes_.size(), 0.0f);
    }
    if (boxes_.empty() || boxes_[0]->values.size() == kSize * features_) return;
    for (auto& box : boxes_) box->values.resize(kSize * features_, 0.0f);
}

void NeighbourBoxes::clear() { *this = NeighbourBoxes(); }

void NeighbourBoxes::bounds_of(const float* values, float* bounds) const {
    const std::size_t n = boxes_.size();
    std::fill_n(bounds, n, 0.0f);
    for (std::size_t f = 0; f < features_; ++f) {
        const float x = values[f], *least = least_[f].data(), *largest = largest_[f].data();
        for (std::size_t b = 0; b < n; ++b) {
            const float below = least[b] - x, above = x - largest[b];
            const float out = below > above ? below : above, apart = out > 0.0f ? out : 0.0f;
            bounds[b] += apart * apart;
        }
    }
}

std::size_t NeighbourBoxes::nearest_to(const float* values) {
    bounds_.resize(boxes_.size());
    bounds_of(values, bounds_.data());
    return static_cast<std::size_t>(std::min_element(bounds_.begin(), bounds_.end()) - bounds_.begin());
}

std::size_t NeighbourBoxes::add_box() {
    boxes_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    boxes_.back()->count = 0;
    norms_.push_back(0.0);
    boxes_.back()->values.assign(kSize * features_, 0.0f);
    for (std::size_t f = 0; f < features_; ++f) {
        least_[f].push_back(0.0f);
        largest_[f].push_back(0.0f);
    }
    return boxes_.size() - 1;
}

void NeighbourBoxes::drop_box(std::size_t b) {
    std::swap(boxes_[b], boxes_.back());
    for (std::size_t k = 0; k < boxes_[b]->count && b + 1 < boxes_.size(); ++k)
        box_of_[boxes_[b]->rows[k]] = static_cast<std::uint32_t>(b);
    for (std::size_t f = 0; f < features_; ++f)
        for (auto* of : {&least_[f], &largest_[f]}) {
            (*of)[b] = of->back();
            of->pop_back();
        }
    norms_[b] = norms_.back();
    norms_.pop_back();
    spare_.push_back(std::move(boxes_.back()));
    boxes_.pop_back();
}

void NeighbourBoxes::place(std::size_t b, std::uint32_t row, const float* values, double norm) {
    Box& box = *boxes_[b];
    const std::size_t k = box.count++;
    box.rows[k] = row;
    box.norms[k] = norm;
    norms_[b] = std::max(norms_[b], norm);
    for (std::size_t f = 0; f < features_; ++f) {
        box.values[f * kSize + k] = values[f];
        least_[f][b] = k > 0 ? std::min(least_[f][b], values[f]) : values[f];
        largest_[f][b] = k > 0 ? std::max(largest_[f][b], values[f]) : values[f];
    }
    box_of_[row] = static_cast<std::uint32_t>(b);
}

void NeighbourBoxes::shrink(std::size_t b) {
    Box& box = *boxes_[b];
    for (std::size_t f = 0; f < features_; ++f) {
        const float* values = box.values.data() + f * kSize;
        const auto [least, largest] = std::minmax_element(values, values + box.count);
        least_[f][b] = *least;
        largest_[f][b] = *largest;
    }
    norms_[b] = *std::max_element(box.norms.begin(), box.norms.begin() + static_cast<std::ptrdiff_t>(box.count));
}

void NeighbourBoxes::split(std::size_t b) {
    shrink(b);
    std::size_t widest = 0;
    for (std::size_t f = 1; f < features_; ++f)
        if (largest_[f][b] - least_[f][b] > largest_[widest][b] - least_[widest][b]) widest = f;
    const std::size_t other = add_box();
    Box &from = *boxes_[b], &to = *boxes_[other];
    std::array<std::uint8_t, kSize> order;
    std::iota(order.begin(), order.end(), std::uint8_t{0});
    const float* by = features_ > 0 ? from.values.data() + widest * kSize : nullptr;
    if (by)
        std::nth_element(order.begin(), order.begin() + kSize / 2, order.end(),
                         [by](auto i, auto j) { return by[i] < by[j] || (by[i] == by[j] && i < j); });
    std::sort(order.begin() + kSize / 2, order.end(), std::greater<>());  // those that go, last ones first
    for (std::size_t k = kSize / 2; k < kSize; ++k) {
        const std::size_t at = order[k], last = --from.count, free = to.count++;
        to.rows[free] = from.rows[at];
        to.norms[free] = from.norms[at];
        box_of_[to.rows[free]] = static_cast<std::uint32_t>(other);
        from.rows[at] = from.rows[last];
        from.norms[at] = from.norms[last];
        for (std::size_t f = 0; f < features_; ++f) {
            to.values[f * kSize + free] = from.values[f * kSize + at];
            from.values[f * kSize + at] = from.values[f * kSize + last];
        }
    }
    shrink(b);
    shrink(other);
}

void NeighbourBoxes::put(std::uint32_t row, const float* values, double norm) {
    if (box_of_.size() <= row) box_of_.resize(row + 1);
    if (boxes_.empty()) add_box();
    std::size_t b = nearest_to(values);
    if (boxes_[b]->count == kSize) {
        split(b);
        nearest_to(values);
        if (bounds_.back() < bounds_[b]) b = boxes_.size() - 1;  // another box may be as near, and full
    }
    place(b, row, values, norm);
}

void NeighbourBoxes::take(std::uint32_t row) {
    const std::size_t b = box_of_[row];
    Box& box = *boxes_[b];
    const auto at = static_cast<std::size_t>(std::find(box.rows.begin(), box.rows.end(), row) - box.rows.begin());
    const std::size_t last = --box.count;
    box.rows[at] = box.rows[last];
    box.norms[at] = box.norms[last];
    for (std::size_t f = 0; f < features_; ++f) box.values[f * kSize + at] = box.values[f * kSize + last];
    if (box.count >= kFew || boxes_.size() == 1) return;
    const std::size_t count = box.count;
    const std::array<std::uint32_t, kSize> rows = box.rows;
    const std::array<double, kSize> norms = box.norms;
    left_over_.resize(count * features_);
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t f = 0; f < features_; ++f) left_over_[k * features_ + f] = box.values[f * kSize + k];
    drop_box(b);
    for (std::size_t k = 0; k < count; ++k) put(rows[k], left_over_.data() + k * features_, norms[k]);
}

std::size_t NeighbourBoxes::search(const Query& query, std::size_t most, Room& room, double* distances,
                                   std::uint32_t* nearest) const {
    std::size_t found = 0;
    room.visited = 0;
    if (boxes_.empty()) return 0;
    const auto before = [&](std::uint32_t row, std::uint32_t other) {
        return distances[row] < distances[other] || (distances[row] == distances[other] && row < other);
    };
    const auto look_into = [&](const Box& box) {
        room.columns.clear();
        for (const std::int32_t slot : query.slots)
            room.columns.push_back(box.values.data() + static_cast<std::size_t>(slot) * kSize);
        kernels().squared_distances(room.columns.data(), query.x, room.columns.size(), box.norms.data(), query.xx,
                                    room.distances.data(), box.count);
        room.visited += box.count;
        for (std::size_t k = 0; k < box.count; ++k) {
            if (found == most && room.distances[k] > distances[nearest[most - 1]]) continue;
            const std::uint32_t row = box.rows[k];
            distances[row] = room.distances[k];
            if (found == most && !before(row, nearest[most - 1])) continue;
            std::size_t place = found < most ? found++ : most - 1;
            for (; place > 0 && before(row, nearest[place - 1]); --place) nearest[place] = nearest[place - 1];
            nearest[place] = row;
        }
    };
    room.bounds.resize(boxes_.size());
    bounds_of(query.values, room.bounds.data());
    const auto first =
        static_cast<std::size_t>(std::min_element(room.bounds.begin(), room.bounds.end()) - room.bounds.begin());
    look_into(*boxes_[first]);
    const auto farther = [&](double bound) { return found == most && bound > distances[nearest[most - 1]]; };
    room.heap.clear();
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
        const double bound = kOfBounds * static_cast<double>(room.bounds[b]) - kOfDistances * (norms_[b] + query.xx);
        if (b != first && !farther(bound)) room.heap.emplace_back(bound, static_cast<std::uint32_t>(b));
    }
    std::make_heap(room.heap.begin(), room.heap.end(), std::greater<>());
    while (!room.heap.empty() && !farther(room.heap.front().first)) {
        look_into(*boxes_[room.heap.front().second]);
        std::pop_heap(room.heap.begin(), room.heap.end(), std::greater<>());
        room.heap.pop_back();
    }
    return found;
}

}  // namespace onlineboost
