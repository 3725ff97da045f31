// Parameters that the engine keeps, to build the banks of classes that begin later.
#pragma once
#include <map>
#include <utility>
#include <variant>

#include "engine/parameters.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

// All of a component's parameters and of those inside; they are for banks of many classes.
class StoredParameters final : public Parameters {
   public:
    using Parts = std::vector<std::pair<std::size_t, StoredParameters>>;
    using Value = std::variant<bool, std::uint64_t, double, std::string, std::vector<StoredParameters>, Parts>;

    void set(const std::string& name, Value value) { values_[name] = std::move(value); }

    bool many_classes() const override { return true; }
    bool has(const char* name) const override { return values_.contains(name); }
    double number(const char* name) const override {
        const Value& value = get(name);
        if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
        return of<double>(name);
    }
    std::uint64_t whole(const char* name) const override { return of<std::uint64_t>(name); }
    bool flag(const char* name) const override { return of<bool>(name); }
    std::string text(const char* name) const override { return of<std::string>(name); }
    std::unique_ptr<Parameters> inside(const char* name) const override {
        return std::make_unique<StoredParameters>(of<std::vector<StoredParameters>>(name).at(0));
    }
    std::vector<Part> parts(const char* name) const override {
        std::vector<Part> found;
        for (const auto& [learners, part] : of<Parts>(name))
            found.push_back({learners, std::make_unique<StoredParameters>(part)});
        return found;
    }
    std::unique_ptr<Bank> foreign_bank(std::size_t) const override { return nullptr; }
    std::shared_ptr<const Parameters> kept() const override { return std::make_shared<StoredParameters>(*this); }

   private:
    const Value& get(const char* name) const {
        const auto found = values_.find(name);
        if (found == values_.end()) throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
        return found->second;
    }
    template <class T>
    const T& of(const char* name) const {
        const T* value = std::get_if<T>(&get(name));
        if (!value) throw std::invalid_argument(std::string("parameter '") + name + "' is of the wrong type");
        return *value;
    }

    std::map<std::string, Value> values_;
};

}  // namespace onlineboost
