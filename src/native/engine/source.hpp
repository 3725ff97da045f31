// Where rows come from: dense with any strides, or CSR; float32 or float64; read in place.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/row.hpp"

namespace onlineboost {

class Source {
   public:
    virtual ~Source() = default;
    virtual std::size_t rows() const = 0;
    virtual void read(std::size_t r, Row& row) const = 0;
};

template <class T>
class DenseSource final : public Source {
   public:
    DenseSource(const T* data, std::size_t rows, std::size_t columns, std::ptrdiff_t row_step, std::ptrdiff_t column_step)
        : data_(data), rows_(rows), columns_(columns), row_step_(row_step), column_step_(column_step) {}
    std::size_t rows() const override { return rows_; }
    void read(std::size_t r, Row& row) const override {
        const T* p = data_ + static_cast<std::ptrdiff_t>(r) * row_step_;
        row.fill(
            columns_, [](std::size_t k) { return static_cast<FeatureId>(k); },
            [p, this](std::size_t k) { return static_cast<double>(p[static_cast<std::ptrdiff_t>(k) * column_step_]); });
    }

   private:
    const T* data_;
    std::size_t rows_, columns_;
    std::ptrdiff_t row_step_, column_step_;
};

template <class T, class Index>
class SparseSource final : public Source {
   public:
    SparseSource(const T* data, const Index* indices, const Index* starts, std::size_t rows)
        : data_(data), indices_(indices), starts_(starts), rows_(rows) {}
    std::size_t rows() const override { return rows_; }
    void read(std::size_t r, Row& row) const override {
        const T* data = data_ + starts_[r];
        const Index* indices = indices_ + starts_[r];
        row.fill(
            static_cast<std::size_t>(starts_[r + 1] - starts_[r]), [indices](std::size_t k) { return static_cast<FeatureId>(indices[k]); },
            [data](std::size_t k) { return static_cast<double>(data[k]); });
    }

   private:
    const T* data_;
    const Index* indices_;
    const Index* starts_;
    std::size_t rows_;
};

}  // namespace onlineboost
