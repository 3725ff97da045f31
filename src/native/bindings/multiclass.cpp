#include "engine/multiclass.hpp"

#include "bindings/build.hpp"
#include "bindings/engine.hpp"
#include "bindings/models.hpp"

namespace onlineboost {

namespace {

using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Multiclass::Report report_of(const Source& source, const Grid& decisions, const Grid& probabilities) {
    require(decisions.shape(0) == source.rows() && probabilities.shape(0) == source.rows() &&
                decisions.shape(1) == probabilities.shape(1),
            "an output array must have rows times classes");
    return {decisions.shape(1), decisions.data(), probabilities.data()};
}

std::size_t learn(Multiclass& model, const Source& source, const Labels& labels, std::optional<In> s,
                  std::optional<Grid> decisions, std::optional<Grid> probabilities, std::size_t start) {
    check_batch(source, labels, s, start);
    require(decisions.has_value() == probabilities.has_value(), "decisions and probabilities are reported together");
    const Multiclass::Report report = decisions ? report_of(source, *decisions, *probabilities) : Multiclass::Report();
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    return model.learn(source, labels.data(), weights, report, start);
}

void learn_one(Multiclass& model, const Source& source, std::int64_t label, double s) {
    check_weight(s);
    const GilRelease unlocked;
    model.learn(source, &label, &s, {});
}

void predict(const Multiclass& model, const Source& source, Grid decisions, Grid probabilities) {
    source.check();
    const Multiclass::Report report = report_of(source, decisions, probabilities);
    const GilRelease unlocked;
    model.predict(source, report);
}

}  // namespace

void bind_multiclass(nb::module_& m) {
    nb::class_<Multiclass> bound(m, "Multiclass", "A bank of learners that tell many classes apart, and a booster.");
    bound.def(
        "__init__",
        [](Multiclass* self, std::size_t learners, nb::dict bank, nb::dict booster) {
            new (self) Multiclass(build_class_ensemble(stored_parameters(bank), stored_parameters(booster), learners));
        },
        "learners"_a, "bank"_a, "booster"_a);
    bind_batches(bound, "learn", kLearns, &learn, "labels"_a, "s"_a.none() = nb::none(),
                 "decisions"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(), "start"_a = 0);
    bind_batches(bound, "predict", "Decisions and probabilities of all rows.", &predict, "decisions"_a,
                 "probabilities"_a);
    bind_one_row(bound, "label", "tuple[list[float], list[float]]", &learn_one, &predict_lists<Multiclass>);
    bind_state(bound);
    bound
        .def(
            "adopt",
            [](Multiclass& self, nb::dict fields) {
                LoadArchive archive(fields);
                const GilRelease unlocked;
                self.adopt(archive);
            },
            "fields"_a, "Takes over the state of a Model with the same parameters: its two classes are the first.")
        .def(
            "booster_state", [](Multiclass& self) { return saved(self, &Multiclass::save_booster); },
            "The booster's part of state(), and the rounds.")
        .def_prop_ro("count", &Multiclass::count, nb::call_guard<GilRelease>(), "Classes that have begun.");
}

}  // namespace onlineboost
