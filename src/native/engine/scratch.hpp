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
    // One value per learner, 0 in the padding.
    Vector h;        // outputs, from the bank to the booster
    Vector weights;  // of the example, from the booster to the bank
    Vector room;     // the booster's own
};

}  // namespace onlineboost
