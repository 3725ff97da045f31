#include "engine/model.hpp"

#include "bindings/build.hpp"
#include "bindings/cycles.hpp"
#include "bindings/engine.hpp"
#include "bindings/models.hpp"
#include "engine/packed.hpp"

namespace onlineboost {

namespace {

void check_label(double y) { require(y == 1.0 || y == -1.0, "labels must be +1 or -1 here"); }

double* pointer(std::optional<Out>& out, const Source& source) {
    if (!out) return nullptr;
    require(out->shape(0) == source.rows(), "an output array must have one value per row");
    return out->data();
}

std::size_t learn(Model& model, const Source& source, const In& y, std::optional<In> s, std::optional<Out> margins,
                  std::optional<Out> probabilities, std::optional<Out> expected, std::optional<Grid> outputs,
                  std::size_t start) {
    check_batch(source, y, s, start);
    if (start == 0)
        for (std::size_t r = 0; r < y.shape(0); ++r) check_label(y.data()[r]);
    if (outputs)
        require(outputs->shape(0) == source.rows() && outputs->shape(1) == model.learners(),
                "outputs must be rows times learners");
    const Model::Report report{pointer(margins, source), pointer(probabilities, source), pointer(expected, source),
                               outputs ? outputs->data() : nullptr};
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    return model.learn(source, y.data(), weights, report, start);
}

void learn_one(Model& model, const Source& source, double y, double s) {
    check_label(y);
    check_weight(s);
    const GilRelease unlocked;
    model.learn(source, &y, &s, {});
}

void predict(const Model& model, const Source& source, Out margins, std::optional<Out> probabilities,
             std::optional<Grid> outputs) {
    source.check();
    require(margins.shape(0) == source.rows(), "an output array must have one value per row");
    double* p = pointer(probabilities, source);
    if (outputs)
        require(outputs->shape(0) == source.rows() && outputs->shape(1) == model.learners(),
                "outputs must be rows times learners");
    double* h = outputs ? outputs->data() : nullptr;
    const GilRelease unlocked;
    model.predict(source, margins.data(), p, h);
}

nb::object predict_one(const Model& model, const Source& source) {
    double margin = 0.0, probability = 0.0;
    {
        const GilRelease unlocked;
        model.predict(source, &margin, &probability);
    }
    return nb::make_tuple(margin, probability);
}

}  // namespace

void bind_model(nb::module_& m) {
    nb::class_<Model> bound(m, "Model", nb::type_slots(cycle_slots<Model>()),
                            "A bank of weak learners, a booster and a calibration.");
    bound.def(
        "__init__",
        [](Model* self, std::size_t learners, nb::dict bank, nb::dict booster) {
            new (self) Model(build_ensemble(DictParameters(bank), DictParameters(booster), learners));
        },
        "learners"_a, "bank"_a, "booster"_a);
    bind_batches(bound, "learn", kLearns, &learn, "y"_a, "s"_a.none() = nb::none(), "margins"_a.none() = nb::none(),
                 "probabilities"_a.none() = nb::none(), "expected"_a.none() = nb::none(),
                 "outputs"_a.none() = nb::none(), "start"_a = 0);
    bind_batches(bound, "predict", "Margins and, if asked for, probabilities and the learners' outputs of all rows.",
                 &predict, "margins"_a, "probabilities"_a.none() = nb::none(), "outputs"_a.none() = nb::none());
    bind_one_row(bound, "y", "tuple[float, float]", &learn_one, &predict_one);
    bind_state(bound);
    bound.def(
        "set_decision",
        [](Model& self, double odds, double costs, double positive) {
            require(odds > 0.0 && costs > 0.0, "odds must be above 0");
            const GilRelease unlocked;
            self.set_decision({odds, costs, positive});
        },
        "odds"_a, "costs"_a, "positive"_a, "How classes are weighed, in the engine's terms.");
    bound.def(
        "packed",
        [](Model& self) {
            PackArchive archive;
            {
                const GilRelease unlocked;
                self.serialise(archive);
            }
            return nb::bytes(archive.bytes.data(), archive.bytes.size());
        },
        "Everything the model has learned, as bytes (engine/packed.hpp).");
    bound.def(
        "unpack",
        [](Model& self, const nb::bytes& bytes) {
            UnpackArchive archive({bytes.c_str(), bytes.size()});
            const GilRelease unlocked;
            self.serialise(archive);
            archive.finish();
        },
        "bytes"_a, "Restores packed() into a model that was just made with the same parameters.");
    bound.def(
        "booster_state", [](Model& self) { return saved(self, &Model::save_booster); },
        "The booster's part of state(), and the rounds: small, however many features there are.");
}

}  // namespace onlineboost
