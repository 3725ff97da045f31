// Columns and rows of Python objects: data frames with columns of objects, and dicts.
#pragma once
#include <nanobind/nanobind.h>

#include "text/columns.hpp"

namespace onlineboost {

// Everything here needs the GIL as soon as there are objects.
class FrameReader final : public text::ColumnsReader {
   public:
    using ColumnsReader::append;
    using ColumnsReader::ColumnsReader;

    // Reads one row; its keys are names of columns, and an unknown one is a new column.
    void append(nanobind::handle dict);

   protected:
    bool read(Row& row, std::size_t column, const text::ColumnView& view, std::size_t r) override;

   private:
    bool coded(Row& row, std::size_t column, const text::ColumnView& view, std::int32_t code);
    bool met(Row& row, std::size_t column, const text::ColumnView& view, void* value);
    bool object(Row& row, std::size_t column, PyObject* value);
    bool number(Row& row, std::size_t column, double value);
    bool wrong(std::size_t column, std::string message);

    text::Names column_of_;  // by name, in the order of `columns`
};

}  // namespace onlineboost
