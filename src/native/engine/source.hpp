// Where rows come from: dense with any strides, or CSR; float32 or float64; read in place.
//
// Batches are checked before they are learned, but another thread may write to the arrays meanwhile. So what was read
// is looked at again, row by row: nothing is read from outside of the arrays, and nothing is learned that the checks
// would have refused.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "engine/row.hpp"

namespace onlineboost {

[[noreturn]] inline void changed_meanwhile() {
    throw std::invalid_argument("X changed while it was read: pass a copy");
}

class Source {
   public:
    virtual ~Source() = default;
    // Throws what is wrong with the batch as a whole.
    virtual void check() const {}
    virtual std::size_t rows() const = 0;
    virtual void read(std::size_t r, Row& row) const = 0;
};

template <class T>
class DenseSource final : public Source {
   public:
    DenseSource(const T* data, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step,
                std::ptrdiff_t column_step)
        : data_(data), rows_(rows), columns_(columns), row_step_(row_step), column_step_(column_step) {}
    std::size_t rows() const override { return rows_; }
    void read(std::size_t r, Row& row) const override {
        const T* p = data_ + static_cast<std::ptrdiff_t>(r) * row_step_;
        const bool sound = row.fill(
            columns_, [](std::size_t k) { return static_cast<std::int64_t>(k); },
            [p, this](std::size_t k) { return static_cast<double>(p[static_cast<std::ptrdiff_t>(k) * column_step_]); });
        if (!sound) changed_meanwhile();
    }

   private:
    const T* data_;
    std::size_t rows_, columns_;
    std::ptrdiff_t row_step_, column_step_;
};

template <class T, class Index>
class SparseSource final : public Source {
   public:
    // `size` is that of data and indices.
    SparseSource(const T* data, const Index* indices, const Index* starts, std::size_t rows, std::size_t size)
        : data_(data), indices_(indices), starts_(starts), rows_(rows), size_(size) {}
    std::size_t rows() const override { return rows_; }
    void check() const override {
        const auto require = [](bool condition, const char* what) {
            if (!condition) throw std::invalid_argument(what);
        };
        require(starts_[0] >= 0, "CSR indptr must not be negative");
        for (std::size_t r = 0; r < rows_; ++r) require(starts_[r] <= starts_[r + 1], "CSR indptr must not decrease");
        require(static_cast<std::size_t>(starts_[rows_]) <= size_, "CSR indptr points behind the data");
    }
    void read(std::size_t r, Row& row) const override {
        const volatile Index* starts = starts_;  // read once
        const Index from = starts[r], to = starts[r + 1];
        if (from < 0 || to < from || static_cast<std::size_t>(to) > size_) changed_meanwhile();
        const T* data = data_ + from;
        const Index* indices = indices_ + from;
        const bool sound = row.fill(
            static_cast<std::size_t>(to - from), [indices](std::size_t k) { return indices[k]; },
            [data](std::size_t k) { return static_cast<double>(data[k]); });
        if (!sound) changed_meanwhile();
    }

   private:
    const T* data_;
    const Index* indices_;
    const Index* starts_;
    std::size_t rows_, size_;
};

}  // namespace onlineboost
