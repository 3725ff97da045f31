// Tables that come by column, with types: Arrow's arrays, of which Parquet files are made.
#pragma once
#include "text/table.hpp"

namespace onlineboost::text {

// Numbers with NaN where a cell is missing, texts between offsets with a byte that is 0 where one is missing, or
// objects that a derived reader understands.
struct ColumnView {
    const double* numbers = nullptr;
    const std::int64_t* offsets = nullptr;
    const char* bytes = nullptr;
    const std::uint8_t* valid = nullptr;  // null: all are
    void* const* objects = nullptr;
    const std::int32_t* codes = nullptr;         // a row has the object of its code; below 0 it has none
    std::vector<std::int32_t>* known = nullptr;  // by code: the feature of a category that was met; -1
    std::vector<const void*>* met = nullptr;     // without codes: whose feature is known, by the object's address
};

class ColumnsReader : public TableReader {
   public:
    using TableReader::TableReader;

    // Reads the rows from `from` on until enough wait to be taken; gives the row to go on with. One view for each of
    // `columns`.
    std::size_t append(const std::vector<ColumnView>& views, std::size_t from, std::size_t to, std::size_t most_rows,
                       std::int64_t most_bad);

   protected:
    void line(std::string_view) override {}
    virtual bool read(Row& row, std::size_t column, const ColumnView& view, std::size_t r);
};

}  // namespace onlineboost::text
