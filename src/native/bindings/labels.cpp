#include "engine/labels.hpp"

#include "bindings/build.hpp"
#include "bindings/engine.hpp"
#include "bindings/models.hpp"

namespace onlineboost {

namespace {

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Labels::Report report_of(const Source& source, const Grid& decisions, const Grid& probabilities) {
    require(decisions.shape(0) == source.rows() && probabilities.shape(0) == source.rows() &&
                decisions.shape(1) == probabilities.shape(1) && decisions.shape(1) > 0,
            "an output array must have rows times labels");
    return {decisions.shape(1) - 1, decisions.data(), probabilities.data()};
}

std::size_t learn(Labels& model, const Source& source, const Flags& sets, std::optional<In> s,
                  std::optional<Grid> decisions, std::optional<Grid> probabilities, std::size_t start) {
    check_batch(source, sets, s, start);
    require(decisions.has_value() == probabilities.has_value(), "decisions and probabilities are reported together");
    const Labels::Report report = decisions ? report_of(source, *decisions, *probabilities) : Labels::Report{};
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    return model.learn(source, {sets.data(), sets.shape(1)}, weights, report, start);
}

void learn_one(Labels& model, const Source& source, std::vector<std::size_t> labels, double s) {
    check_weight(s);
    std::vector<std::uint8_t> has;
    for (const std::size_t label : labels) {
        require(label <= model.count() + labels.size(), "labels must be numbered in the order of their first example");
        has.resize(std::max(has.size(), label + 1));
        has[label] = 1;
    }
    const GilRelease unlocked;
    model.learn(source, {has.data(), has.size()}, &s, {});
}

void predict(const Labels& model, const Source& source, Grid decisions, Grid probabilities) {
    source.check();
    const Labels::Report report = report_of(source, decisions, probabilities);
    const GilRelease unlocked;
    model.predict(source, report);
}

}  // namespace

void bind_labels(nb::module_& m) {
    nb::class_<Labels> bound(m, "Labels", "An ensemble of weak learners for each label, and one for a label to come.");
    bound.def(
        "__init__",
        [](Labels* self, std::size_t learners, nb::dict bank, nb::dict booster, std::optional<nb::dict> of_each) {
            auto shared = build_label_booster(DictParameters(booster), learners);
            require(of_each.has_value() == shared->boosts_each_label(), "binary relevance boosts each label");
            const auto kept = DictParameters(bank).kept();
            const auto own = of_each ? DictParameters(*of_each).kept() : nullptr;
            const auto make = [kept, own, learners] {
                return own ? build_ensemble(*kept, *own, learners) : Ensemble(build_bank(*kept, learners), nullptr);
            };
            new (self) Labels(make, std::move(shared));
        },
        "learners"_a, "bank"_a, "booster"_a, "of_each"_a.none());
    bind_batches(bound, "learn", kLearns, &learn, "sets"_a, "s"_a.none() = nb::none(),
                 "decisions"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(), "start"_a = 0);
    bind_batches(bound, "predict", "Decisions and probabilities of all rows: of a label to come, then of each.",
                 &predict, "decisions"_a, "probabilities"_a);
    bind_one_row(bound, "labels", "tuple[list[float], list[float]]", &learn_one, &predict_lists<Labels>);
    bind_state(bound);
    bound.def_prop_ro("count", &Labels::count, nb::call_guard<GilRelease>(), "Labels that have begun.");
}

}  // namespace onlineboost
