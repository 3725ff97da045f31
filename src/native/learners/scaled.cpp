#include "learners/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/build.hpp"

namespace onlineboost {

namespace {
constexpr double kDense = 0.9;  // share of rows from which on a feature is centred
constexpr double kTinySpread = 1e-300;
constexpr double kMostRows = 0x1p60, kLargestValue = 1e101;  // inputs are of at most 1e100, and a mean may round
}  // namespace

struct ScaledBank::Own final : WrapperScratch {
    using WrapperScratch::WrapperScratch;
    std::vector<bool> seen;    // slots that the row has
    std::vector<Entry> order;  // the scaled row on its way to its order
};

std::unique_ptr<Scratch> ScaledBank::make_scratch() const { return std::make_unique<Own>(layout, *inner_); }

ScaledBank::ScaledBank(std::unique_ptr<Bank> inner, Method method, double clip)
    : WrapperBank(std::move(inner)), method_(method), clip_(clip) {}

// `rows` further values of 0, by the formula for joining two samples (Chan, Golub and LeVeque 1979).
void ScaledBank::add_zeros(Statistics& s, double rows) const {
    if (!(rows > 0.0)) return;
    const double total = s.rows + rows;
    s.squares += s.mean * s.mean * (s.rows * rows / total);
    s.mean *= s.rows / total;
    s.rows = total;
}

// The statistics after the present row, in which the feature has this value.
ScaledBank::Statistics ScaledBank::with(const Statistics& before, double value) const {
    Statistics s = before;
    add_zeros(s, rows_ - s.rows);
    s.rows += 1.0;
    const double off = value - s.mean;
    s.mean += off / s.rows;
    s.squares += off * (value - s.mean);
    if (value != 0.0) s.present += 1.0;
    s.largest = std::max(s.largest, std::abs(value));
    return s;
}

bool ScaledBank::centred(const Statistics& s, double rows) const {
    return method_ == Method::kStandard && s.present >= kDense * rows;
}

double ScaledBank::scaled(const Statistics& s, double value) const {
    if (method_ == Method::kMaxAbs) return value / s.largest;
    const bool centre = centred(s, s.rows);
    const double square = (centre ? s.squares : s.squares + s.mean * s.mean * s.rows) / s.rows;
    if (!(square > kTinySpread)) return 0.0;
    return std::clamp((centre ? value - s.mean : value) / std::sqrt(square), -clip_, clip_);
}

void ScaledBank::change(Scratch& outer, Row& row) const {
    auto& scratch = static_cast<Own&>(outer);
    const Row& given = *scratch.row;
    row.clear();
    row.slots.clear();
    const auto put = [&](FeatureId id, std::int32_t slot, double value) {
        if (value == 0.0) return;
        row.push(id, value);
        row.slots.push_back(slot);
    };
    if (method_ == Method::kMaxAbs) {
        for (std::size_t k = 0; k < given.size(); ++k) {
            const std::int32_t slot = given.slots[k];
            const Statistics& s =
                slot == Features::kUnseen ? Statistics{} : statistics_[static_cast<std::size_t>(slot)];
            put(given.ids[k], slot, scaled(with(s, given.raw[k]), given.raw[k]));
        }
        return;
    }
    // Centred features that are absent have a value too. In the order of ids, so that it does not matter when a feature
    // was met.
    scratch.seen.assign(statistics_.size(), false);
    for (const std::int32_t slot : given.slots)
        if (slot != Features::kUnseen && static_cast<std::size_t>(slot) < statistics_.size())
            scratch.seen[static_cast<std::size_t>(slot)] = true;
    auto& order = scratch.order;
    order.clear();
    for (std::size_t k = 0; k < given.size(); ++k) {
        const std::int32_t slot = given.slots[k];
        const Statistics& s = slot == Features::kUnseen ? Statistics{} : statistics_[static_cast<std::size_t>(slot)];
        order.push_back({given.ids[k], slot, scaled(with(s, given.raw[k]), given.raw[k])});
    }
    const std::size_t present = order.size();
    const double dense = kDense * (rows_ + 1.0);  // see centred()
    for (std::size_t slot = 0; slot < statistics_.size(); ++slot)
        if (statistics_[slot].present >= dense && !scratch.seen[slot])
            order.push_back({ids_[slot], static_cast<std::int32_t>(slot), scaled(with(statistics_[slot], 0.0), 0.0)});
    if (order.size() > present)
        std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (const auto& entry : order) put(entry.id, entry.slot, entry.value);
}

void ScaledBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    onlineboost::make_room(statistics_, statistics_.size() + fresh.size());
    onlineboost::make_room(ids_, ids_.size() + fresh.size());
    inner_->make_room(*inside(scratch).scratch, fresh);
}

void ScaledBank::meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) {
    const Row& given = *scratch.row;
    statistics_.resize(ids.size());
    ids_.insert(ids_.end(), ids.begin() + static_cast<std::ptrdiff_t>(from), ids.end());
    for (std::size_t k = 0; k < given.size() && !scratch.rests; ++k) {
        Statistics& s = statistics_[static_cast<std::size_t>(given.slots[k])];
        s = with(s, given.raw[k]);
    }
    if (!scratch.rests) rows_ += 1.0;
    InnerScratch& own = inside(scratch);
    own.scratch->rests = scratch.rests;
    for (std::size_t k = 0, j = 0; k < given.size() && j < own.row.size(); ++k) {
        while (j < own.row.size() && own.row.ids[j] < given.ids[k]) ++j;
        if (j < own.row.size() && own.row.ids[j] == given.ids[k]) own.row.slots[j] = given.slots[k];
    }
    inner_->meet(*own.scratch, ids, from);
}

void ScaledBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    if (archive.loading()) {
        statistics_.assign(ids.size(), {});
        ids_ = ids;
    }
    archive.numbers("scaled_rows", &rows_, 1, 0.0, kMostRows);
    const auto field = [&](const char* name, double Statistics::* member, double low, double high) {
        std::vector<double> values(ids.size());
        for (std::size_t f = 0; f < ids.size(); ++f) values[f] = statistics_[f].*member;
        archive.numbers(name, values.data(), values.size(), low, high);
        for (std::size_t f = 0; f < ids.size(); ++f) statistics_[f].*member = values[f];
    };
    field("scaled_counts", &Statistics::rows, 0.0, rows_);
    field("scaled_means", &Statistics::mean, -kLargestValue, kLargestValue);
    field("scaled_squares", &Statistics::squares, 0.0, Archive::kLargest);
    field("scaled_present", &Statistics::present, 0.0, rows_);
    field("scaled_largest", &Statistics::largest, 0.0, kLargestValue);
    serialise_inner(archive, ids);
}

std::unique_ptr<Bank> ScaledBank::build(const Parameters& p, std::size_t learners) {
    const auto method = p.choice<Method>("method", {"standard", "maxabs"});
    return std::make_unique<ScaledBank>(build_inner(p, *p.inside("inner"), learners), method, p.number("clip"));
}

}  // namespace onlineboost
