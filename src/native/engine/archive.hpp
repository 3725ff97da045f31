// One description of a component's state serves both directions: saving reads the fields, loading writes and checks them.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class Archive {
   public:
    virtual ~Archive() = default;
    virtual bool loading() const = 0;
    // `size` values; when loading, anything but exactly that many finite numbers is refused.
    virtual void numbers(const std::string& name, double* values, std::size_t size) = 0;
    virtual void integers(const std::string& name, std::vector<std::int64_t>& values) = 0;
    // `rows` is known to the caller before loading.
    virtual void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) = 0;

    void number(const std::string& name, double& value) { numbers(name, &value, 1); }
    void counter(const std::string& name, std::uint64_t& value) {
        std::vector<std::int64_t> one{static_cast<std::int64_t>(value)};
        integers(name, one);
        if (one.size() != 1 || one[0] < 0) throw std::invalid_argument("state field '" + name + "' is not a count");
        value = static_cast<std::uint64_t>(one[0]);
    }
};

}  // namespace onlineboost
