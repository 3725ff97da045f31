#include "text/columns.hpp"

#include <algorithm>

#include "engine/storage.hpp"

namespace onlineboost::text {

bool ColumnsReader::read(Row& row, std::size_t column, const ColumnView& view, std::size_t r) {
    if (view.numbers) return number_cell(row, column, view.numbers[r]);
    if (!view.offsets) return true;  // a column of nothing, or one that is ignored
    if (view.valid && !view.valid[r]) return cell(row, column, {}, Cell::kMissing);
    return cell(row, column,
                {view.bytes + view.offsets[r], static_cast<std::size_t>(view.offsets[r + 1] - view.offsets[r])},
                Cell::kString);
}

std::size_t ColumnsReader::append(const std::vector<ColumnView>& views, std::size_t from, std::size_t to,
                                  std::size_t most_rows, std::int64_t most_bad) {
    std::size_t r = from;
    const std::size_t cells = std::min((std::min(to - from, most_rows)) * views.size(), limits.batch);
    make_room(rows.data, rows.data.size() + cells);
    make_room(rows.indices, rows.indices.size() + cells);
    for (; r < to && !full(most_rows, most_bad); ++r) {
        Row row;
        begin(row);
        bool whole = true;
        for (std::size_t k = 0; k < views.size() && whole; ++k) whole = read(row, k, views[k], r);
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
    stopped = full(most_rows, most_bad);
    return r;
}

}  // namespace onlineboost::text
