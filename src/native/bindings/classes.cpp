#include "engine/classes.hpp"

#include "bindings/build.hpp"
#include "bindings/cycles.hpp"
#include "bindings/engine.hpp"
#include "bindings/models.hpp"
#include "boosters/potential.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void check_grid(const Grid& out, const Source& source) {
    require(out.shape(0) == source.rows(), "an output array must have rows times classes");
}

// The garbage collector looks at the list of classes, with the GIL.
void with_gil(const std::function<void()>& change) {
    const GilAcquire gil;
    change();
}

std::size_t learn(Classes& model, const Source& source, const Labels& labels, std::optional<In> s,
                  std::optional<Grid> decisions, std::optional<Grid> probabilities, std::size_t start) {
    check_batch(source, labels, s, start);
    require(decisions.has_value() == probabilities.has_value(), "decisions and probabilities are reported together");
    Classes::Report report;
    if (decisions) {
        check_grid(*decisions, source);
        check_grid(*probabilities, source);
        require(decisions->shape(1) == probabilities->shape(1), "an output array must have rows times classes");
        report = {decisions->shape(1), decisions->data(), probabilities->data()};
    }
    const double* weights = s ? s->data() : nullptr;
    const GilRelease unlocked;
    return model.learn(source, labels.data(), weights, report, start);
}

void learn_one(Classes& model, const Source& source, std::int64_t label, double s) {
    check_weight(s);
    const GilRelease unlocked;
    model.learn(source, &label, &s, {});
}

void predict(const Classes& model, const Source& source, Grid decisions, Grid probabilities) {
    source.check();
    check_grid(decisions, source);
    check_grid(probabilities, source);
    require(decisions.shape(1) == probabilities.shape(1), "an output array must have rows times classes");
    const GilRelease unlocked;
    model.predict(source, {decisions.shape(1), decisions.data(), probabilities.data()});
}

}  // namespace

void bind_classes(nb::module_& m) {
    m.def(
        "potential",
        [](double gamma, std::size_t n, std::vector<int> leads) {
            require(!leads.empty() && n <= Potential::kMostVotes,
                    "a potential is of at least one rival and of a few votes");
            return Potential(gamma).value(n, std::move(leads));
        },
        "gamma"_a, "n"_a, "leads"_a, "For tests: the potential of OnlineMBBM.");
    m.attr("MOST_VOTES") = Potential::kMostVotes;
    m.def("class_seed", &class_seed, "seed"_a, "k"_a, "The seed of class k.");
    nb::class_<Classes> bound(m, "Classes", nb::type_slots(cycle_slots<Classes>()),
                              "An ensemble of weak learners for each class, and what decides between the classes.");
    bound
        .def(
            "__init__",
            [](Classes* self, std::size_t learners, nb::dict booster) {
                new (self) Classes(learners, build_class_booster(DictParameters(booster), learners));
            },
            "learners"_a, "booster"_a)
        .def(
            "add",
            [](Classes& self, nb::dict bank, std::optional<nb::dict> booster) {
                Ensemble ensemble =
                    booster ? build_ensemble(DictParameters(bank), DictParameters(*booster), self.learners())
                            : Ensemble(build_bank(DictParameters(bank), self.learners()), nullptr);
                const GilRelease unlocked;
                self.add(std::move(ensemble), with_gil);
            },
            "bank"_a, "booster"_a.none(), "One more class, which begins with its first example.")
        .def(
            "drop", [](Classes& self, std::size_t classes) { self.drop(classes, with_gil); }, "classes"_a,
            nb::call_guard<GilRelease>(), "Take back classes that have not begun: only so many remain.");
    bind_batches(bound, "learn", kLearns, &learn, "labels"_a, "s"_a.none() = nb::none(),
                 "decisions"_a.none() = nb::none(), "probabilities"_a.none() = nb::none(), "start"_a = 0);
    bind_batches(bound, "predict", "Decisions and probabilities of all rows.", &predict, "decisions"_a,
                 "probabilities"_a);
    bind_one_row(bound, "label", "tuple[list[float], list[float]]", &learn_one, &predict_lists<Classes>);
    bind_state(bound);
    bound.def_prop_ro("count", &Classes::count, nb::call_guard<GilRelease>(), "Classes added.");
}

}  // namespace onlineboost
