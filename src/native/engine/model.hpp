// A bank, a booster and a calibration, and the walk over a batch that joins them.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "boosters/booster.hpp"
#include "engine/calibration.hpp"
#include "engine/lock.hpp"
#include "engine/source.hpp"

namespace onlineboost {

class Model {
   public:
    Model(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster);

    // Margins of every row; nothing changes. `probabilities` may be null.
    void predict(const Source& source, double* margins, double* probabilities) const;

    // What a test-then-train pass reports; each may be null.
    struct Report {
        double* margins = nullptr;
        double* probabilities = nullptr;
        double* expected_errors = nullptr;
        double* outputs = nullptr;  // of the learners, as the booster saw them: a row of `learners()` per example
    };
    // Row by row: test, then learn with label y in {-1, +1} and weight s (null: all 1; 0: the row is only tested). A row is learned
    // whole or not at all: if this throws, `rounds` says how many rows were.
    void learn(const Source& source, const double* y, const double* s, const Report& report);

    void serialise(Archive& archive);
    // The part of the state that is not the learners': small, however many features there are.
    void save_booster(Archive& archive);
    // f(bank), at any time: which bank it is never changes.
    template <class F>
    void each_bank(F f) {
        f(*bank_);
    }
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t learners() const { return bank_->layout.learners; }
    // Among how many threads a sweep may be split; nothing that is learned or predicted depends on it.
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    struct Example {
        double y, weight, vote;
        Calibration::Place place;
    };
    void learn_row(Scratch& scratch, const Example& example);
    void learn_or_undo(Scratch& scratch, const Example& example);

    std::unique_ptr<Bank> bank_;
    std::unique_ptr<Booster> booster_;
    Features features_;
    Calibration calibration_;
    std::unique_ptr<Scratch> scratch_;  // of the writer; readers bring their own
    std::vector<FeatureId> fresh_;      // features of the row at hand that are new
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
