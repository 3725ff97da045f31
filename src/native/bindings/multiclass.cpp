#include "engine/multiclass.hpp"

#include "bindings/build.hpp"
#include "bindings/columns.hpp"
#include "bindings/models.hpp"

namespace onlineboost {

void bind_multiclass(nb::module_& m) {
    nb::class_<Multiclass> bound(m, "Multiclass", "A bank of learners that tell many classes apart, and a booster.");
    bound.def(
        "__init__",
        [](Multiclass* self, std::size_t learners, nb::dict bank, nb::dict booster) {
            new (self) Multiclass(build_class_ensemble(stored_parameters(bank), stored_parameters(booster), learners));
        },
        "learners"_a, "bank"_a, "booster"_a);
    bind_columns<ClassNumbers, &numbers_of>(bound, "labels", "label", "Decisions and probabilities of all rows.",
                                            &learn_class<Multiclass>);
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
