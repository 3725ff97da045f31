// The parameter dictionaries of the Python side, which has validated ranges and names.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/python_bank.hpp"
#include "engine/build.hpp"

namespace onlineboost {

class DictParameters final : public Parameters {
   public:
    explicit DictParameters(nb::dict values) : values_(std::move(values)) {}

    bool has(const char* name) const override { return values_.contains(name); }
    double number(const char* name) const override { return get<double>(name); }
    std::uint64_t whole(const char* name) const override { return get<std::uint64_t>(name); }
    bool flag(const char* name) const override { return get<bool>(name); }
    std::string text(const char* name) const override { return get<std::string>(name); }
    std::unique_ptr<Parameters> inside(const char* name) const override {
        return std::make_unique<DictParameters>(get<nb::dict>(name));
    }
    // A list of dicts that name their learners, or of pairs (learners, dict).
    std::vector<Part> parts(const char* name) const override {
        std::vector<Part> found;
        for (const nb::handle one : get<nb::list>(name)) {
            if (nb::isinstance<nb::tuple>(one)) {
                const auto pair = nb::cast<nb::tuple>(one);
                found.push_back(
                    {nb::cast<std::size_t>(pair[0]), std::make_unique<DictParameters>(nb::cast<nb::dict>(pair[1]))});
            } else {
                auto part = std::make_unique<DictParameters>(nb::cast<nb::dict>(one));
                found.push_back({part->count("learners"), std::move(part)});
            }
        }
        return found;
    }
    std::unique_ptr<Bank> foreign_bank(std::size_t learners) const override {
        if (kind() != "python") return nullptr;
        return std::make_unique<PythonBank>(get<nb::object>("bank"), learners, count("features"));
    }

   private:
    template <class T>
    T get(const char* name) const {
        if (!values_.contains(name)) throw std::invalid_argument(std::string("parameter '") + name + "' is missing");
        if constexpr (std::is_same_v<T, std::string>) {  // nanobind's own conversion does not survive a lack of memory
            const nb::object value = values_[name];
            const char* text = PyUnicode_AsUTF8(value.ptr());
            if (!text) throw nb::python_error();
            return text;
        } else {
            return nb::cast<T>(values_[name]);
        }
    }

    nb::dict values_;
};

}  // namespace onlineboost
