#include "engine/classes.hpp"

#include "bindings/build.hpp"
#include "bindings/columns.hpp"
#include "bindings/cycles.hpp"
#include "bindings/models.hpp"
#include "boosters/potential.hpp"
#include "engine/random.hpp"

namespace onlineboost {

namespace {

// The garbage collector looks at the list of classes, with the GIL.
void with_gil(const std::function<void()>& change) {
    const GilAcquire gil;
    change();
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
    bind_columns<ClassNumbers, &numbers_of>(bound, "labels", "label", "Decisions and probabilities of all rows.",
                                            &learn_class<Classes>);
    bound.def_prop_ro("count", &Classes::count, nb::call_guard<GilRelease>(), "Classes added.");
}

}  // namespace onlineboost
