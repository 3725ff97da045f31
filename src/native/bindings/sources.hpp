// Batches, dicts and arrays on their way from Python to a Source, for both kinds of models.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/objects.hpp"
#include "bindings/one_row.hpp"

namespace onlineboost {

namespace nb = nanobind;

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Line = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using In = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Grid = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SourcePtr = std::unique_ptr<Source>;

inline void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

inline SourcePtr dense_source(const Matrix& x) {
    const std::size_t rows = x.shape(0), columns = x.shape(1);
    if (columns > kMostColumns)
        throw nb::value_error(("X has " + std::to_string(columns) + " columns, and a model takes " +
                               std::to_string(kMostColumns) + ": select, renumber or hash them first.")
                                  .c_str());
    if (x.dtype() == nb::dtype<double>())
        return std::make_unique<DenseSource<double>>(static_cast<const double*>(x.data()), rows, columns, x.stride(0),
                                                     x.stride(1));
    require(x.dtype() == nb::dtype<float>(), "a dense batch must be float32 or float64");
    return std::make_unique<DenseSource<float>>(static_cast<const float*>(x.data()), rows, columns, x.stride(0),
                                                x.stride(1));
}

template <class T, class Index>
SourcePtr sparse_source_of(const Line& data, const Line& indices, const Line& starts) {
    return std::make_unique<SparseSource<T, Index>>(
        static_cast<const T*>(data.data()), static_cast<const Index*>(indices.data()),
        static_cast<const Index*>(starts.data()), starts.shape(0) - 1, std::min(data.shape(0), indices.shape(0)));
}

inline SourcePtr sparse_source(const Line& data, const Line& indices, const Line& starts) {
    const auto contiguous = [](const Line& line) {
        return line.shape(0) <= 1 || line.stride(0) == 1;
    };  // NumPy's stride of nothing is 0
    require(starts.shape(0) >= 1 && contiguous(data) && contiguous(indices) && contiguous(starts),
            "CSR arrays must be contiguous");
    require(indices.dtype() == starts.dtype(), "CSR indices and indptr must have one type");
    const bool wide = data.dtype() == nb::dtype<double>();
    require(wide || data.dtype() == nb::dtype<float>(), "CSR data must be float32 or float64");
    if (indices.dtype() == nb::dtype<std::int32_t>())
        return wide ? sparse_source_of<double, std::int32_t>(data, indices, starts)
                    : sparse_source_of<float, std::int32_t>(data, indices, starts);
    require(indices.dtype() == nb::dtype<std::int64_t>(), "CSR indices must be int32 or int64");
    return wide ? sparse_source_of<double, std::int64_t>(data, indices, starts)
                : sparse_source_of<float, std::int64_t>(data, indices, starts);
}

// How the keys of a dict row become feature ids. Columns: an integer key is a column number. Named: keys are numbered
// as they come.
enum class Keys { kNamed, kColumns, kColumnsOnly };

constexpr std::size_t kNamedFrom = kMostColumns;

// The id of the next key that has none: beside columns, other keys are numbered from 2^31 on (kColumnsOnly refuses
// them).
inline std::size_t first_unknown(const nb::dict& keys, int mode) {
    return keys.size() + (mode != static_cast<int>(Keys::kNamed) ? kNamedFrom : 0);
}

// `keys` maps what was met to ids. Unknown keys are listed in `unknown`, in the order of the ids that learning them now
// would give.
inline SourcePtr dict_source(const nb::dict& x, const nb::dict& keys, int mode, std::vector<nb::object>& unknown) {
    const bool positional = mode != static_cast<int>(Keys::kNamed);
    auto source = std::make_unique<OneRow>();
    std::vector<std::pair<FeatureId, double>> entries;
    entries.reserve(x.size());
    const std::size_t known = first_unknown(keys, mode);
    for (auto [key, value] : x) {
        double number = std::nan("");
        if (!value.is_none() && !number_of(value.ptr(), number))
            throw nb::type_error(("feature " + shown_object(key.ptr()) + " has the value " + shown_object(value.ptr()) +
                                  ", which is not a number: encode it first")
                                     .c_str());
        if (std::abs(number) > kLargestInput)
            throw nb::value_error(("feature " + shown_object(key.ptr()) + " is " + shown_object(value.ptr()) +
                                   ": replace infinity and numbers beyond 1e100, or leave the feature out")
                                      .c_str());
        std::size_t id;
        if (positional && PyIndex_Check(key.ptr())) {
            const Py_ssize_t column = PyNumber_AsSsize_t(key.ptr(), nullptr);
            id = static_cast<std::size_t>(column);
            if (column < 0 || id >= kNamedFrom)
                throw nb::value_error(
                    ("feature " + shown_object(key.ptr()) + ": an integer key is a column number from 0 to 2147483647")
                        .c_str());
        } else if (mode == static_cast<int>(Keys::kColumnsOnly)) {
            throw nb::value_error(
                ("feature " + shown_object(key.ptr()) +
                 " has no column: this model learned from arrays without names, so use column numbers as keys")
                    .c_str());
        } else if (PyObject* found = PyDict_GetItemWithError(keys.ptr(), key.ptr())) {
            id = nb::cast<std::size_t>(nb::handle(found));
        } else {
            if (PyErr_Occurred()) throw nb::python_error();
            const nb::object unequal = nb::steal(PyObject_RichCompare(key.ptr(), key.ptr(), Py_NE));
            if (!unequal.is_valid()) throw nb::python_error();
            const int differs = PyObject_IsTrue(unequal.ptr());
            if (differs < 0) throw nb::python_error();
            if (differs > 0)  // NaN: it would be a new feature in every row
                throw nb::value_error(
                    ("the key " + shown_object(key.ptr()) + " does not equal itself: use another name for the feature")
                        .c_str());
            id = known + unknown.size();
            unknown.push_back(nb::borrow(key));
        }
        entries.emplace_back(static_cast<FeatureId>(id), number);
    }
    std::sort(entries.begin(), entries.end());
    for (std::size_t k = 1; k < entries.size(); ++k)
        if (entries[k - 1].first == entries[k].first)
            throw nb::value_error(
                ("two keys of the dict are column " + std::to_string(entries[k].first) + ": leave one of them out")
                    .c_str());
    source->given.ids.reserve(entries.size());
    source->given.raw.reserve(entries.size());
    for (const auto& [id, number] : entries) source->given.push(id, number);
    source->given.list_gaps();
    return source;
}

}  // namespace onlineboost
