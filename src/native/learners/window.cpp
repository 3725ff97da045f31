#include "learners/window.hpp"

#include <algorithm>
#include <cmath>

#include "engine/missing.hpp"
#include "engine/random.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestStored = 1e30;  // in single precision
constexpr double kLargestScore = 1e6, kLargestWeight = 1e30;
constexpr std::size_t kFewRows = 16;  // that stay whatever they take
constexpr std::size_t kPast = 3;      // bytes that may be read past the last
constexpr std::size_t kRowsToMove = 4096, kMostPooled = std::size_t{1} << 28;
constexpr std::size_t kBinsAtOnce = 256;  // by which a feature's grow
}  // namespace

float Window::stored(double value) { return static_cast<float>(std::clamp(value, -kLargestStored, kLargestStored)); }

std::size_t Window::most_rows() const {
    const std::size_t fit = most_bytes_ / (kRowBytes + features_ + extra_ + kClassBytes * classes_) + 1;
    return std::max(rows_.size(), std::min(most_, fit));
}

std::size_t Window::room_to_make() const {
    const std::size_t rows = std::min(rows_.size() + waits_ + 1, most_rows());
    if (rows <= room_) return room_;
    return rows <= kRowsToMove ? std::min({std::max(rows, 2 * room_), kRowsToMove, most_rows()}) : most_rows();
}

void Window::make_room(std::size_t features, std::size_t classes, std::size_t count) {
    const std::size_t room = room_to_make();
    rows_.reserve(room);
    labels_.reserve(room);
    weights_.reserve(room);
    scores_.reserve(room);
    places_.reserve(room);
    if (const std::size_t numbers = numbers_to_bin() + count; pool_.capacity() < numbers) {
        // Cells of rows that were replaced stay until there are new bins: about as many as those of the others.
        const std::size_t each = numbers / (rows_.size() + waits_ + 1) + 1;
        pool_.reserve(std::max(2 * numbers, room > kRowsToMove ? std::min(2 * each * room, kMostPooled) : 0));
    }
    if (table_.size() < features) {
        onlineboost::make_room(table_, features);
        onlineboost::make_room(starts_, features + 1);
        onlineboost::make_room(sampled_gaps_, features);
    }
    if (room > room_)
        for (Feature& feature : table_) feature.bins.reserve(room + kPast + kBinsAtOnce);
    while (table_.size() < features) {
        Feature feature;
        feature.edges.reserve(most_bins_);
        feature.bins.reserve(room + kPast + kBinsAtOnce);
        feature.bins.resize(table_.empty() ? 0 : table_[0].bins.size());
        table_.push_back(std::move(feature));
    }
    for (auto& one : class_scores_) one.reserve(room);
    onlineboost::make_room(class_scores_, classes);
    while (class_scores_.size() < classes) {
        std::vector<double> one;
        one.reserve(room);
        class_scores_.push_back(std::move(one));
    }
    sampled_.reserve(kSampledNumbers);
    room_ = room;
}

void Window::make_room_to_wait(std::size_t classes, std::size_t count) {
    if (waiting_.size() == waits_) {
        onlineboost::make_room(waiting_, waits_ + 1);
        waiting_.emplace_back();
    }
    if (classes > classes_)
        for (WaitingRow& row : waiting_) row.scores.reserve(classes);
    waiting_[waits_].scores.reserve(classes);
    waiting_[waits_].numbers.reserve(count);
    onlineboost::make_room(taken_, waits_ + 1);
}

void Window::begin_class(double score) {
    class_scores_[classes_++].assign(rows_.size(), score);
    for (std::size_t k = 0; k < waits_; ++k) waiting_[k].scores.push_back(score);
}

void Window::widen() {
    const auto change = [](double& y) { y = y > 0.0 ? 0.0 : 1.0; };
    classes_ = 2;
    class_scores_.assign(2, std::vector<double>(rows_.size()));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        change(labels_[r]);
        class_scores_[0][r] = 0.5 * scores_[r];
        class_scores_[1][r] = -0.5 * scores_[r];
    }
    for (std::size_t k = 0; k < waits_; ++k) {
        change(waiting_[k].y);
        waiting_[k].scores = {0.5 * waiting_[k].score, -0.5 * waiting_[k].score};
        waiting_[k].score = 0.0;
    }
    scores_.assign(rows_.size(), 0.0);
}

void Window::wait(const Row& row, const std::vector<double>& scores) {
    wait(row, 0.0);
    last().scores.assign(scores.begin(), scores.end());
}

void Window::wait(const Row& row, double score) {
    WaitingRow& next = waiting_[waits_++];
    next.numbers.clear();
    wait_numbers_ += row.size();
    if (sides_ && !row.gaps.empty())
        list_with_gaps(row, next.numbers);
    else
        for (std::size_t k = 0; k < row.size(); ++k) next.numbers.push_back({row.slots[k], stored(row.raw[k])});
    next.score = score;
    next.weight = 0.0;
    next.gaps = !row.gaps.empty();
}

// Without the indicators, which come in the opposite order: tests ask for the gaps themselves.
void Window::list_with_gaps(const Row& row, WindowRow& numbers) {
    auto gap = row.gaps.begin();
    auto told = row.gaps.rbegin();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const bool missing = gap != row.gaps.end() && *gap == k;
        while (told != row.gaps.rend() &&
               !(has_indicator(row.ids[*told]) && indicator_of(row.ids[*told]) >= row.ids[k]))
            ++told;
        if (missing) {
            numbers.push_back({row.slots[k], kGap});
            ++gap;
        } else if (told == row.gaps.rend() || indicator_of(row.ids[*told]) != row.ids[k]) {
            numbers.push_back({row.slots[k], stored(row.raw[k])});
        }
    }
}

// Classes that begin take memory from the rows.
void Window::trim() {
    while (rows_.size() > kFewRows && bytes() > most_bytes_) {
        numbers_ -= rows_.back().size();
        rows_.pop_back();
        labels_.pop_back();
        weights_.pop_back();
        scores_.pop_back();
        places_.pop_back();
        for (std::size_t c = 0; c < classes_; ++c) class_scores_[c].pop_back();
    }
}

std::span<const std::uint32_t> Window::admit(std::uint64_t seed, std::uint64_t& admitted) {
    if (classes_ > 0) trim();
    taken_.clear();
    for (std::size_t k = 0; k < waits_; ++k) {
        std::size_t place = rows_.size();
        if (!full()) {
            rows_.emplace_back();
            labels_.push_back(0.0);
            weights_.push_back(0.0);
            scores_.push_back(0.0);
            places_.emplace_back();
            for (std::size_t c = 0; c < classes_; ++c) class_scores_[c].push_back(0.0);
        } else {
            place = static_cast<std::size_t>(hash64(seed, Purpose::kMemory, 1, admitted) % rows_.size());
        }
        ++admitted;
        any_gap_ |= waiting_[k].gaps;
        for (const WindowNumber& number : rows_[place]) {
            Feature& feature = table_[static_cast<std::size_t>(number.slot)];
            feature.bins[place] = feature.zero;
        }
        numbers_ += waiting_[k].numbers.size() - rows_[place].size();
        labels_[place] = waiting_[k].y;
        weights_[place] = waiting_[k].weight;
        scores_[place] = waiting_[k].score;
        for (std::size_t c = 0; c < classes_; ++c) class_scores_[c][place] = waiting_[k].scores[c];
        rows_[place].swap(waiting_[k].numbers);
        taken_.push_back(static_cast<std::uint32_t>(place));
        if (place + 1 == rows_.size()) make_bins(place);
        bin(place);
    }
    waits_ = wait_numbers_ = 0;
    pooled_ = pool_.size();
    return taken_;
}

// Those of a row that came last, for all features.
void Window::make_bins(std::size_t r) {
    for (std::size_t f = 0; f < features_; ++f) {
        std::vector<std::uint8_t>& bins = table_[f].bins;
        if (bins.size() < r + 1 + kPast) bins.resize(r + 1 + kPast + kBinsAtOnce);
        bins[r] = table_[f].zero;
    }
}

// Rows at equal distances, feature by feature: a counting sort of their numbers. Rows that lack a feature count as 0.
void Window::sample(std::size_t most_bins) {
    std::size_t every = (rows_.size() + kSampledRows - 1) / kSampledRows;
    while (numbers_ / every > kSampledNumbers / 2) ++every;
    starts_.assign(features_ + 1, 0u);
    sampled_gaps_.assign(features_, 0u);
    sampled_rows_ = 0;
    std::size_t kept = 0;
    for (std::size_t r = 0; r < rows_.size() && kept + rows_[r].size() <= kSampledNumbers; r += every) {
        for (const WindowNumber& number : rows_[r]) {
            const auto f = static_cast<std::size_t>(number.slot);
            ++(number.gap() ? sampled_gaps_[f] : starts_[f + 1]);
        }
        kept += rows_[r].size();
        ++sampled_rows_;
    }
    sampled_features_ = 0;
    for (std::size_t f = 0; f < features_; ++f) sampled_features_ += starts_[f + 1] + sampled_gaps_[f] > 0 ? 1 : 0;
    const std::size_t features = std::max<std::size_t>(sampled_features_, 1);
    sampled_bins_ =
        std::clamp<std::size_t>(std::max(kFineCells / features, std::min(kCoarseBins, kMostCells / features)), 2,
                                std::min(most_bins, most_bins_));
    for (std::size_t f = 0; f < features_; ++f) starts_[f + 1] += starts_[f];
    sampled_.resize(kept);
    for (std::size_t k = 0, r = 0; k < sampled_rows_; ++k, r += every)
        for (const WindowNumber& number : rows_[r])
            if (!number.gap()) sampled_[starts_[static_cast<std::size_t>(number.slot)]++] = number.value;
    for (std::size_t f = features_; f > 0; --f) starts_[f] = starts_[f - 1];
    starts_[0] = 0;
}

// An edge halfway between two neighbouring values, each time that at least 1 / bins of the sample has passed.
void Window::choose_edges(std::size_t f) {
    Feature& feature = table_[f];
    feature.edges.clear();
    const auto begin = sampled_.begin() + static_cast<std::ptrdiff_t>(starts_[f]);
    const auto end = sampled_.begin() + static_cast<std::ptrdiff_t>(starts_[f + 1]);
    std::sort(begin, end);
    const std::size_t gaps = sampled_gaps_[f], known = sampled_rows_ - gaps;
    const std::size_t bins = std::min(sampled_bins_, kMostBins - (gaps > 0 ? 1 : 0));
    const std::size_t least = (known + bins - 1) / bins, absent = known - static_cast<std::size_t>(end - begin);
    std::size_t passed = 0;
    bool any = false;
    float last = 0.0f;
    // `count` of the sample have this value, which is above those before.
    const auto take = [&](float value, std::size_t count) {
        if (any && passed >= least && feature.edges.size() + 1 < bins) {
            const float edge = 0.5f * last + 0.5f * value;
            feature.edges.push_back(edge > last ? edge : value);
            passed = 0;
        }
        passed += count;
        last = value;
        any = true;
    };
    bool zero = absent == 0;
    for (auto it = begin; it != end;) {
        auto next = it;
        while (next != end && *next == *it) ++next;
        auto count = static_cast<std::size_t>(next - it);
        if (!zero && *it >= 0.0f) {
            zero = true;
            if (*it == 0.0f)
                count += absent;
            else
                take(0.0f, absent);
        }
        take(*it, count);
        it = next;
    }
    if (!zero && absent > 0) take(0.0f, absent);
    settle(feature);
}

void Window::settle(Feature& feature) {
    feature.zero = static_cast<std::uint8_t>(std::upper_bound(feature.edges.begin(), feature.edges.end(), 0.0f) -
                                             feature.edges.begin());
    std::fill_n(feature.bins.begin(), rows_.size(), feature.zero);
}

void Window::number_cells() {
    cells_ = 0;
    pool_.clear();
    places_.assign(rows_.size(), {});
    for (std::size_t f = 0; f < features_; ++f) {
        Feature& feature = table_[f];
        feature.offset = static_cast<std::uint32_t>(cells_);
        feature.gap_cell = kNoCell;
        if (!feature.edges.empty()) cells_ += feature.edges.size() + 1;
    }
}

void Window::bin(std::size_t r) {
    Place& place = places_[r];
    place.begin = static_cast<std::uint32_t>(pool_.size());
    for (const WindowNumber& number : rows_[r]) {
        Feature& feature = table_[static_cast<std::size_t>(number.slot)];
        if (number.gap()) {
            bin_gap(feature, r);
            continue;
        }
        if (feature.edges.empty()) continue;
        const auto at = static_cast<std::uint32_t>(
            std::upper_bound(feature.edges.begin(), feature.edges.end(), number.value) - feature.edges.begin());
        feature.bins[r] = static_cast<std::uint8_t>(at);
        if (at != feature.zero) pool_.push_back(feature.offset + at);
    }
    place.count = static_cast<std::uint32_t>(pool_.size()) - place.begin;
}

void Window::bin_gap(Feature& feature, std::size_t r) {
    feature.bins[r] = feature.gap_bin();
    if (feature.gaps_share()) {
        if (feature.gap_bin() != feature.zero) pool_.push_back(feature.offset + feature.gap_bin());
        return;
    }
    if (!feature.has_gap_cell()) feature.gap_cell = static_cast<std::uint32_t>(cells_++);
    pool_.push_back(feature.gap_cell);
}

// `classes` is 0 for a window of two.
void Window::serialise(Archive& archive, std::size_t features, bool edges_known, std::size_t classes) {
    const std::string names = "window_counts", slots_name = "window_features";
    std::vector<std::int64_t> counts, slots, gaps, sizes{static_cast<std::int64_t>(rows_.size())}, edge_counts;
    std::vector<double> values, labels, weights, scores, edges;
    const auto list = [&](const WindowRow& row, double label, double weight, double score) {
        counts.push_back(static_cast<std::int64_t>(row.size()));
        for (const WindowNumber& number : row) {
            if (number.gap()) gaps.push_back(static_cast<std::int64_t>(slots.size()));
            slots.push_back(number.slot);
            values.push_back(number.gap() ? 0.0 : static_cast<double>(number.value));
        }
        labels.push_back(label);
        weights.push_back(weight);
        scores.push_back(score);
    };
    for (std::size_t r = 0; r < rows_.size(); ++r) list(rows_[r], labels_[r], weights_[r], scores_[r]);
    for (std::size_t k = 0; k < waits_; ++k)
        list(waiting_[k].numbers, waiting_[k].y, waiting_[k].weight, waiting_[k].score);
    for (std::size_t f = 0; f < features_; ++f) {
        edge_counts.push_back(edges_known ? static_cast<std::int64_t>(table_[f].edges.size()) : 0);
        if (edges_known) edges.insert(edges.end(), table_[f].edges.begin(), table_[f].edges.end());
    }
    archive.integers("window_rows", sizes);
    archive.integers(names, counts);
    archive.integers(slots_name, slots);
    if (sides_) archive.integers("window_gaps", gaps);
    archive.integers("window_edge_counts", edge_counts);
    const std::size_t n = counts.size();
    Archive::check(sizes.size() == 1 && sizes[0] >= 0 && static_cast<std::uint64_t>(sizes[0]) <= std::min(n, most_),
                   "window_rows");
    std::size_t left = slots.size(), total = 0;
    for (const std::int64_t count : counts) {
        Archive::check(count >= 0 && static_cast<std::uint64_t>(count) <= std::min(left, features), names);
        left -= static_cast<std::size_t>(count);
    }
    Archive::check(left == 0, names);
    for (const std::int64_t slot : slots)
        Archive::check(slot >= 0 && static_cast<std::uint64_t>(slot) < features, slots_name);
    for (std::size_t k = 0; k < gaps.size(); ++k)
        Archive::check(
            gaps[k] >= 0 && static_cast<std::uint64_t>(gaps[k]) < slots.size() && (k == 0 || gaps[k - 1] < gaps[k]),
            "window_gaps");
    Archive::check(edge_counts.size() == features, "window_edge_counts");
    for (const std::int64_t count : edge_counts) {
        Archive::check(count >= 0 && static_cast<std::uint64_t>(count) < most_bins_, "window_edge_counts");
        total += static_cast<std::size_t>(count);
    }
    values.resize(slots.size());
    edges.resize(total);
    for (auto* one : {&labels, &weights, &scores}) one->resize(n);
    archive.numbers("window_values", values.data(), values.size(), -kLargestStored, kLargestStored);
    archive.numbers("window_edges", edges.data(), edges.size(), -kLargestStored, kLargestStored);
    const double last_label = classes > 0 ? static_cast<double>(classes) - 1.0 : 1.0;
    archive.numbers("window_labels", labels.data(), n, classes > 0 ? 0.0 : -1.0, last_label);
    archive.numbers("window_weights", weights.data(), n, 0.0, kLargestWeight);
    if (classes == 0) archive.numbers("window_scores", scores.data(), n, -kLargestScore, kLargestScore);
    std::vector<std::vector<double>> by_class;
    for (std::size_t c = 0; c < classes; ++c) {
        if (!archive.loading()) {
            std::copy(class_scores_[c].begin(), class_scores_[c].end(), scores.begin());
            for (std::size_t k = 0; k < waits_; ++k) scores[rows_.size() + k] = waiting_[k].scores[c];
        }
        PrefixedArchive named(archive, "class" + std::to_string(c) + ".");
        static_cast<Archive&>(named).numbers("window_scores", scores.data(), n, -kLargestScore, kLargestScore);
        if (archive.loading()) by_class.push_back(scores);
    }
    if (!archive.loading()) return;
    const auto rows = static_cast<std::size_t>(sizes[0]);
    features_ = features;
    waits_ = n - rows;
    numbers_ = 0;
    if (classes > 0) std::fill(scores.begin(), scores.end(), 0.0);
    scores_.assign(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(rows));
    rows_.assign(rows, {});
    labels_.assign(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(rows));
    weights_.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(rows));
    waiting_.assign(waits_, {});
    wait_numbers_ = 0;
    table_.assign(features, {});
    starts_.reserve(features + 1);
    sampled_gaps_.reserve(features);
    any_gap_ = !gaps.empty();
    auto gap = gaps.begin();
    for (std::size_t r = 0, at = 0; r < n; ++r) {
        WindowRow& row = r < rows ? rows_[r] : waiting_[r - rows].numbers;
        Archive::check(classes > 0 ? labels[r] == std::floor(labels[r]) : labels[r] == 1.0 || labels[r] == -1.0,
                       "window_labels");
        if (r >= rows) {
            waiting_[r - rows].y = labels[r];
            waiting_[r - rows].weight = weights[r];
            waiting_[r - rows].score = scores[r];
        }
        (r < rows ? numbers_ : wait_numbers_) += static_cast<std::size_t>(counts[r]);
        row.reserve(static_cast<std::size_t>(counts[r]));
        for (std::int64_t k = 0; k < counts[r]; ++k, ++at) {
            const bool missing = gap != gaps.end() && *gap == static_cast<std::int64_t>(at);
            gap += missing ? 1 : 0;
            row.push_back({static_cast<std::int32_t>(slots[at]), missing ? kGap : static_cast<float>(values[at])});
        }
    }
    classes_ = classes;
    for (auto& one : by_class) {
        for (std::size_t k = 0; k < waits_; ++k) waiting_[k].scores.push_back(one[rows + k]);
        one.resize(rows);
    }
    class_scores_ = std::move(by_class);
    for (std::size_t f = 0, at = 0; f < features; ++f) {
        Feature& feature = table_[f];
        feature.edges.reserve(most_bins_);
        feature.bins.resize(rows + kPast + kBinsAtOnce);
        for (std::int64_t k = 0; k < edge_counts[f]; ++k, ++at) {
            Archive::check(feature.edges.empty() || feature.edges.back() < static_cast<float>(edges[at]),
                           "window_edges");
            feature.edges.push_back(static_cast<float>(edges[at]));
        }
        settle(feature);
    }
    number_cells();
    Archive::check(cells_ <= kMostCells + 2 * features, "window_edge_counts");
    for (std::size_t r = 0; r < rows; ++r) bin(r);
    pooled_ = pool_.size();
    room_ = 0;
}

}  // namespace onlineboost
