#include "drift/adwin.hpp"

#include <algorithm>
#include <cmath>

#include "engine/math.hpp"

namespace onlineboost {

bool Adwin::update(double x) {
    levels_[0].buckets[levels_[0].count++] = {x, x * x};
    ++width_;
    sum_ += x;
    squares_ += x * x;
    for (std::size_t k = 0; levels_[k].count > kBuckets && k + 1 < kSizes; ++k) {
        Level &full = levels_[k], &next = levels_[k + 1];
        next.buckets[next.count++] = {full.buckets[0].sum + full.buckets[1].sum,
                                      full.buckets[0].squares + full.buckets[1].squares};
        std::copy(full.buckets.begin() + 2, full.buckets.end(), full.buckets.begin());
        full.count -= 2;
    }
    if (++ticks_ < clock_ || width_ <= kLeastWidth) return false;
    ticks_ = 0;
    bool cut = false;
    while (width_ > kLeastWidth && cuts()) {
        drop_oldest();
        cut = true;
    }
    return cut;
}

// Whether some cut separates two means.
bool Adwin::cuts() {
    const auto n = static_cast<double>(width_);
    const double mean = sum_ / n, variance = std::max(squares_ / n - mean * mean, 0.0);
    const double log = math::log_fixed(2.0 * math::log_fixed(n) / delta_);
    std::uint64_t before = 0;
    double sum = 0.0;
    for (std::size_t k = kSizes; k-- > 0;)
        for (std::size_t b = 0; b < levels_[k].count; ++b) {
            before += std::uint64_t{1} << k;
            sum += levels_[k].buckets[b].sum;
            if (width_ - before < kLeastPart) return false;
            if (before < kLeastPart) continue;
            const auto n0 = static_cast<double>(before), n1 = n - n0;
            const double inverse = 1.0 / n0 + 1.0 / n1, rise = (sum_ - sum) / n1 - sum / n0;
            if (std::abs(rise) < std::sqrt(2.0 * inverse * variance * log) + 2.0 / 3.0 * inverse * log) continue;
            rose_ = rise > 0.0 ? 1.0 : 0.0;
            return true;
        }
    return false;
}

void Adwin::drop_oldest() {
    std::size_t k = kSizes;
    while (levels_[k - 1].count == 0) --k;
    Level& oldest = levels_[--k];
    width_ -= std::uint64_t{1} << k;
    sum_ = std::max(sum_ - oldest.buckets[0].sum, 0.0);
    squares_ = std::max(squares_ - oldest.buckets[0].squares, 0.0);
    std::copy(oldest.buckets.begin() + 1, oldest.buckets.end(), oldest.buckets.begin());
    --oldest.count;
}

void Adwin::serialise(Archive& archive, std::span<Adwin> windows) {
    std::vector<std::int64_t> counts;
    std::vector<double> values;
    for (const Adwin& one : windows) {
        counts.push_back(static_cast<std::int64_t>(one.ticks_));
        values.insert(values.end(), {one.rose_, one.sum_, one.squares_});
        for (const Level& level : one.levels_) {
            counts.push_back(static_cast<std::int64_t>(level.count));
            for (std::size_t b = 0; b < level.count; ++b)
                values.insert(values.end(), {level.buckets[b].sum, level.buckets[b].squares});
        }
    }
    archive.integers("adwin_counts", counts);
    std::vector<std::size_t> sizes;
    if (archive.loading()) {
        Archive::check(counts.size() == windows.size() * (kSizes + 1), "adwin_counts");
        std::size_t all = 0;
        for (std::size_t k = 0; k < windows.size(); ++k) {
            sizes.push_back(windows[k].restore(counts.data() + k * (kSizes + 1)));
            all += sizes.back();
        }
        values.resize(all);
    }
    archive.sums("adwin_sums", values.data(), values.size());
    if (!archive.loading()) return;
    const double* at = values.data();
    for (std::size_t k = 0; k < windows.size(); at += sizes[k++]) windows[k].restore(at);
}

// How many values belong to these counts.
std::size_t Adwin::restore(const std::int64_t* counts) {
    Archive::check(counts[0] >= 0 && counts[0] < 1'000'000'000, "adwin_counts");
    ticks_ = static_cast<std::uint64_t>(counts[0]);
    width_ = 0;
    std::size_t held = 0;
    for (std::size_t k = 0; k < kSizes; ++k) {
        Archive::check(counts[k + 1] >= 0 && counts[k + 1] <= static_cast<std::int64_t>(kBuckets), "adwin_counts");
        levels_[k].count = static_cast<std::size_t>(counts[k + 1]);
        held += levels_[k].count;
        width_ += levels_[k].count << k;
    }
    return 3 + 2 * held;
}

void Adwin::restore(const double* values) {
    rose_ = *values++;
    sum_ = *values++;
    squares_ = *values++;
    for (std::size_t k = 0; k < kSizes; ++k)
        for (std::size_t b = 0; b < levels_[k].count; ++b, values += 2) {
            Archive::check(values[0] <= static_cast<double>(std::uint64_t{1} << k) && values[1] <= values[0],
                           "adwin_sums");
            levels_[k].buckets[b] = {values[0], values[1]};
        }
    Archive::check(sum_ <= static_cast<double>(width_) + 1e-6 && rose_ <= 1.0, "adwin_sums");
}

}  // namespace onlineboost
