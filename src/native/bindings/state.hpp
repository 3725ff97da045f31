// A model's state as a Python dictionary of arrays, both ways. Called without the GIL, which is taken for each field:
// whoever waits for a model's lock must not hold it.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bindings/gil.hpp"
#include "engine/archive.hpp"

namespace onlineboost {

namespace nb = nanobind;

class SaveArchive final : public Archive {
   public:
    bool loading() const override { return false; }
    bool has(const std::string&) const override { return true; }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        double* copy = fresh<double>(name, {size});
        std::copy(values, values + size, copy);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        std::int64_t* copy = fresh<std::int64_t>(name, {values.size()});
        std::copy(values.begin(), values.end(), copy);
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        double* copy = fresh<double>(name, {rows, learners});
        for (std::size_t r = 0; r < rows; ++r) std::copy(table.row(r), table.row(r) + learners, copy + r * learners);
    }
    nb::dict fields;

   private:
    template <class T>
    T* fresh(const std::string& name, std::vector<std::size_t> shape) {
        return in_python([&] {
            if (fields.contains(name.c_str())) throw std::logic_error("state field '" + name + "' has two owners");
            std::size_t size = 1;
            for (const std::size_t n : shape) size *= n;
            std::unique_ptr<T[]> data(new T[size > 0 ? size : 1]);
            nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
            T* held = data.release();
            fields[name.c_str()] = nb::cast(nb::ndarray<nb::numpy, T>(held, shape.size(), shape.data(), owner));
            return held;
        });
    }
};

class LoadArchive final : public Archive {
   public:
    explicit LoadArchive(nb::dict fields) : fields_(std::move(fields)) {}
    bool loading() const override { return true; }
    bool has(const std::string& name) const override {
        const GilAcquire gil;
        return fields_.contains(name.c_str());
    }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        const GilAcquire gil;
        const auto array = get<double>(name, {size});
        copy_finite(name, array.data(), size, values);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        const GilAcquire gil;
        const auto array = get<std::int64_t>(name, {kAnySize});
        values.assign(array.data(), array.data() + array.size());
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        const GilAcquire gil;
        const auto array = get<double>(name, {rows, learners});
        while (table.rows() < rows) table.append();
        for (std::size_t r = 0; r < rows; ++r) copy_finite(name, array.data() + r * learners, learners, table.row(r));
    }

    // After the last field: there must be no others.
    void finish() const {
        const GilAcquire gil;
        if (fields_.size() != read_)
            throw std::invalid_argument("the state has fields that such a model does not have");
    }

   private:
    static constexpr std::size_t kAnySize = ~std::size_t{0};
    template <class T>
    using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

    template <class T>
    Array<T> get(const std::string& name, std::initializer_list<std::size_t> shape) {
        Array<T> array;
        if (!fields_.contains(name.c_str()) || !nb::try_cast(fields_[name.c_str()], array, false))  // no conversions
            throw std::invalid_argument("state field '" + name + "' is missing or of the wrong type");
        bool fits = array.ndim() == shape.size();
        for (std::size_t d = 0; fits && d < array.ndim(); ++d)
            fits = shape.begin()[d] == kAnySize || array.shape(d) == shape.begin()[d];
        if (!fits) throw std::invalid_argument("state field '" + name + "' has the wrong shape");
        ++read_;
        return array;
    }
    static void copy_finite(const std::string& name, const double* from, std::size_t size, double* to) {
        for (std::size_t i = 0; i < size; ++i) {
            check(std::abs(from[i]) <= kLargest, name);  // false for NaN too
            to[i] = from[i];
        }
    }
    nb::dict fields_;
    std::size_t read_ = 0;
};

}  // namespace onlineboost
