// Arrays of NumPy that own what was made natively.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace onlineboost {

template <class T>
nanobind::object array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(kept->data(), {kept->size()}, owner));
}

template <class T>
nanobind::object array_of(std::unique_ptr<T[]> values, std::size_t size) {
    T* kept = values.release();
    const nanobind::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(kept, {size}, owner));
}

}  // namespace onlineboost
