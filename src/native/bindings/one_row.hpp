// A single example on its way from Python into the engine.
#pragma once
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstring>

#include "engine/source.hpp"

namespace onlineboost {

constexpr std::size_t kMostColumns = std::size_t{1} << 31;  // ids from there on are for names

// One row that is already a Row.
class OneRow final : public Source {
   public:
    std::size_t rows() const override { return 1; }
    void read(std::size_t, Row& row) const override {
        row.ids = given.ids;
        row.raw = given.raw;
        row.gaps = given.gaps;
    }
    Row given;
};

// A view of an object's memory, given back at the end of its scope.
class Buffer {
   public:
    explicit Buffer(nanobind::handle x) : held_(PyObject_GetBuffer(x.ptr(), &view, PyBUF_RECORDS_RO) == 0) {
        if (!held_) PyErr_Clear();
    }
    ~Buffer() {
        if (held_) PyBuffer_Release(&view);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    bool line_of(std::size_t columns) const {
        return held_ && view.ndim == 1 && static_cast<std::size_t>(view.shape[0]) == columns;
    }
    bool holds(const char* format) const { return view.format && std::strcmp(view.format, format) == 0; }

    Py_buffer view{};

   private:
    bool held_;
};

template <class T>
bool read_values(const Py_buffer& view, Row& row) {
    const auto* at = static_cast<const char*>(view.buf);
    for (Py_ssize_t j = 0; j < view.shape[0]; ++j, at += view.strides[0]) {
        T value;
        std::memcpy(&value, at, sizeof value);  // wherever it lies
        if (!(std::abs(value) <= kLargestInput)) return false;
        row.push(static_cast<FeatureId>(j), static_cast<double>(value));
    }
    return true;
}

// Reads a 1-D array of `columns` native float64 or float32, all of them finite and in range. Of anything else it says
// false: the checks of a batch then convert it, or find the words for what is wrong with it.
inline bool read_plain_row(nanobind::handle x, std::size_t columns, Row& row) {
    const Buffer buffer(x);
    if (!buffer.line_of(columns) || columns > kMostColumns) return false;
    row.ids.reserve(columns);
    row.raw.reserve(columns);
    if (buffer.holds("d")) return read_values<double>(buffer.view, row);
    return buffer.holds("f") && read_values<float>(buffer.view, row);
}

}  // namespace onlineboost
