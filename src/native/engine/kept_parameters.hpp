// A copy of parameters that belongs to the engine: components can be built from it at any time, on any thread.
#pragma once
#include <map>
#include <utility>
#include <variant>

#include "learners/bank.hpp"

namespace onlineboost {

class KeptParameters final : public Parameters {
   public:
    using Nested = std::shared_ptr<const KeptParameters>;
    using Value =
        std::variant<bool, std::uint64_t, double, std::string, Nested, std::vector<std::pair<std::size_t, Nested>>>;
    std::map<std::string, Value, std::less<>> values;

    bool has(const char* name) const override { return values.contains(name); }
    double number(const char* name) const override {
        if (const auto* whole = std::get_if<std::uint64_t>(&at(name))) return static_cast<double>(*whole);
        return get<double>(name);
    }
    std::uint64_t whole(const char* name) const override { return get<std::uint64_t>(name); }
    bool flag(const char* name) const override { return get<bool>(name); }
    std::string text(const char* name) const override { return get<std::string>(name); }
    std::unique_ptr<Parameters> inside(const char* name) const override {
        return std::make_unique<KeptParameters>(*get<Nested>(name));
    }
    std::vector<Part> parts(const char* name) const override {
        std::vector<Part> found;
        for (const auto& [learners, part] : get<std::vector<std::pair<std::size_t, Nested>>>(name))
            found.push_back({learners, std::make_unique<KeptParameters>(*part)});
        return found;
    }
    std::unique_ptr<Bank> foreign_bank(std::size_t) const override { return nullptr; }
    std::shared_ptr<const Parameters> kept() const override { return std::make_shared<KeptParameters>(*this); }

   private:
    const Value& at(const char* name) const {
        const auto found = values.find(name);
        if (found == values.end()) throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
        return found->second;
    }
    template <class T>
    const T& get(const char* name) const {
        if (const T* value = std::get_if<T>(&at(name))) return *value;
        throw std::invalid_argument(std::string("parameter '") + name + "' is of another type");
    }
};

}  // namespace onlineboost
