#include "engine/keyed.hpp"

#include "bindings/build.hpp"
#include "bindings/engine.hpp"
#include "bindings/models.hpp"

namespace onlineboost {

namespace {

using RowKeys = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Bytes that stay while the GIL is given back, whatever becomes of the list.
class HeldStates {
   public:
    explicit HeldStates(const nb::list& given) {
        for (const nb::handle one : given) {
            held_.push_back(nb::borrow(one));
            if (one.is_none()) {
                views.emplace_back();
                continue;
            }
            const auto bytes = nb::cast<nb::bytes>(one);
            views.emplace_back(bytes.c_str(), bytes.size());
        }
    }
    std::vector<std::string_view> views;

   private:
    std::vector<nb::object> held_;
};

nb::bytes as_bytes(const std::string& state) { return nb::bytes(state.data(), state.size()); }

nb::object learn(const KeyedModels& models, const Source& source, const In& y, const RowKeys& keys,
                 const nb::bytes& parent, const nb::list& states) {
    check_batch(source, y, std::nullopt, 0);
    require(keys.shape(0) == source.rows(), "there must be one key per row");
    for (std::size_t r = 0; r < y.shape(0); ++r)
        require(y.data()[r] == 1.0 || y.data()[r] == -1.0, "labels must be +1 or -1 here");
    const HeldStates held(states);
    const std::string_view before(parent.c_str(), parent.size());
    KeyedModels::States after;
    {
        const GilRelease unlocked;
        after = models.learn(source, y.data(), keys.data(), before, held.views);
    }
    nb::list found;
    for (const std::string& state : after.keys) found.append(as_bytes(state));
    return nb::make_tuple(as_bytes(after.parent), found);
}

void predict(const KeyedModels& models, const Source& source, const RowKeys& keys, const nb::list& states, Out margins,
             Out probabilities) {
    source.check();
    require(
        keys.shape(0) == source.rows() && margins.shape(0) == source.rows() && probabilities.shape(0) == source.rows(),
        "there must be one key, margin and probability per row");
    const HeldStates held(states);
    const GilRelease unlocked;
    models.predict(source, keys.data(), held.views, margins.data(), probabilities.data());
}

}  // namespace

void bind_keyed(nb::module_& m) {
    nb::class_<KeyedModels> bound(m, "KeyedModels", "A model of two classes per key, each as its packed state.");
    bound.def(
        "__init__",
        [](KeyedModels* self, std::size_t learners, nb::dict bank, nb::dict booster,
           std::optional<std::vector<double>> decision) {
            const auto kept_bank = DictParameters(bank).kept(), kept_booster = DictParameters(booster).kept();
            std::optional<Booster::Decision> weighed;
            if (decision) {
                require(decision->size() == 3, "a decision is three numbers");
                weighed = Booster::Decision{(*decision)[0], (*decision)[1], (*decision)[2]};
            }
            new (self) KeyedModels(
                [=] { return std::make_unique<Model>(build_ensemble(*kept_bank, *kept_booster, learners)); }, weighed);
        },
        "learners"_a, "bank"_a, "booster"_a, "decision"_a.none());
    bind_batches(bound, "learn",
                 "The parent's state and those of all keys after the rows; a state is None before the key's first.",
                 &learn, "y"_a, "keys"_a, "parent"_a, "states"_a);
    bind_batches(bound, "predict", "Margins and probabilities of the rows, each by its key's state.", &predict,
                 "keys"_a, "states"_a, "margins"_a, "probabilities"_a);
}

}  // namespace onlineboost
