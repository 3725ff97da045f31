#include "text/columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/storage.hpp"

namespace onlineboost::text {

namespace {

constexpr std::size_t kFewRows = 16;  // of so few it does not pay to compare the names of columns

}  // namespace

bool ColumnsReader::read(Row& row, std::size_t column, const ColumnView& view, std::size_t r) {
    if (view.numbers) return number_cell(row, column, view.numbers[r]);
    if (!view.offsets) return true;  // a column of nothing, or one that is ignored
    if (view.valid && !view.valid[r]) return cell(row, column, {}, Cell::kMissing);
    return cell(row, column,
                {view.bytes + view.offsets[r], static_cast<std::size_t>(view.offsets[r + 1] - view.offsets[r])},
                Cell::kString);
}

// Names without = are those of numbers, and what stands before the first = in features of categories.
bool ColumnsReader::names_differ() const {
    std::vector<std::string_view> seen;
    for (const Column& column : columns) {
        if (column.name.find('=') != std::string::npos) return false;
        seen.push_back(column.name);
    }
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
}

bool ColumnsReader::features_differ() const {
    return std::all_of(columns.begin(), columns.end(), [](const Column& column) {
        return column.kind == Kind::kNumber || column.kind == Kind::kFlag || column.kind == Kind::kCategory ||
               column.kind == Kind::kIgnored || column.kind == Kind::kLabel || column.kind == Kind::kWeight;
    });
}

// The feature of a category's cell.
inline std::int32_t ColumnsReader::find(const Column& column, const ColumnView& view, std::size_t r) const {
    if (view.codes) return view.codes[r] < 0 ? kEmpty : (*view.known)[static_cast<std::size_t>(view.codes[r])];
    if (view.objects) {
        const std::size_t at = view.place(view.objects[r]);
        return (*view.met)[at] == view.objects[r] ? (*view.known)[at] : kUnread;
    }
    if (!view.offsets) return kEmpty;
    if (view.valid && !view.valid[r]) return kEmpty;
    return column.recent.find(
        names, {view.bytes + view.offsets[r], static_cast<std::size_t>(view.offsets[r + 1] - view.offsets[r])},
        view.end);
}

// Of a category whose cells are numbers: the text of a number is made once in a block.
void ColumnsReader::find_numbers(const Column& column, const double* numbers, std::size_t count, std::int32_t* found) {
    struct Known {
        std::uint64_t bits = 0;
        std::int32_t id = kUnread;
    };
    std::array<Known, 64> known;
    for (std::size_t r = 0; r < count; ++r) {
        const auto bits = std::bit_cast<std::uint64_t>(numbers[r]);
        Known& there = known[(bits * 0x9E3779B97F4A7C15ULL) >> 58];
        if (there.id == kUnread || there.bits != bits)
            there = {bits, std::isnan(numbers[r]) ? kEmpty : column.recent.find(names, text_of(numbers[r], digits_))};
        found[r] = there.id;
    }
}

void ColumnsReader::find(std::size_t at, const ColumnView& view, std::size_t from, std::size_t to,
                         std::int32_t* found) {
    const Column& column = columns[at];
    if (column.kind == Kind::kCategory && view.numbers) {
        find_numbers(column, view.numbers + from, to - from, found);
    } else if (column.kind == Kind::kCategory) {
        for (std::size_t r = from; r < to; ++r) found[r - from] = find(column, view, r);
    } else if (column.kind == Kind::kNumber && view.numbers && column.id >= 0) {
        const double* numbers = view.numbers + from;
        const std::int32_t id = column.id;
        for (std::size_t r = 0; r < to - from; ++r) found[r] = std::abs(numbers[r]) <= kLargestValue ? id : kUnread;
    } else {
        std::fill(found, found + (to - from), column.kind == Kind::kIgnored ? kEmpty : kUnread);
    }
}

// Whether the rows of the block have features of the same columns, all of them known: those of `filled_`.
bool ColumnsReader::rows_alike(std::size_t count) {
    filled_.clear();
    if (!apart_ || labels_mode == Labels::kRequired || weights_wanted) return false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::int32_t* found = &found_[k * kBlock];
        std::int32_t any = 0, all = -1;
        for (std::size_t r = 0; r < count; ++r) {
            any |= found[r];
            all &= found[r];
        }
        if (any >= 0)
            filled_.push_back(k);
        else if (any != kEmpty || all != kEmpty)
            return false;
    }
    return filled_.size() <= most_features && rows.data.size() + count * filled_.size() < limits.batch;
}

void ColumnsReader::add_alike(const std::vector<ColumnView>& views, std::size_t from, std::size_t count) {
    const std::size_t start = rows.data.size(), width = filled_.size();
    rows.data.resize(start + count * width, 1.0);
    rows.indices.resize(start + count * width);
    for (std::size_t j = 0; j < width; ++j) {
        const std::size_t k = filled_[j];
        std::int32_t* ids = rows.indices.data() + start + j;
        for (std::size_t r = 0; r < count; ++r) ids[r * width] = found_[k * kBlock + r];
        if (columns[k].kind != Kind::kNumber) continue;
        double* values = rows.data.data() + start + j;
        for (std::size_t r = 0; r < count; ++r) values[r * width] = views[k].numbers[from + r];
    }
    for (std::size_t r = 0; r < count; ++r) {
        rows.finish(LabelTable::kNone, 1.0, current_line(), start + (r + 1) * width);
        ++place.rows;
        done(0, 1);
    }
}

// The features of the row so far that are known, which wait in ids_ and values_.
inline void ColumnsReader::flush(std::size_t count) {
    if (count == 0) return;
    rows.indices.insert(rows.indices.end(), ids_.data(), ids_.data() + count);
    rows.data.insert(rows.data.end(), values_.data(), values_.data() + count);
}

// The cells of a row in the order of the columns; `found` is that of the row in the first column.
inline bool ColumnsReader::assemble(Row& row, const std::vector<ColumnView>& views, std::size_t r,
                                    const std::int32_t* found) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < views.size(); ++k) {
        const std::int32_t id = found[k * kBlock];
        if (id >= 0) {
            const bool number = columns[k].kind == Kind::kNumber;
            ids_[count] = id;
            values_[count] = number ? views[k].numbers[r] : 1.0;
            count += apart_;
            if (apart_ || feature(id, values_[0])) continue;
        } else if (id == kEmpty) {
            continue;
        }
        flush(count);
        count = 0;
        if (!read(row, k, views[k], r)) return false;
    }
    flush(count);
    return true;
}

std::size_t ColumnsReader::append(const std::vector<ColumnView>& views, std::size_t from, std::size_t to,
                                  std::size_t most_rows, std::int64_t most_bad) {
    std::size_t r = from;
    const std::size_t cells = std::min((std::min(to - from, most_rows)) * views.size(), limits.batch);
    make_room(rows.data, rows.data.size() + cells);
    make_room(rows.indices, rows.indices.size() + cells);
    rows.make_room(std::min(to - from, most_rows));
    found_.resize(views.size() * kBlock);
    ids_.resize(views.size());
    values_.resize(views.size());
    const bool differ = to - from > kFewRows && buckets == 0 && names_differ();
    for (std::size_t block = looking ? kBlock : 1; r < to && !full(most_rows, most_bad);
         block = std::min(2 * block, kBlock)) {
        const std::size_t first = r, last = std::min({first + block, to, first + most_rows - rows.size()});
        apart_ = differ && features_differ();
        if (looking)
            std::fill(found_.begin(), found_.end(), kUnread);
        else
            for (std::size_t k = 0; k < views.size(); ++k) find(k, views[k], first, last, &found_[k * kBlock]);
        if (!looking && rows_alike(last - first)) {
            add_alike(views, first, last - first);
            r = last;
            continue;
        }
        for (; r < last && !full(most_rows, most_bad); ++r) {
            Row row;
            begin(row);
            const bool whole = assemble(row, views, r, &found_[r - first]);
            const std::size_t before = rows.size();
            if (whole)
                end(row);
            else
                give_up(row);
            if (rows.size() == before)
                for (const ColumnView& view : views)  // names that the row has brought are gone
                    if (view.known) std::fill(view.known->begin(), view.known->end(), -1);
            done(0, 1);
        }
    }
    stopped = full(most_rows, most_bad);
    return r;
}

}  // namespace onlineboost::text
