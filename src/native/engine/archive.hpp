// One description of a component's state serves both directions: saving reads the fields, loading writes and checks
// them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class Archive {
   public:
    // Far above what inputs of at most 1e100 and weights of at most 1e15 sum up to, and far enough from overflow to go
    // on.
    static constexpr double kLargest = 1e290;
    // Of coordinates: times a value of 1e100 they are still far from overflow.
    static constexpr double kLargestCoordinate = 1e140;
    // Of examples: counting on does not overflow. A model that has learned more says this many, so that what is saved
    // can be loaded.
    static constexpr std::int64_t kLargestCount = std::int64_t{1} << 60;

    virtual ~Archive() = default;
    virtual bool loading() const = 0;
    // Whether a field can be asked for: a file may be older than the field.
    virtual bool has(const std::string& name) const = 0;
    // `size` values; when loading, anything but exactly that many numbers of at most kLargest is refused.
    virtual void numbers(const std::string& name, double* values, std::size_t size) = 0;
    virtual void integers(const std::string& name, std::vector<std::int64_t>& values) = 0;
    // `rows` is known to the caller before loading.
    virtual void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) = 0;

    void number(const std::string& name, double& value) { numbers(name, &value, 1); }
    // When loading, every number must be in [low, high]: what follows may rely on it.
    void numbers(const std::string& name, double* values, std::size_t size, double low, double high) {
        numbers(name, values, size);
        if (!loading()) return;
        for (std::size_t i = 0; i < size; ++i) check(values[i] >= low && values[i] <= high, name);
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows, double largest) {
        this->table(name, table, learners, rows);
        if (!loading()) return;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < learners; ++i) check(std::abs(table.row(r)[i]) <= largest, name);
    }
    // Sums of what is never negative.
    void sums(const std::string& name, double* values, std::size_t size) { numbers(name, values, size, 0.0, kLargest); }
    void sum(const std::string& name, double& value) { sums(name, &value, 1); }
    static void check(bool good, const std::string& name) {
        if (!good) throw std::invalid_argument("state field '" + name + "' holds a number that no model has");
    }
    void counter(const std::string& name, std::uint64_t& value) {
        std::vector<std::int64_t> one{static_cast<std::int64_t>(std::min<std::uint64_t>(value, kLargestCount))};
        integers(name, one);
        if (!loading()) return;
        if (one.size() != 1 || one[0] < 0 || one[0] > kLargestCount)
            throw std::invalid_argument("state field '" + name + "' is not a count");
        value = static_cast<std::uint64_t>(one[0]);
    }
};

}  // namespace onlineboost
