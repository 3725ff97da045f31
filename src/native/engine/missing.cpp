#include "engine/missing.hpp"

#include <algorithm>
#include <numeric>

namespace onlineboost {

namespace {
constexpr double kNothing = 1e-150;  // a mean of 0: the value keeps its place in the row, and weighs nothing
}

double MissingValues::mean(FeatureId id) const {
    const std::int32_t at = tracked_.find(id);
    if (at == Features::kUnseen) return kNothing;
    const auto place = static_cast<std::size_t>(at);
    const std::int64_t present = rows_ - base_[place];
    const double mean = present > 0 ? sums_[place] / static_cast<double>(present) : 0.0;
    return mean == 0.0 ? kNothing : mean;
}

void MissingValues::fill_gaps(Row& row) const {
    const std::size_t given = row.size();
    for (const std::uint32_t k : row.gaps) row.raw[k] = mean(row.ids[k]);
    for (auto k = row.gaps.rbegin(); k != row.gaps.rend(); ++k) {
        if (!has_indicator(row.ids[*k])) continue;
        row.ids.push_back(indicator_of(row.ids[*k]));
        row.raw.push_back(1.0);
    }
    if (given == row.size() || row.ids[given - 1] < row.ids[given]) return;
    // Names beside columns have large ids, too.
    std::vector<std::size_t> order(row.size()), place(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return row.ids[a] < row.ids[b]; });
    const std::vector<FeatureId> ids = row.ids;
    const std::vector<double> raw = row.raw;
    for (std::size_t k = 0; k < order.size(); ++k) {
        row.ids[k] = ids[order[k]];
        row.raw[k] = raw[order[k]];
        place[order[k]] = k;
    }
    for (std::uint32_t& k : row.gaps) k = static_cast<std::uint32_t>(place[k]);
}

void MissingValues::make_room_for(const Row& row) {
    fresh_.clear();
    for (const std::uint32_t k : row.gaps)
        if (tracked_.find(row.ids[k]) == Features::kUnseen) fresh_.push_back(row.ids[k]);
    if (fresh_.empty()) return;
    tracked_.make_room(fresh_);
    onlineboost::make_room(sums_, sums_.size() + fresh_.size());
    onlineboost::make_room(base_, base_.size() + fresh_.size());
}

void MissingValues::learn_row(const Row& row) {
    auto gap = row.gaps.begin();
    for (std::size_t k = 0; k < row.size(); ++k) {
        const bool missing = gap != row.gaps.end() && *gap == k;
        gap += missing ? 1 : 0;
        std::int32_t at = tracked_.find(row.ids[k]);
        if (at == Features::kUnseen) {
            if (!missing) continue;
            at = tracked_.add(row.ids[k]);
            sums_.push_back(0.0);
            base_.push_back(rows_);
        }
        const auto place = static_cast<std::size_t>(at);
        if (missing)
            ++base_[place];
        else
            sums_[place] += row.raw[k];
    }
    ++rows_;
}

void MissingValues::serialise(Archive& archive) {
    if (archive.loading() ? !archive.has("missing_features") : rows_ == 0) return;
    std::vector<std::int64_t> ids(tracked_.ids().begin(), tracked_.ids().end()), present;
    for (const std::int64_t base : base_) present.push_back(rows_ - base);
    archive.integers("missing_features", ids);
    archive.integers("missing_present", present);
    const auto wrong = [] { throw std::invalid_argument("state field 'missing_features' is not what a model has"); };
    if (archive.loading()) {
        if (present.size() != ids.size() || ids.empty() || !tracked_.ids().empty()) wrong();
        for (std::size_t k = 0; k < ids.size(); ++k) {
            if (ids[k] < 0 || ids[k] >= kNoFeature || present[k] < 0 || present[k] > Archive::kLargestCount) wrong();
            const auto fresh = static_cast<FeatureId>(ids[k]);
            if (tracked_.find(fresh) != Features::kUnseen) wrong();
            tracked_.make_room({&fresh, 1});
            tracked_.add(fresh);
            rows_ = std::max(rows_, present[k] + 1);
        }
        sums_.assign(ids.size(), 0.0);
        base_.clear();
        for (const std::int64_t count : present) base_.push_back(rows_ - count);
    }
    archive.numbers("missing_sums", sums_.data(), sums_.size());
}

}  // namespace onlineboost
