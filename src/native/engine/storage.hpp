// Memory: aligned vectors, and a table of rows that grows without moving what it holds.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace onlineboost {

template <class T>
struct Aligned64 {
    using value_type = T;
    Aligned64() = default;
    template <class U>
    Aligned64(const Aligned64<U>&) noexcept {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
    void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t{64}); }
    bool operator==(const Aligned64&) const = default;
};

using Vector = std::vector<double, Aligned64<double>>;

// Capacity for `size` elements, at least doubled where it grows: further elements up to there cannot fail.
template <class V>
[[gnu::always_inline]] inline void make_room(V& vector, std::size_t size) {
    if (vector.capacity() < size) vector.reserve(std::max(size, 2 * vector.capacity()));
}

// The next multiple of eight.
constexpr std::size_t round_up(std::size_t n) { return (n + 7) / 8 * 8; }

// How N learners lie in memory: padded to whole groups of eight, except for fewer than eight.
struct Layout {
    std::size_t learners;
    std::size_t stride;
    explicit Layout(std::size_t n) : learners(n), stride(n < 8 ? n : round_up(n)) {}
};

// Rows of `stride` doubles in blocks of about 128 kB, so that growth copies nothing and wastes at most one block.
class Table {
   public:
    explicit Table(std::size_t stride) : stride_(stride) {
        while (shift_ < 6 && (stride_ << (shift_ + 1)) * sizeof(double) <= 131072) ++shift_;
    }
    Table(const Table&) = delete;  // rows_ points into blocks_
    Table& operator=(const Table&) = delete;
    std::size_t rows() const { return rows_.size(); }
    std::size_t stride() const { return stride_; }
    double* row(std::size_t r) { return rows_[r]; }
    const double* row(std::size_t r) const { return rows_[r]; }
    // out[k] = row(slots[k] + offset)
    void find(std::span<const std::int32_t> slots, std::size_t offset, double** out) {
        double* const* rows = rows_.data() + offset;
        for (std::size_t k = 0, n = slots.size(); k < n; ++k) out[k] = rows[slots[k]];
    }
    // Memory for `rows` rows: appending up to there cannot fail.
    void make_room(std::size_t rows) {
        onlineboost::make_room(rows_, rows);
        while (blocks_.size() << shift_ < rows) blocks_.emplace_back(stride_ << shift_, 0.0);
    }
    // Appends a row of zeros.
    double* append() {
        const std::size_t r = rows_.size();
        make_room(r + 1);
        rows_.push_back(blocks_[r >> shift_].data() + (r & mask()) * stride_);
        return rows_.back();
    }
    void fill_column(std::size_t i, double value) {
        for (double* row : rows_) row[i] = value;
    }
    // Moves the last row into r and drops the last.
    void remove_swap(std::size_t r) {
        double* last = rows_.back();
        if (rows_[r] != last) std::memcpy(rows_[r], last, stride_ * sizeof(double));
        std::memset(last, 0, stride_ * sizeof(double));
        rows_.pop_back();
    }

   private:
    std::size_t mask() const { return (std::size_t{1} << shift_) - 1; }
    std::size_t stride_;
    std::size_t shift_ = 0;
    std::vector<Vector> blocks_;
    std::vector<double*> rows_;  // where each row is
};

}  // namespace onlineboost
