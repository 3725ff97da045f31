#include "bindings/classes.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/build.hpp"
#include "bindings/cycles.hpp"
#include "bindings/gil.hpp"
#include "bindings/sources.hpp"
#include "bindings/state.hpp"
#include "boosters/adaboost_olm.hpp"
#include "boosters/mbbm.hpp"
#include "boosters/one_vs_rest.hpp"
#include "engine/classes.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<ClassBooster> build_class_booster(const Parameters& p, std::size_t learners) {
    const auto kind = p.get<std::string>("kind");
    if (kind == "adaboost_olm") return std::make_unique<AdaBoostOLM>(learners);
    if (kind == "mbbm") {
        require(learners <= Potential::kMostVotes, "OnlineMBBM takes fewer learners");
        return std::make_unique<MBBM>(learners, p.get<double>("gamma"));
    }
    if (kind == "one_vs_rest") return std::make_unique<OneVsRest>();
    throw std::invalid_argument("there is no booster '" + kind + "' of many classes");
}

// The garbage collector looks at the list of classes, with the GIL.
void with_gil(const std::function<void()>& change) {
    const GilAcquire gil;
    change();
}

double* grid(std::optional<Grid>& out, const Source& source, const Classes& model) {
    if (!out) return nullptr;
    require(out->shape(0) == source.rows() && out->shape(1) == model.count(), "an output array must have rows times classes");
    return out->data();
}

void learn(Classes& model, const SourcePtr& source, const Labels& labels, const std::optional<In>& s, std::optional<Grid> decisions,
           std::optional<Grid> probabilities) {
    require(labels.shape(0) == source->rows(), "there must be one label per row");
    if (s) {
        require(s->shape(0) == source->rows(), "there must be one weight per row");
        for (std::size_t r = 0; r < s->shape(0); ++r)
            require(s->data()[r] >= 0.0 && s->data()[r] <= 1e15, "sample weights must be between 0 and 1e15");
    }
    require(decisions.has_value() == probabilities.has_value(), "decisions and probabilities are reported together");
    double* d = grid(decisions, *source, model);
    double* p = grid(probabilities, *source, model);
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    model.learn(*source, labels.data(), weights, d, p);
}

void learn_one(Classes& model, const Source& source, std::int64_t label, double s) {
    require(s >= 0.0 && s <= 1e15, "sample weights must be between 0 and 1e15");
    const GilRelease unlocked;
    model.learn(source, &label, &s, nullptr, nullptr);
}

void predict(const Classes& model, const SourcePtr& source, Grid decisions, Grid probabilities) {
    require(decisions.shape(0) == source->rows() && probabilities.shape(0) == source->rows() && decisions.shape(1) == probabilities.shape(1),
            "an output array must have rows times classes");
    const GilRelease unlocked;
    model.predict(*source, decisions.shape(1), decisions.data(), probabilities.data());
}

nb::object predict_one(const Classes& model, const Source& source) {
    const std::size_t count = model.count();
    std::vector<double> decisions(count), probabilities(count);
    {
        const GilRelease unlocked;
        model.predict(source, count, decisions.data(), probabilities.data());
    }
    return nb::make_tuple(decisions, probabilities);
}

}  // namespace

void bind_classes(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "potential",
        [](double gamma, std::size_t n, std::vector<int> leads) {
            require(!leads.empty() && n <= Potential::kMostVotes, "a potential is of at least one rival and of a few votes");
            return Potential(gamma).value(n, std::move(leads));
        },
        "gamma"_a, "n"_a, "leads"_a, "For tests: the potential of OnlineMBBM.");
    m.attr("MOST_VOTES") = Potential::kMostVotes;
    m.def("class_seed", &class_seed, "seed"_a, "k"_a, "The seed of class k.");
    nb::class_<Classes>(m, "Classes", nb::type_slots(cycle_slots<Classes>()), "A bank of weak learners for each class, and what decides between the classes.")
        .def(
            "__init__",
            [](Classes* self, std::size_t learners, nb::dict booster) { new (self) Classes(learners, build_class_booster(Parameters(booster), learners)); },
            "learners"_a, "booster"_a)
        .def(
            "add",
            [](Classes& self, nb::dict bank, std::optional<nb::dict> booster) {
                auto made = build_bank(Parameters(bank), self.learners());
                auto own = booster ? build_booster(Parameters(*booster), self.learners()) : nullptr;
                const GilRelease unlocked;  // whoever has the lock may be waiting for the GIL
                self.add(std::move(made), std::move(own), with_gil);
            },
            "bank"_a, "booster"_a.none(), "One more class, which begins with its first example.")
        .def("drop", [](Classes& self, std::size_t classes) { self.drop(classes, with_gil); }, "classes"_a, nb::call_guard<GilRelease>(), "Take back classes that have not begun: only so many remain.")
        .def(
            "learn_dense",
            [](Classes& self, const Matrix& x, const Labels& labels, std::optional<In> s, std::optional<Grid> decisions,
               std::optional<Grid> probabilities) { learn(self, dense_source(x), labels, s, decisions, probabilities); },
            "x"_a, "labels"_a, "s"_a.none() = nb::none(), "decisions"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(),
            "Test, then train on each row in order.")
        .def(
            "learn_sparse",
            [](Classes& self, const Line& data, const Line& indices, const Line& starts, const Labels& labels, std::optional<In> s,
               std::optional<Grid> decisions, std::optional<Grid> probabilities) {
                learn(self, sparse_source(data, indices, starts), labels, s, decisions, probabilities);
            },
            "data"_a, "indices"_a, "starts"_a, "labels"_a, "s"_a.none() = nb::none(), "decisions"_a.none() = nb::none(),
            "probabilities"_a.none() = nb::none(), "The same for CSR arrays.")
        .def(
            "learn_dict",
            [](Classes& self, const nb::dict& x, nb::dict keys, int mode, std::int64_t label, double s) {
                std::vector<nb::object> unknown;
                const SourcePtr source = dict_source(x, keys, mode, unknown);
                if (s == 0.0) unknown.clear();
                const std::size_t first = first_unknown(keys, mode);
                for (std::size_t k = 0; k < unknown.size(); ++k) keys[unknown[k]] = nb::int_(first + k);
                try {
                    learn_one(self, *source, label, s);
                } catch (...) {  // a bank in Python, or one that takes no more features
                    for (const nb::object& key : unknown) nb::del(keys[key]);
                    throw;
                }
            },
            "x"_a, "keys"_a, "mode"_a, "label"_a, "s"_a, "Learn one example given as a dict; new keys are added to `keys`.")
        .def(
            "learn_row",
            [](Classes& self, nb::handle x, std::size_t columns, std::int64_t label, double s) {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return false;
                learn_one(self, source, label, s);
                return true;
            },
            "x"_a, "columns"_a, "label"_a, "s"_a, "Learn one example given as a plain 1-D array; False, and nothing done, if it is not one.")
        .def(
            "predict_dense", [](const Classes& self, const Matrix& x, Grid decisions, Grid probabilities) { predict(self, dense_source(x), decisions, probabilities); },
            "x"_a, "decisions"_a, "probabilities"_a)
        .def(
            "predict_sparse",
            [](const Classes& self, const Line& data, const Line& indices, const Line& starts, Grid decisions, Grid probabilities) {
                predict(self, sparse_source(data, indices, starts), decisions, probabilities);
            },
            "data"_a, "indices"_a, "starts"_a, "decisions"_a, "probabilities"_a)
        .def(
            "predict_dict",
            [](const Classes& self, const nb::dict& x, nb::dict keys, int mode) {
                std::vector<nb::object> unknown;
                return predict_one(self, *dict_source(x, keys, mode, unknown));
            },
            "x"_a, "keys"_a, "mode"_a, nb::sig("def predict_dict(self, x: dict, keys: dict, mode: int) -> tuple[list[float], list[float]]"),
            "Decisions and probabilities of one example given as a dict.")
        .def(
            "predict_row",
            [](const Classes& self, nb::handle x, std::size_t columns) -> nb::object {
                OneRow source;
                if (!read_plain_row(x, columns, source.given)) return nb::none();
                return predict_one(self, source);
            },
            "x"_a, "columns"_a, nb::sig("def predict_row(self, x: object, columns: int) -> tuple[list[float], list[float]] | None"),
            "Decisions and probabilities of one example given as a plain 1-D array; None if it is not one.")
        .def(
            "state",
            [](Classes& self) {
                SaveArchive archive;
                {
                    const GilRelease unlocked;  // a writer that runs a bank in Python needs it to finish
                    self.serialise(archive);
                }
                return archive.fields;
            },
            "Everything the model has learned, as a dictionary of arrays.")
        .def(
            "load",
            [](Classes& self, nb::dict fields) {
                LoadArchive archive(fields);
                const GilRelease unlocked;
                self.serialise(archive);
                archive.finish();
            },
            "fields"_a, "Restores state() into a model that was just made with the same parameters and classes.")
        .def_prop_ro("count", &Classes::count, nb::call_guard<GilRelease>(), "Classes added.")
        .def_prop_ro("rounds", &Classes::rounds, nb::call_guard<GilRelease>(), "Examples learned.")
        .def_prop_ro("features", &Classes::features, nb::call_guard<GilRelease>(), "Features met.")
        .def_prop_rw("threads", &Classes::threads, &Classes::set_threads, "Among how many threads a sweep may be split.");
}

}  // namespace onlineboost
