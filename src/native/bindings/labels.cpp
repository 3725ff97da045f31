#include "engine/labels.hpp"

#include "bindings/build.hpp"
#include "bindings/columns.hpp"
#include "bindings/models.hpp"

namespace onlineboost {

namespace {

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Labels::Sets sets_of(const Flags& sets) { return {sets.data(), sets.shape(1)}; }

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
    bind_columns<Flags, &sets_of>(bound, "sets", "labels",
                                  "Decisions and probabilities of all rows: of a label to come, then of each.",
                                  &learn_one);
    bound.def_prop_ro("count", &Labels::count, nb::call_guard<GilRelease>(), "Labels that have begun.");
}

}  // namespace onlineboost
