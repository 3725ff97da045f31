#include "bindings/python_bank.hpp"

#include "bindings/gil.hpp"
#include "engine/missing.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

namespace onlineboost {

namespace {

constexpr std::size_t kWidest = std::size_t{1} << 24;

nb::object own_array(std::unique_ptr<double[]> values, std::size_t count) {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
    double* held = values.release();
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(held, {count}, owner));
}

// A NumPy array that owns a copy of `count` values: a bank may keep what it is given.
nb::object copy_array(const double* values, std::size_t count) {
    std::unique_ptr<double[]> copy(new double[count > 0 ? count : 1]);
    std::copy(values, values + count, copy.get());
    return own_array(std::move(copy), count);
}

}  // namespace

PythonBank::PythonBank(nb::object bank, std::size_t learners, std::size_t features)
    : Bank(learners), bank_(std::move(bank)), features_(features), meets_(nb::hasattr(bank_, "meet")),
      regresses_(nb::hasattr(bank_, "regress")), undoes_(nb::hasattr(bank_, "undo")) {}

PythonBank::~PythonBank() {
    const GilAcquire gil;
    bank_.reset();
}

nb::object PythonBank::dense_row(const Scratch& scratch) const {
    const Row& row = *scratch.row;
    std::size_t width = features_, size = row.size();
    if (!row.gaps.empty())  // it sees the means, and no indicators: these have no columns
        while (size > 0 && row.ids[size - 1] >= kIndicators) --size;
    if (size > 0) width = std::max(width, static_cast<std::size_t>(row.ids[size - 1]) + 1);
    if (width > features_ && width > (std::size_t{1} << 31))
        throw std::invalid_argument(
            "a bank in Python sees features by column number; do not mix integer and other keys in one model");
    if (width > kWidest)
        throw std::invalid_argument("a bank in Python sees dense rows: " + std::to_string(width) +
                                    " columns are more than it can take (" + std::to_string(kWidest) + ")");
    std::unique_ptr<double[]> values(new double[width > 0 ? width : 1]());
    for (std::size_t k = 0; k < size; ++k) values[row.ids[k]] = row.raw[k];
    return own_array(std::move(values), width);
}

void PythonBank::score(Scratch& scratch) const {
    in_python([&] {
        const nb::object result = bank_.attr("predict")(dense_row(scratch));
        nb::ndarray<const double, nb::ndim<1>, nb::device::cpu> h;
        if (!nb::try_cast(result, h) || h.shape(0) != layout.learners)
            throw std::invalid_argument("the bank's predict(x) must return a float64 array of shape (" +
                                        std::to_string(layout.learners) + ",)");
        const auto view = h.view();
        for (std::size_t i = 0; i < layout.learners; ++i) {
            const double value = view(i);
            if (std::isnan(value))
                throw std::invalid_argument("the bank's predict(x) returned NaN for learner " + std::to_string(i));
            scratch.h[i] = std::clamp(value, -1.0, 1.0);
        }
    });
}

void PythonBank::meet(Scratch& scratch, const std::vector<FeatureId>&, std::size_t) {
    if (!meets_) return;
    in_python([&] { bank_.attr("meet")(dense_row(scratch)); });
}

void PythonBank::forget(std::size_t i) {
    in_python([&] { bank_.attr("forget")(i); });
}

void PythonBank::undo() {
    if (undoes_) in_python([&] { bank_.attr("undo")(); });
}

void PythonBank::update(Scratch& scratch, double y, const double* w) {
    in_python([&] { bank_.attr("update")(dense_row(scratch), y, copy_array(w, layout.learners)); });
}

void PythonBank::regress(Scratch& scratch, double y, const double* pull, const double* w) {
    if (!regresses_) return update(scratch, y, pull);
    in_python([&] {
        std::vector<double> targets(layout.learners);
        for (std::size_t i = 0; i < layout.learners; ++i) targets[i] = w[i] > 0.0 ? y * pull[i] / w[i] : 0.0;
        bank_.attr("regress")(dense_row(scratch), copy_array(targets.data(), targets.size()),
                              copy_array(w, layout.learners));
    });
}

double PythonBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    return in_python([&] {
        double h = 0.0;
        if (!nb::try_cast(bank_.attr("step")(i, dense_row(scratch), y, w, times), h))
            throw std::invalid_argument("the bank's step(...) must return a number");
        if (std::isnan(h))
            throw std::invalid_argument("the bank's step(...) returned NaN for learner " + std::to_string(i));
        return std::clamp(h, -1.0, 1.0);
    });
}

}  // namespace onlineboost
