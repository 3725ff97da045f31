// The Python module onlineboost._core: arrays in, arrays out, one call per batch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/drift.hpp"
#include "bindings/metrics.hpp"
#include "bindings/models.hpp"
#include "bindings/sources.hpp"
#include "bindings/text.hpp"
#include "boosters/simplex.hpp"
#include "engine/crew.hpp"
#include "engine/random.hpp"
#include "engine/slice.hpp"
#include "engine/storage.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace nb = nanobind;

#ifdef ONLINEBOOST_FAIL_ALLOCATIONS
std::int64_t fail_allocation(std::int64_t n);  // testing/fail_allocation.cpp
#endif

namespace {

[[noreturn]] void refuse_column(std::int64_t column, std::size_t row, std::size_t columns) {
    if (column < 0 || static_cast<std::size_t>(column) >= columns)
        throw nb::value_error(("the sparse matrix has the column index " + std::to_string(column) + " in row " +
                               std::to_string(row) + ", outside 0 to " + std::to_string(columns) + " - 1: rebuild it")
                                  .c_str());
    throw nb::index_error(("X has the column " + std::to_string(column) + " in row " + std::to_string(row) +
                           ", and columns are numbered from 0 to " + std::to_string(kMostColumns - 1) +
                           ": renumber or hash them first.")
                              .c_str());
}

// 0 if every row's indices ascend strictly, 1 if some are unsorted or repeated; throws where an index is out of range
// (IndexError: of those that a model takes).
template <class Index>
int csr_order(const Line& indices, const Line& starts, std::size_t columns) {
    const auto* index = static_cast<const Index*>(indices.data());
    const auto* at = static_cast<const volatile Index*>(starts.data());  // read once: another thread may write there
    const std::size_t most = std::min(columns, kMostColumns);
    int order = 0;
    for (std::size_t r = 0; r + 1 < starts.shape(0); ++r) {
        Index before = -1;
        const Index from = at[r], to = at[r + 1];
        if (from < 0 || to < from || static_cast<std::size_t>(to) > indices.shape(0)) changed_meanwhile();
        for (Index k = from; k < to; ++k) {
            const Index column = index[k];
            if (column < 0 || static_cast<std::size_t>(column) >= most) refuse_column(column, r, columns);
            if (column <= before) order = 1;
            before = column;
        }
    }
    return order;
}

// The engine keeps one table of types, one crew of threads and one lock per model for the process, and counts on the
// GIL wherever it touches Python.
void check_interpreter() {
    if (PyInterpreterState_Get() != PyInterpreterState_Main())
        throw nb::import_error(
            "onlineboost works in the main interpreter only: use threads or processes in place of sub-interpreters.");
    const nb::module_ sys = nb::module_::import_("sys");
    if (nb::hasattr(sys, "_is_gil_enabled") && !nb::cast<bool>(sys.attr("_is_gil_enabled")()))
        throw nb::import_error("onlineboost needs the GIL: start Python without PYTHON_GIL=0 and without -X gil=0.");
}

std::vector<std::string> kernel_names() {
    const char* names[8];
    const std::size_t count = available_kernels(names, 8);
    return {names, names + count};
}

}  // namespace

NB_MODULE(_core, m) {
    using namespace nb::literals;
    check_interpreter();
#ifndef ONLINEBOOST_FAIL_ALLOCATIONS
    nb::set_leak_warnings(false);  // a daemon thread may hold a model to the end; the tests' build reports the rest
#endif
    m.doc() = "The native engine of onlineboost. Private: use the estimators.";

    bind_model(m);
    bind_classes(m);
    bind_multiclass(m);
    bind_keyed(m);
    bind_labels(m);
    bind_text(m);
    bind_drift(m);
    bind_metrics(m);

    m.def(
        "csr_order",
        [](const Line& data, const Line& indices, const Line& starts, std::size_t columns) {
            sparse_source(data, indices, starts)->check();
            return indices.dtype() == nb::dtype<std::int32_t>() ? csr_order<std::int32_t>(indices, starts, columns)
                                                                : csr_order<std::int64_t>(indices, starts, columns);
        },
        "data"_a, "indices"_a, "starts"_a, "columns"_a,
        "0: canonical CSR; 1: unsorted or repeated indices; ValueError: not CSR.");
    m.def("instruction_sets", &kernel_names, "The instruction sets that this processor runs, narrowest first.");
    m.def("instruction_set", [] { return std::string(kernels().name); }, "The one in use.");
    m.def(
        "use_instruction_set",
        [](const std::string& name) {
            require(select_kernels(name.c_str()), "this processor has no such instruction set");
        },
        "name"_a, "For tests: results do not depend on it.");
    m.def(
        "exp_log",
        [](const In& x, Out exps, Out logs) {
            require(x.shape(0) == exps.shape(0) && x.shape(0) == logs.shape(0), "arrays must have one length");
            for (std::size_t i = 0; i < x.shape(0); ++i) {
                exps.data()[i] = kernels().exp(x.data()[i]);
                logs.data()[i] = x.data()[i] > 0.0 ? kernels().log(x.data()[i]) : 0.0;
            }
        },
        "x"_a, "exps"_a, "logs"_a,
        "The engine's exp of each x, and its log where x > 0: the same bits on every machine.");
    m.def(
        "project_simplex",
        [](Out v, const std::string& method, std::uint64_t seed) {
            const std::size_t n = v.shape(0);
            require(n > 0, "the vector must not be empty");
            require(method == "newton" || method == "sort" || method == "pivot",
                    "the method must be newton, sort or pivot");
            Vector work(round_up(n));
            if (method == "pivot") return project_by_pivots(v.data(), n, work.data(), seed, 0);
            if (method == "sort") return project_by_sorting(v.data(), n, work.data());
            Vector from(round_up(n)), none(round_up(n));  // the positive values are the first set
            std::copy_n(v.data(), n, from.data());
            kernels().simplex_step(from.data(), none.data(), 0.0, work.data(), n);
            std::copy_n(from.data(), n, v.data());
        },
        "v"_a, "method"_a = "newton", "seed"_a = 0, "For tests: projects v onto the probability simplex, in place.");
    m.attr("MOST_THREADS") = Crew::kMostThreads;
    m.def("split_threshold", &Crew::threshold, "The numbers that a sweep must have to be split among threads.");
    m.def("set_split_threshold", &Crew::set_threshold, "numbers"_a,
          "For tests and benchmarks: results do not depend on it.");
    m.def("set_slice_seconds", &Slice::set_seconds, "seconds"_a,
          "For tests: the time after which a call of learn_dense or learn_sparse stops between two rows; 0: none.");
#ifdef ONLINEBOOST_FAIL_ALLOCATIONS
    m.def(
        "fail_allocation", &fail_allocation, "n"_a,
        "For tests: the n-th allocation of the engine from now on fails; gives how many were left of the last count.");
#endif
    m.def("poisson", &poisson, "rate"_a, "seed"_a, "learner"_a, "round"_a, "For tests: one draw of OzaBoost.");
}

}  // namespace onlineboost
