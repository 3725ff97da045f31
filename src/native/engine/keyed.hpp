// A model per key: many small ones of one kind, each of which is its packed state while it is not at work.
//
// A key's model begins as the parent is before the key's first row; the parent learns all rows. What comes out depends
// on the order of the rows alone.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model.hpp"

namespace onlineboost {

class KeyedModels {
   public:
    using Make = std::function<std::unique_ptr<Model>()>;

    KeyedModels(Make make, std::optional<Booster::Decision> decision) : make_(std::move(make)), decision_(decision) {}

    // The states of the parent and of each key after the rows. A key without a state yet has an empty one.
    struct States {
        std::string parent;
        std::vector<std::string> keys;
    };
    // `keys` has the place of each row's key among the states. Nothing is changed: what throws leaves no trace.
    States learn(const Source& source, const double* y, const std::int64_t* keys, std::string_view parent,
                 const std::vector<std::string_view>& states) const;
    // Margins and probabilities of the rows, each by the model of its key.
    void predict(const Source& source, const std::int64_t* keys, const std::vector<std::string_view>& states,
                 double* margins, double* probabilities) const;

   private:
    std::unique_ptr<Model> load(std::string_view state) const;

    Make make_;
    std::optional<Booster::Decision> decision_;
};

}  // namespace onlineboost
