// What a walk over rows needs beside the model: made once per batch, never per example.
//
// A bank adds what is its own by a type derived from this (Bank::make_scratch); a booster has `room` (Booster::room).
#pragma once
#include <cstddef>

#include "engine/row.hpp"
#include "engine/storage.hpp"

namespace onlineboost {

struct Scratch {
    explicit Scratch(Layout layout) : h(round_up(layout.stride)), weights(h.size()) {}
    virtual ~Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const Row* row = nullptr;  // at hand; it belongs to whoever reads the rows
    std::size_t threads = 1;   // that a sweep may be split among
    std::size_t beside = 0;    // that may go on with older work
    bool rests = false;        // the row is not going to be taught: meet adds its features and keeps nothing else of it
    // One value per learner, 0 in the padding.
    Vector h;        // outputs, from the bank to the booster
    Vector weights;  // of the example, from the booster to the bank
    Vector room;     // the booster's own
    // Of many classes: what each learner gives to each class, a row over learners per class that has begun; over the
    // classes they sum to 1.
    std::vector<Vector> shares;
    double sign = 1.0;      // of a class: -1 if its learners say, and are taught, the opposite
    std::size_t label = 0;  // the class that the row is going to be learned with (see Bank::expect)

    // Rows of zeros for so many classes.
    void clear_shares(std::size_t classes) {
        shares.resize(std::min(shares.size(), classes));
        for (Vector& row : shares) std::fill(row.begin(), row.end(), 0.0);
        while (shares.size() < classes) shares.emplace_back(h.size(), 0.0);
    }
};

}  // namespace onlineboost
