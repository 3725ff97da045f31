// What models of two classes and of many have in common as Python sees them.
//
// Whoever waits for a model's lock must not hold the GIL, because a bank in Python and state() take the GIL under the
// lock: every method gives it up before it calls the engine.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/gil.hpp"
#include "bindings/sources.hpp"
#include "bindings/state.hpp"

namespace onlineboost {

using namespace nb::literals;

inline void check_weight(double s) { require(s >= 0.0 && s <= 1e15, "sample weights must be between 0 and 1e15"); }

constexpr const char* kLearns =
    "Test, then train on each row in order, from `start` on; ends between two rows when its time is up. Gives the row "
    "to go on with.";

// One label and, if weights are given, one weight per row. What a whole batch is looked through for is not asked again
// in its middle.
template <class Labels>
void check_batch(const Source& source, const Labels& labels, const std::optional<In>& s, std::size_t start) {
    require(labels.shape(0) == source.rows(), "there must be one label per row");
    require(!s || s->shape(0) == source.rows(), "there must be one weight per row");
    require(start <= source.rows(), "there is no such row to start with");
    if (start > 0) return;
    source.check();
    for (std::size_t r = 0; s && r < s->shape(0); ++r) check_weight(s->data()[r]);
}

// `run` for rows given as a matrix and for rows given as CSR arrays.
template <class Engine, class Result, class Self, class... Arguments, class... Extra>
void bind_batches(nb::class_<Engine>& bound, const std::string& verb, const char* words,
                  Result (*run)(Self&, const Source&, Arguments...), const Extra&... extra) {
    bound.def((verb + "_dense").c_str(),
              [run](Self& self, const Matrix& x, Arguments... arguments) {
                  return run(self, *dense_source(x), std::move(arguments)...);
              },
              "x"_a, extra..., words);
    bound.def((verb + "_sparse").c_str(),
              [run](Self& self, const Line& data, const Line& indices, const Line& starts, Arguments... arguments) {
                  return run(self, *sparse_source(data, indices, starts), std::move(arguments)...);
              },
              "data"_a, "indices"_a, "starts"_a, extra..., "The same for CSR arrays.");
}

// One example, as a dict or as a plain 1-D array.
template <class Engine, class Label>
void bind_one_row(nb::class_<Engine>& bound, const char* label, const char* answer,
                  void (*learn)(Engine&, const Source&, Label, double),
                  nb::object (*predict)(const Engine&, const Source&)) {
    bound
        .def(
            "learn_dict",
            [learn](Engine& self, const nb::dict& x, nb::dict keys, int mode, Label y, double s) {
                std::vector<nb::object> unknown;
                const SourcePtr source = dict_source(x, keys, mode, unknown);
                if (s == 0.0) unknown.clear();
                const std::size_t first = first_unknown(keys, mode);
                for (std::size_t k = 0; k < unknown.size(); ++k) keys[unknown[k]] = nb::int_(first + k);
                try {
                    learn(self, *source, y, s);
                } catch (...) {  // a bad label, a bank in Python, or one that takes no more features
                    for (const nb::object& key : unknown) nb::del(keys[key]);
                    throw;
                }
            },
            "x"_a, "keys"_a, "mode"_a, nb::arg(label), "s"_a,
            "Learn one example given as a dict; new keys are added to `keys`.")
        .def(
            "learn_row",
            [learn](Engine& self, nb::handle x, std::size_t columns, Label y, double s) {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return false;
                learn(self, source, y, s);
                return true;
            },
            "x"_a, "columns"_a, nb::arg(label), "s"_a,
            "Learn one example given as a plain 1-D array; False, and nothing done, if it is not one (see "
            "one_row.hpp).")
        .def(
            "predict_dict",
            [predict](const Engine& self, const nb::dict& x, nb::dict keys, int mode) {
                std::vector<nb::object> unknown;
                return predict(self, *dict_source(x, keys, mode, unknown));
            },
            "x"_a, "keys"_a, "mode"_a,
            nb::sig(("def predict_dict(self, x: dict, keys: dict, mode: int) -> " + std::string(answer)).c_str()),
            "What is predicted for one example given as a dict.")
        .def(
            "predict_row",
            [predict](const Engine& self, nb::handle x, std::size_t columns) -> nb::object {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return nb::none();
                return predict(self, source);
            },
            "x"_a, "columns"_a,
            nb::sig(("def predict_row(self, x: object, columns: int) -> " + std::string(answer) + " | None").c_str()),
            "What is predicted for one example given as a plain 1-D array; None if it is not one.");
}

// The fields that `save` writes.
template <class Engine>
nb::dict saved(Engine& self, void (Engine::*save)(Archive&)) {
    SaveArchive archive;
    {
        const GilRelease unlocked;
        (self.*save)(archive);
    }
    return archive.fields;
}

template <class Engine>
void bind_state(nb::class_<Engine>& bound) {
    bound
        .def(
            "state", [](Engine& self) { return saved(self, &Engine::serialise); },
            "Everything the model has learned, as a dictionary of arrays.")
        .def(
            "summary", [](Engine& self) { return saved(self, &Engine::save_summary); },
            "What is kept of the stream: thresholds of prediction sets, and moments of the features.")
        .def(
            "load",
            [](Engine& self, nb::dict fields) {
                LoadArchive archive(fields);
                const GilRelease unlocked;
                self.serialise(archive);
                archive.finish();
            },
            "fields"_a, "Restores state() into a model that was just made with the same parameters.")
        .def_prop_ro("rounds", &Engine::rounds, nb::call_guard<GilRelease>(), "Examples learned.")
        .def_prop_ro("features", &Engine::features, nb::call_guard<GilRelease>(), "Features met.")
        .def_prop_rw("threads", &Engine::threads, &Engine::set_threads, "Among how many threads a sweep may be split.");
}

}  // namespace onlineboost
