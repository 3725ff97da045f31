// The parameter dictionaries of the Python side, which has validated ranges and names.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/python_bank.hpp"
#include "engine/build.hpp"
#include "engine/kept_parameters.hpp"
#include "engine/stored_parameters.hpp"

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
    // Without what no component reads as a number, a name or parts.
    std::shared_ptr<const Parameters> kept() const override { return keep(values_); }

   private:
    static KeptParameters::Nested keep(const nb::dict& from) {
        auto made = std::make_shared<KeptParameters>();
        for (const auto [key, value] : from) {
            KeptParameters::Value& to = made->values[nb::cast<std::string>(key)];
            if (nb::isinstance<nb::bool_>(value))
                to = nb::cast<bool>(value);
            else if (std::uint64_t whole; nb::isinstance<nb::int_>(value) && nb::try_cast(value, whole))
                to = whole;
            else if (nb::isinstance<nb::int_>(value) || nb::isinstance<nb::float_>(value))
                to = nb::cast<double>(value);
            else if (nb::isinstance<nb::str>(value))
                to = std::string(nb::cast<nb::str>(value).c_str());
            else if (nb::isinstance<nb::dict>(value))
                to = keep(nb::cast<nb::dict>(value));
            else if (nb::isinstance<nb::list>(value))
                to = keep_parts(nb::cast<nb::list>(value));
            else
                made->values.erase(nb::cast<std::string>(key));
        }
        return made;
    }
    static std::vector<std::pair<std::size_t, KeptParameters::Nested>> keep_parts(const nb::list& from) {
        std::vector<std::pair<std::size_t, KeptParameters::Nested>> parts;
        for (const nb::handle one : from) {
            if (nb::isinstance<nb::tuple>(one)) {
                const auto pair = nb::cast<nb::tuple>(one);
                parts.emplace_back(nb::cast<std::size_t>(pair[0]), keep(nb::cast<nb::dict>(pair[1])));
            } else if (nb::isinstance<nb::dict>(one)) {
                const auto stored = keep(nb::cast<nb::dict>(one));
                parts.emplace_back(stored->count("learners"), stored);
            }
        }
        return parts;
    }
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

// The same dictionary, copied: the engine keeps it.
inline StoredParameters stored_parameters(const nb::dict& values) {
    StoredParameters made;
    for (const auto& [key, value] : values) {
        const std::string name = nb::cast<std::string>(key);
        if (PyBool_Check(value.ptr())) {
            made.set(name, value.is(Py_True));
        } else if (PyLong_Check(value.ptr())) {
            const std::uint64_t whole = PyLong_AsUnsignedLongLong(value.ptr());
            const bool fits = !PyErr_Occurred();
            PyErr_Clear();
            if (fits)
                made.set(name, whole);
            else
                made.set(name, PyLong_AsDouble(value.ptr()));
        } else if (PyFloat_Check(value.ptr())) {
            made.set(name, PyFloat_AsDouble(value.ptr()));
        } else if (nb::isinstance<nb::str>(value)) {
            made.set(name, nb::cast<std::string>(value));
        } else if (nb::isinstance<nb::dict>(value)) {
            made.set(name, std::vector{stored_parameters(nb::cast<nb::dict>(value))});
        } else if (nb::isinstance<nb::list>(value)) {
            StoredParameters::Parts parts;
            for (const nb::handle one : nb::cast<nb::list>(value)) {
                if (nb::isinstance<nb::tuple>(one)) {
                    const auto pair = nb::cast<nb::tuple>(one);
                    parts.emplace_back(nb::cast<std::size_t>(pair[0]), stored_parameters(nb::cast<nb::dict>(pair[1])));
                } else {
                    const auto part = nb::cast<nb::dict>(one);
                    parts.emplace_back(nb::cast<std::size_t>(part["learners"]), stored_parameters(part));
                }
            }
            made.set(name, std::move(parts));
        }  // what else there is, such as None, the engine does not ask for
    }
    return made;
}

}  // namespace onlineboost
