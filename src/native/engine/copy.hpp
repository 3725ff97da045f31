// A component's whole state in memory, by name, to be given to another component of the same parameters.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class CopyArchive final : public Archive {
   public:
    bool loading() const override { return giving_; }
    bool has(const std::string& name) const override {
        return !giving_ || numbers_.contains(name) || integers_.contains(name);
    }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        if (!giving_) return void(numbers_[name].assign(values, values + size));
        const std::vector<double>& kept = numbers_.at(name);
        if (kept.size() != size) throw std::logic_error("a copy has another shape");
        std::copy(kept.begin(), kept.end(), values);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        if (giving_)
            values = integers_.at(name);
        else
            integers_[name] = values;
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        std::vector<double>& kept = numbers_[name];
        if (!giving_) {
            kept.resize(rows * learners);
            for (std::size_t r = 0; r < rows; ++r) std::copy_n(table.row(r), learners, kept.data() + r * learners);
            return;
        }
        if (kept.size() != rows * learners) throw std::logic_error("a copy has another shape");
        while (table.rows() < rows) table.append();
        for (std::size_t r = 0; r < rows; ++r) std::copy_n(kept.data() + r * learners, learners, table.row(r));
    }

    // From here on the fields are given back, as often as they are asked for.
    void give() { giving_ = true; }

   private:
    bool giving_ = false;
    std::map<std::string, std::vector<double>> numbers_;
    std::map<std::string, std::vector<std::int64_t>> integers_;
};

}  // namespace onlineboost
