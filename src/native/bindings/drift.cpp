#include "bindings/drift.hpp"

#include "bindings/engine.hpp"
#include "boosters/expert_tracker.hpp"
#include "drift/adwin.hpp"

namespace onlineboost {

namespace {

void check_expert(const ExpertTracker& self, std::size_t e) {
    require(e < self.weights().size(), "there is no such expert");
}

template <class Tracker>
void bind_saved(nb::class_<Tracker>& bound) {
    bound
        .def(
            "state", [](Tracker& self) { return saved(self, &Tracker::serialise); },
            "Everything it has learned, as a dictionary of arrays.")
        .def(
            "load",
            [](Tracker& self, nb::dict fields) {
                LoadArchive archive(fields);
                const GilRelease unlocked;
                self.serialise(archive);
                archive.finish();
            },
            "fields"_a, "Restores state().");
}

}  // namespace

void bind_drift(nb::module_& m) {
    auto tracker = nb::class_<ExpertTracker>(m, "ExpertTracker", "Weights over experts that give probabilities.");
    tracker.def(nb::init<std::size_t, std::size_t, bool>(), "experts"_a, "alive"_a, "shares"_a)
        .def(
            "weights", [](const ExpertTracker& self) { return self.weights(); },
            "They sum to 1, and are 0 for places without an expert.")
        .def(
            "learn",
            [](ExpertTracker& self, const In& q, double s) {
                require(q.shape(0) == self.weights().size(), "there must be one probability per expert");
                check_weight(s);
                for (std::size_t e = 0; e < q.shape(0); ++e)
                    require(q.data()[e] > 0.0 && q.data()[e] <= 1.0, "probabilities must be in (0, 1]");
                if (s > 0.0) self.learn(q.data(), s);
            },
            "q"_a, "s"_a = 1.0, "What each expert gave to the outcome, and the weight of the example.")
        .def(
            "add",
            [](ExpertTracker& self, std::size_t e) {
                check_expert(self, e);
                self.add(e);
            },
            "e"_a, "Lets an expert begin, between two rounds.")
        .def(
            "drop",
            [](ExpertTracker& self, std::size_t e) {
                check_expert(self, e);
                self.drop(e);
            },
            "e"_a, "Lets an expert leave; the last one stays.");
    bind_saved(tracker);
    auto adwin = nb::class_<Adwin>(m, "Adwin", "A window that is cut where its two parts have different means.");
    adwin.def(nb::init<double, std::uint64_t>(), "delta"_a, "clock"_a)
        .def(
            "update",
            [](Adwin& self, double x) {
                require(x >= 0.0 && x <= 1.0, "values must be in [0, 1]");
                return self.update(x);
            },
            "x"_a, "Takes a value; whether the window was cut.")
        .def_prop_ro("rose", &Adwin::rose, "Whether the last cut was at a rise.")
        .def_prop_ro("width", &Adwin::width, "Values in the window.")
        .def_prop_ro("mean", &Adwin::mean, "Of the window.");
    bind_saved(adwin);
}

}  // namespace onlineboost
