// Models with a column of decisions and one of probabilities per class or label, as Python sees them.
#pragma once
#include "bindings/engine.hpp"
#include "engine/column_report.hpp"

namespace onlineboost {

using ClassNumbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline const std::int64_t* numbers_of(const ClassNumbers& labels) { return labels.data(); }

inline ColumnReport report_of(const Source& source, const Grid& decisions, const Grid& probabilities) {
    require(decisions.shape(0) == source.rows() && probabilities.shape(0) == source.rows() &&
                decisions.shape(1) == probabilities.shape(1),
            "an output array must have rows times columns");
    return {decisions.shape(1), decisions.data(), probabilities.data()};
}

template <class Model, class Given, auto convert>
std::size_t learn_columns(Model& model, const Source& source, const Given& labels, std::optional<In> s,
                          std::optional<Grid> decisions, std::optional<Grid> probabilities, std::size_t start) {
    check_batch(source, labels, s, start);
    require(decisions.has_value() == probabilities.has_value(), "decisions and probabilities are reported together");
    const ColumnReport report = decisions ? report_of(source, *decisions, *probabilities) : ColumnReport{};
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    return model.learn(source, convert(labels), weights, report, start);
}

template <class Model>
void predict_columns(const Model& model, const Source& source, Grid decisions, Grid probabilities) {
    source.check();
    const ColumnReport report = report_of(source, decisions, probabilities);
    const GilRelease unlocked;
    model.predict(source, report);
}

template <class Model>
void learn_class(Model& model, const Source& source, std::int64_t label, double s) {
    check_weight(s);
    const GilRelease unlocked;
    model.learn(source, &label, &s, {});
}

// Decisions and probabilities of one example.
template <class Model>
nb::object predict_lists(const Model& model, const Source& source) {
    std::vector<double> decisions, probabilities;
    {
        const GilRelease unlocked;
        model.predict(source, decisions, probabilities);
    }
    return nb::make_tuple(decisions, probabilities);
}

// The engine takes convert(Given); `labels` and `label` are what Python calls those of a batch and of one example.
template <class Given, auto convert, class Model, class Label>
void bind_columns(nb::class_<Model>& bound, const char* labels, const char* label, const char* predicts,
                  void (*learn_one)(Model&, const Source&, Label, double)) {
    bind_batches(bound, "learn", kLearns, &learn_columns<Model, Given, convert>, nb::arg(labels),
                 "s"_a.none() = nb::none(), "decisions"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(),
                 "start"_a = 0);
    bind_batches(bound, "predict", predicts, &predict_columns<Model>, "decisions"_a, "probabilities"_a);
    bind_one_row(bound, label, "tuple[list[float], list[float]]", learn_one, &predict_lists<Model>);
    bind_state(bound);
}

}  // namespace onlineboost
