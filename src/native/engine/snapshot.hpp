// A component's state kept in memory for as long as a row is learned that may fail.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

// Fields come back in the order in which they were kept, from the same component: names do not matter. Tables are for
// banks, which have no use for this.
class Snapshot final : public Archive {
   public:
    bool loading() const override { return restoring_; }
    bool has(const std::string&) const override { return true; }
    void numbers(const std::string&, double* values, std::size_t size) override {
        if (!restoring_) return void(numbers_.insert(numbers_.end(), values, values + size));
        std::copy_n(numbers_.data() + number_, size, values);
        number_ += size;
    }
    void integers(const std::string&, std::vector<std::int64_t>& values) override {
        if (!restoring_) return void(integers_.push_back(values));
        values = integers_[integer_++];
    }
    void table(const std::string&, Table&, std::size_t, std::size_t) override {
        throw std::logic_error("a snapshot holds no tables");
    }

    // From here on the fields are given back.
    void restore() { restoring_ = true; }

   private:
    bool restoring_ = false;
    std::vector<double> numbers_;
    std::vector<std::vector<std::int64_t>> integers_;
    std::size_t number_ = 0, integer_ = 0;
};

}  // namespace onlineboost
