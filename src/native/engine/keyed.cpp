#include "engine/keyed.hpp"

#include <numeric>
#include <span>

#include "engine/packed.hpp"

namespace onlineboost {

namespace {

using Places = std::span<const std::size_t>;

// Some rows of a source, in an order of their own.
class SomeRows final : public Source {
   public:
    SomeRows(const Source& all, Places places) : all_(all), places_(places) {}
    std::size_t rows() const override { return places_.size(); }
    void read(std::size_t r, Row& row) const override { all_.read(places_[r], row); }

   private:
    const Source& all_;
    Places places_;
};

// The rows of each key, in their order.
class RowsOfKeys {
   public:
    RowsOfKeys(const std::int64_t* keys, std::size_t rows, std::size_t count) : starts_(count + 1), order_(rows) {
        for (std::size_t r = 0; r < rows; ++r) {
            if (keys[r] < 0 || static_cast<std::size_t>(keys[r]) >= count)
                throw std::invalid_argument("a row has a key without a place among the states");
            ++starts_[static_cast<std::size_t>(keys[r]) + 1];
        }
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
        for (std::size_t r = 0; r < rows; ++r) order_[next[static_cast<std::size_t>(keys[r])]++] = r;
    }
    Places of(std::size_t key) const { return Places(order_).subspan(starts_[key], starts_[key + 1] - starts_[key]); }

   private:
    std::vector<std::size_t> starts_, order_;
};

std::string packed(Model& model) {
    PackArchive archive;
    model.serialise(archive);
    return std::move(archive.bytes);
}

void learn_all(Model& model, const Source& source, const double* y) {
    for (std::size_t r = 0; r < source.rows();) r = model.learn(source, y, nullptr, {}, r);
}

}  // namespace

std::unique_ptr<Model> KeyedModels::load(std::string_view state) const {
    auto model = make_();
    if (!state.empty()) {
        UnpackArchive archive(state);
        model->serialise(archive);
        archive.finish();
    }
    if (decision_) model->set_decision(*decision_);
    return model;
}

KeyedModels::States KeyedModels::learn(const Source& source, const double* y, const std::int64_t* keys,
                                       std::string_view parent, const std::vector<std::string_view>& states) const {
    const std::size_t rows = source.rows();
    const RowsOfKeys by_key(keys, rows, states.size());
    std::vector<std::size_t> all(rows);
    std::iota(all.begin(), all.end(), 0);
    States after{{}, std::vector<std::string>(states.size())};

    const auto everyone = load(parent);
    std::size_t done = 0;
    const auto learn_until = [&](std::size_t stop) {
        learn_all(*everyone, SomeRows(source, Places(all).subspan(done, stop - done)), y + done);
        done = stop;
    };
    for (std::size_t r = 0; r < rows; ++r) {
        const auto key = static_cast<std::size_t>(keys[r]);
        if (!states[key].empty() || by_key.of(key).front() != r) continue;
        learn_until(r);
        after.keys[key] = packed(*everyone);
    }
    learn_until(rows);
    after.parent = packed(*everyone);

    std::vector<double> labels;
    for (std::size_t key = 0; key < states.size(); ++key) {
        const Places own = by_key.of(key);
        if (own.empty()) {
            after.keys[key] = states[key];
            continue;
        }
        const auto model = load(states[key].empty() ? std::string_view(after.keys[key]) : states[key]);
        labels.clear();
        for (const std::size_t r : own) labels.push_back(y[r]);
        learn_all(*model, SomeRows(source, own), labels.data());
        after.keys[key] = packed(*model);
    }
    return after;
}

void KeyedModels::predict(const Source& source, const std::int64_t* keys, const std::vector<std::string_view>& states,
                          double* margins, double* probabilities) const {
    const RowsOfKeys by_key(keys, source.rows(), states.size());
    std::vector<double> some_margins, some_probabilities;
    for (std::size_t key = 0; key < states.size(); ++key) {
        const Places own = by_key.of(key);
        some_margins.resize(own.size());
        some_probabilities.resize(own.size());
        load(states[key])->predict(SomeRows(source, own), some_margins.data(), some_probabilities.data());
        for (std::size_t k = 0; k < own.size(); ++k) {
            margins[own[k]] = some_margins[k];
            probabilities[own[k]] = some_probabilities[k];
        }
    }
}

}  // namespace onlineboost
