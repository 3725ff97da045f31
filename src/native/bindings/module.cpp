// The Python module onlineboost._core: arrays in, arrays out, one call per batch.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/build.hpp"
#include "bindings/classes.hpp"
#include "bindings/cycles.hpp"
#include "bindings/gil.hpp"
#include "bindings/sources.hpp"
#include "bindings/state.hpp"
#include "bindings/text.hpp"
#include "boosters/simplex.hpp"
#include "engine/crew.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace nb = nanobind;

#ifdef ONLINEBOOST_FAIL_ALLOCATIONS
std::int64_t fail_allocation(std::int64_t n);  // engine/fail_allocation.cpp
#endif

namespace {

[[noreturn]] void refuse_column(std::int64_t column, std::size_t row, std::size_t columns) {
    if (column < 0 || static_cast<std::size_t>(column) >= columns)
        throw nb::value_error(("the sparse matrix has the column index " + std::to_string(column) + " in row " + std::to_string(row) +
                               ", outside 0 to " + std::to_string(columns) + " - 1: rebuild it")
                                  .c_str());
    throw nb::index_error(("X has the column " + std::to_string(column) + " in row " + std::to_string(row) + ", and columns are numbered from 0 to " +
                           std::to_string(kMostColumns - 1) + ": renumber or hash them first.")
                              .c_str());
}

// 0 if every row's indices ascend strictly, 1 if some are unsorted or repeated; throws where an index is out of range (IndexError: of those that a model takes).
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

// Labels are +-1 and weights finite and >= 0, one per row; nothing of the model has been touched when this throws.
void check_labels(const Source& source, const In& y, const std::optional<In>& s) {
    require(y.shape(0) == source.rows(), "there must be one label per row");
    for (std::size_t r = 0; r < y.shape(0); ++r) require(y.data()[r] == 1.0 || y.data()[r] == -1.0, "labels must be +1 or -1 here");
    if (!s) return;
    require(s->shape(0) == source.rows(), "there must be one weight per row");
    for (std::size_t r = 0; r < s->shape(0); ++r)
        require(s->data()[r] >= 0.0 && s->data()[r] <= 1e15, "sample weights must be between 0 and 1e15");
}

double* pointer(std::optional<Out>& out, const Source& source) {
    if (!out) return nullptr;
    require(out->shape(0) == source.rows(), "an output array must have one value per row");
    return out->data();
}

void learn(Model& model, const SourcePtr& source, const In& y, const std::optional<In>& s, std::optional<Out> margins,
           std::optional<Out> probabilities, std::optional<Out> expected, std::optional<Grid> outputs) {
    check_labels(*source, y, s);
    if (outputs)
        require(outputs->shape(0) == source->rows() && outputs->shape(1) == model.learners(), "outputs must be rows times learners");
    const Model::Report report{pointer(margins, *source), pointer(probabilities, *source), pointer(expected, *source),
                               outputs ? outputs->data() : nullptr};
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    model.learn(*source, y.data(), weights, report);
}

void predict(const Model& model, const SourcePtr& source, Out margins, std::optional<Out> probabilities) {
    require(margins.shape(0) == source->rows(), "an output array must have one value per row");
    double* p = pointer(probabilities, *source);
    const GilRelease unlocked;
    model.predict(*source, margins.data(), p);
}

std::vector<std::string> kernel_names() {
    const char* names[8];
    const std::size_t count = available_kernels(names, 8);
    return {names, names + count};
}

}  // namespace

NB_MODULE(_core, m) {
    using namespace nb::literals;
#ifndef ONLINEBOOST_FAIL_ALLOCATIONS
    nb::set_leak_warnings(false);  // a daemon thread may hold a model to the end; the tests' build reports the rest
#endif
    m.doc() = "The native engine of onlineboost. Private: use the estimators.";

    nb::class_<Model>(m, "Model", nb::type_slots(cycle_slots<Model>()), "A bank of weak learners, a booster and a calibration.")
        .def(
            "__init__",
            [](Model* self, std::size_t learners, nb::dict bank, nb::dict booster) {
                new (self) Model(build_bank(Parameters(bank), learners), build_booster(Parameters(booster), learners));
            },
            "learners"_a, "bank"_a, "booster"_a)
        .def(
            "learn_dense",
            [](Model& self, const Matrix& x, const In& y, std::optional<In> s, std::optional<Out> margins, std::optional<Out> probabilities,
               std::optional<Out> expected, std::optional<Grid> outputs) {
                learn(self, dense_source(x), y, s, margins, probabilities, expected, outputs);
            },
            "x"_a, "y"_a, "s"_a.none() = nb::none(), "margins"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(),
            "expected"_a.none() = nb::none(), "outputs"_a.none() = nb::none(), "Test, then train on each row in order.")
        .def(
            "learn_sparse",
            [](Model& self, const Line& data, const Line& indices, const Line& starts, const In& y, std::optional<In> s,
               std::optional<Out> margins, std::optional<Out> probabilities, std::optional<Out> expected, std::optional<Grid> outputs) {
                learn(self, sparse_source(data, indices, starts), y, s, margins, probabilities, expected, outputs);
            },
            "data"_a, "indices"_a, "starts"_a, "y"_a, "s"_a.none() = nb::none(), "margins"_a.none() = nb::none(),
            "probabilities"_a.none() = nb::none(), "expected"_a.none() = nb::none(), "outputs"_a.none() = nb::none(), "The same for CSR arrays.")
        .def(
            "learn_dict",
            [](Model& self, const nb::dict& x, nb::dict keys, int mode, double y, double s) {
                require(y == 1.0 || y == -1.0, "labels must be +1 or -1 here");
                require(s >= 0.0 && s <= 1e15, "sample weights must be between 0 and 1e15");
                std::vector<nb::object> unknown;
                const SourcePtr source = dict_source(x, keys, mode, unknown);
                if (s == 0.0) unknown.clear();
                const std::size_t first = first_unknown(keys, mode);
                for (std::size_t k = 0; k < unknown.size(); ++k) keys[unknown[k]] = nb::int_(first + k);
                try {
                    const GilRelease unlocked;
                    self.learn(*source, &y, &s, {});
                } catch (...) {  // a bank in Python
                    for (const nb::object& key : unknown) nb::del(keys[key]);
                    throw;
                }
            },
            "x"_a, "keys"_a, "mode"_a, "y"_a, "s"_a, "Learn one example given as a dict; new keys are added to `keys`.")
        .def(
            "learn_row",
            [](Model& self, nb::handle x, std::size_t columns, double y, double s) {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return false;
                require(y == 1.0 || y == -1.0, "labels must be +1 or -1 here");
                require(s >= 0.0 && s <= 1e15, "sample weights must be between 0 and 1e15");
                const GilRelease unlocked;
                self.learn(source, &y, &s, {});
                return true;
            },
            "x"_a, "columns"_a, "y"_a, "s"_a,
            "Learn one example given as a plain 1-D array; False, and nothing done, if it is not one (see one_row.hpp).")
        .def(
            "predict_dense",
            [](const Model& self, const Matrix& x, Out margins, std::optional<Out> probabilities) {
                predict(self, dense_source(x), margins, probabilities);
            },
            "x"_a, "margins"_a, "probabilities"_a.none() = nb::none())
        .def(
            "predict_sparse",
            [](const Model& self, const Line& data, const Line& indices, const Line& starts, Out margins, std::optional<Out> probabilities) {
                predict(self, sparse_source(data, indices, starts), margins, probabilities);
            },
            "data"_a, "indices"_a, "starts"_a, "margins"_a, "probabilities"_a.none() = nb::none())
        .def(
            "predict_dict",
            [](const Model& self, const nb::dict& x, nb::dict keys, int mode) {
                std::vector<nb::object> unknown;
                const SourcePtr source = dict_source(x, keys, mode, unknown);
                double margin = 0.0, probability = 0.0;
                {
                    const GilRelease unlocked;
                    self.predict(*source, &margin, &probability);
                }
                return nb::make_tuple(margin, probability);
            },
            "x"_a, "keys"_a, "mode"_a, nb::sig("def predict_dict(self, x: dict, keys: dict, mode: int) -> tuple[float, float]"),
            "Margin and probability of one example given as a dict.")
        .def(
            "predict_row",
            [](const Model& self, nb::handle x, std::size_t columns) -> nb::object {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return nb::none();
                double margin = 0.0, probability = 0.0;
                {
                    const GilRelease unlocked;
                    self.predict(source, &margin, &probability);
                }
                return nb::make_tuple(margin, probability);
            },
            "x"_a, "columns"_a, nb::sig("def predict_row(self, x: object, columns: int) -> tuple[float, float] | None"),
            "Margin and probability of one example given as a plain 1-D array; None if it is not one.")
        .def(
            "state",
            [](Model& self) {
                SaveArchive archive;
                {
                    const GilRelease unlocked;  // a writer that runs a bank in Python needs it to finish
                    self.serialise(archive);
                }
                return archive.fields;
            },
            "Everything the model has learned, as a dictionary of arrays.")
        .def(
            "booster_state",
            [](Model& self) {
                SaveArchive archive;
                {
                    const GilRelease unlocked;
                    self.save_booster(archive);
                }
                return archive.fields;
            },
            "The booster's part of state(), and the rounds: small, however many features there are.")
        .def(
            "load",
            [](Model& self, nb::dict fields) {
                LoadArchive archive(fields);
                const GilRelease unlocked;
                self.serialise(archive);
                archive.finish();
            },
            "fields"_a, "Restores state() into a model that was just made with the same parameters.")
        .def_prop_ro("rounds", &Model::rounds, nb::call_guard<GilRelease>(), "Examples learned.")
        .def_prop_ro("features", &Model::features, nb::call_guard<GilRelease>(), "Features met.")
        .def_prop_rw("threads", &Model::threads, &Model::set_threads, "Among how many threads a sweep may be split.");

    m.def(
        "csr_order",
        [](const Line& data, const Line& indices, const Line& starts, std::size_t columns) {
            sparse_source(data, indices, starts);  // its checks make the walk below safe
            return indices.dtype() == nb::dtype<std::int32_t>() ? csr_order<std::int32_t>(indices, starts, columns)
                                                                : csr_order<std::int64_t>(indices, starts, columns);
        },
        "data"_a, "indices"_a, "starts"_a, "columns"_a, "0: canonical CSR; 1: unsorted or repeated indices; ValueError: not CSR.");
    m.def("instruction_sets", &kernel_names, "The instruction sets that this processor runs, narrowest first.");
    m.def("instruction_set", [] { return std::string(kernels().name); }, "The one in use.");
    m.def(
        "use_instruction_set", [](const std::string& name) { require(select_kernels(name.c_str()), "this processor has no such instruction set"); },
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
        "x"_a, "exps"_a, "logs"_a, "For tests: the engine's exp, and its log where x > 0.");
    m.def(
        "project_simplex",
        [](Out v, const std::string& method, std::uint64_t seed) {
            const std::size_t n = v.shape(0);
            require(n > 0, "the vector must not be empty");
            require(method == "newton" || method == "sort" || method == "pivot", "the method must be newton, sort or pivot");
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
    m.def("set_split_threshold", &Crew::set_threshold, "numbers"_a, "For tests and benchmarks: results do not depend on it.");
#ifdef ONLINEBOOST_FAIL_ALLOCATIONS
    m.def("fail_allocation", &fail_allocation, "n"_a,
          "For tests: the n-th allocation of the engine from now on fails; gives how many were left of the last count.");
#endif
    bind_text(m);
    bind_classes(m);
    m.def("poisson", &poisson, "rate"_a, "seed"_a, "learner"_a, "round"_a, "For tests: one draw of OzaBoost.");
}

}  // namespace onlineboost
