// What banks share that change the row and hand it to banks inside them.
#pragma once
#include <algorithm>
#include <memory>

#include "learners/bank.hpp"

namespace onlineboost {

// The scratch of the k-th inner bank, made when first asked for: readers bring their own.
inline Scratch& inner_scratch(Scratch& scratch, std::size_t k, const Bank& bank) {
    while (scratch.inner.size() <= k) scratch.inner.push_back(nullptr);
    if (!scratch.inner[k]) scratch.inner[k] = std::make_unique<Scratch>(bank.layout);
    return *scratch.inner[k];
}

// One inner bank of all learners.
class WrapperBank : public Bank {
   public:
    explicit WrapperBank(std::unique_ptr<Bank> inner) : Bank(inner->layout.learners), inner_(std::move(inner)) {}

    void score(Scratch& scratch) const final {
        Scratch& own = inner_scratch(scratch, 0, *inner_);
        change(scratch, own.row);
        inner_->score(own);
        std::copy(own.h.begin(), own.h.end(), scratch.h.begin());
    }
    void update(Scratch& scratch, double y, const double* w) final { inner_->update(*scratch.inner[0], y, w); }
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) final {
        return inner_->step(*scratch.inner[0], i, y, w, times);
    }
    void finish(Scratch& scratch) final { inner_->finish(*scratch.inner[0]); }

   protected:
    // Fills `row`, slots included, from scratch.row.
    virtual void change(Scratch& scratch, Row& row) const = 0;

    std::unique_ptr<Bank> inner_;
};

}  // namespace onlineboost
