#include "learners/repeats.hpp"

#include <bit>
#include <cmath>

#include "engine/random.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestSum = 1e200;
constexpr std::size_t kFirstBuckets = 64;
}  // namespace

// A sum over the features: pieces do not wait for each other.
std::uint64_t RepeatsBank::key_of(const Row& row) const {
    std::uint64_t key = seed_;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const std::uint64_t feature = mix64(seed_ + kGolden * (static_cast<std::uint64_t>(row.ids[k]) + 1));
        key += mix64(feature ^ std::bit_cast<std::uint64_t>(row.raw[k]));
    }
    return mix64(key);
}

std::uint32_t RepeatsBank::find(std::uint64_t key) const {
    if (heads_.empty()) return kNone;
    std::uint32_t place = heads_[key & (heads_.size() - 1)];
    while (place != kNone && keys_[place] != key) place = next_[place];
    return place;
}

void RepeatsBank::link(std::uint32_t place) {
    std::uint32_t& head = bucket(keys_[place]);
    next_[place] = head;
    head = place;
}

void RepeatsBank::unlink(std::uint32_t place) {
    std::uint32_t* at = &bucket(keys_[place]);
    while (*at != place) at = &next_[*at];
    *at = next_[place];
}

void RepeatsBank::grow(std::size_t buckets) {
    heads_.assign(buckets, kNone);
    for (std::size_t place = 0; place < keys_.size(); ++place) link(static_cast<std::uint32_t>(place));
}

void RepeatsBank::score(Scratch& scratch) const {
    const std::uint32_t place = find(key_of(*scratch.row));
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const double s = place == kNone ? 0.0 : sums_.row(place)[i];
        scratch.h[i] = s / (std::abs(s) + 1.0);
    }
}

void RepeatsBank::score_classes(Scratch& scratch) const {
    const std::uint32_t place = find(key_of(*scratch.row));
    scratch.clear_shares(classes_);
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const double c = place == kNone ? 0.0 : sums_.row(place)[i];
        const double even = 1.0 / ((c + 1.0) * static_cast<double>(classes_));
        for (Vector& row : scratch.shares) row[i] = even;
        if (c > 0.0) scratch.shares[static_cast<std::size_t>(labels_.row(place)[i])][i] += c / (c + 1.0);
    }
}

void RepeatsBank::make_room(Scratch&, std::span<const FeatureId>) {
    const std::size_t rows = std::min(keys_.size() + 1, memory_);
    onlineboost::make_room(keys_, rows);
    onlineboost::make_room(next_, rows);
    sums_.make_room(rows);
    labels_.make_room(rows);
    if (heads_.size() < rows) grow(std::max(kFirstBuckets, 2 * heads_.size()));
}

// A row that is new is kept with weight 0 until it is taught.
void RepeatsBank::meet(Scratch& scratch, const std::vector<FeatureId>&, std::size_t) {
    if (scratch.rests) return;
    const std::uint64_t key = key_of(*scratch.row);
    last_ = find(key);
    if (last_ != kNone) return;
    if (keys_.size() < memory_) {
        last_ = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
        next_.push_back(kNone);
        sums_.append();
        labels_.append();
    } else {
        last_ = static_cast<std::uint32_t>(hash64(seed_, Purpose::kMemory, 0, added_) % memory_);
        unlink(last_);
        keys_[last_] = key;
        std::fill_n(sums_.row(last_), layout.stride, 0.0);
    }
    link(last_);
    ++added_;
}

void RepeatsBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0 && !scratch.rests) sums_.row(last_)[i] += y * w[i];
}

double RepeatsBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    double& s = sums_.row(last_)[i];
    s += y * (w * times);
    return s / (std::abs(s) + 1.0);
}

// Boyer and Moore's majority vote.
void RepeatsBank::update_class(Scratch& scratch, const double* w) {
    classes_ = std::max(classes_, scratch.label + 1);
    if (scratch.rests) return;
    const auto label = static_cast<double>(scratch.label);
    for (std::size_t i = 0; i < layout.learners; ++i) {
        double &c = sums_.row(last_)[i], &kept = labels_.row(last_)[i];
        if (!(w[i] > 0.0)) continue;
        c += kept == label ? w[i] : -w[i];
        if (c < 0.0) {
            c = -c;
            kept = label;
        }
    }
}

void RepeatsBank::serialise(Archive& archive, const std::vector<FeatureId>&) {
    archive.counter("repeats_added", added_);
    std::vector<std::int64_t> keys;
    for (const std::uint64_t key : keys_) keys.push_back(std::bit_cast<std::int64_t>(key));
    archive.integers("repeat_keys", keys);
    const std::size_t n = keys.size();
    Archive::check(n == std::min<std::uint64_t>(added_, memory_), "repeat_keys");
    archive.table("repeat_sums", sums_, layout.learners, n, kLargestSum);
    if (!archive.loading()) return;
    keys_.clear();
    for (const std::int64_t key : keys) keys_.push_back(std::bit_cast<std::uint64_t>(key));
    next_.assign(n, kNone);
    grow(std::bit_ceil(std::max(n, kFirstBuckets)));
    while (labels_.rows() < n) labels_.append();
}

void RepeatsBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    serialise(archive, ids);
    archive.table("repeat_labels", labels_, layout.learners, keys_.size(), static_cast<double>(classes) - 1.0);
    classes_ = classes;
    if (!archive.loading()) return;
    for (std::size_t r = 0; r < keys_.size(); ++r)
        for (std::size_t i = 0; i < layout.learners; ++i) {
            Archive::check(sums_.row(r)[i] >= 0.0, "repeat_sums");
            Archive::check(labels_.row(r)[i] >= 0.0 && labels_.row(r)[i] == std::floor(labels_.row(r)[i]),
                           "repeat_labels");
        }
}

void RepeatsBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    serialise(archive, ids);
    for (std::size_t r = 0; r < keys_.size(); ++r)
        for (std::size_t i = 0; i < layout.learners; ++i) {
            labels_.row(r)[i] = sums_.row(r)[i] < 0.0 ? 1.0 : 0.0;
            sums_.row(r)[i] = std::abs(sums_.row(r)[i]);
        }
    classes_ = 2;
}

std::unique_ptr<Bank> RepeatsBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<RepeatsBank>(learners, p.count("memory"), p.whole("seed"));
}

}  // namespace onlineboost
