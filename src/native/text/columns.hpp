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
    const char* end = nullptr;            // of the bytes
    const std::uint8_t* valid = nullptr;  // null: all are
    void* const* objects = nullptr;
    const std::int32_t* codes = nullptr;         // a row has the object of its code; below 0 it has none
    std::vector<std::int32_t>* known = nullptr;  // by code: the feature of a category that was met; -1
    std::vector<const void*>* met = nullptr;     // without codes: whose feature is known, by the object's address

    static std::size_t place(const void* object) {
        return (reinterpret_cast<std::uintptr_t>(object) * 0x9E3779B97F4A7C15ULL) >> 54;
    }
};

// Cells whose features are known are looked up by column, a block of rows at a time; read() sees the others, row by
// row, so that features are numbered in the order of the rows.
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

   private:
    static constexpr std::size_t kBlock = 256;                // rows whose cells are looked up column by column
    static constexpr std::int32_t kUnread = -1, kEmpty = -2;  // read() has to see the cell; it has no feature

    bool names_differ() const;
    bool features_differ() const;
    std::int32_t find(const Column& column, const ColumnView& view, std::size_t r) const;
    void find_numbers(const Column& column, const double* numbers, std::size_t count, std::int32_t* found);
    void find(std::size_t column, const ColumnView& view, std::size_t from, std::size_t to, std::int32_t* found);
    bool assemble(Row& row, const std::vector<ColumnView>& views, std::size_t r, const std::int32_t* found);
    void flush(std::size_t count);
    bool rows_alike(std::size_t count);
    void add_alike(const std::vector<ColumnView>& views, std::size_t from, std::size_t count);

    bool apart_ = false;               // no two cells of a row have the same feature
    std::vector<std::int32_t> found_;  // by column, then by row of the block
    std::vector<std::size_t> filled_;  // the columns that have a feature in every row of the block
    std::vector<std::int32_t> ids_;    // of the present row
    std::vector<double> values_;
    std::string digits_;
};

}  // namespace onlineboost::text
