// A model of two classes: one ensemble, the features it has met, and the walk over a batch.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "engine/ensemble.hpp"
#include "engine/source.hpp"

namespace onlineboost {

class Model {
   public:
    explicit Model(Ensemble ensemble);

    // Margins of every row; nothing changes. `probabilities` may be null.
    void predict(const Source& source, double* margins, double* probabilities) const;

    // What a test-then-train pass reports; each may be null.
    struct Report {
        double* margins = nullptr;
        double* probabilities = nullptr;
        double* expected_errors = nullptr;
        double* outputs = nullptr;  // of the learners, as the booster saw them: a row of `learners()` per example
    };
    // Row by row: test, then learn with label y in {-1, +1} and weight s (null: all 1; 0: the row is only tested).
    void learn(const Source& source, const double* y, const double* s, const Report& report);

    void serialise(Archive& archive);
    // The part of the state that is not the learners': small, however many features there are.
    void save_booster(Archive& archive);
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t learners() const { return ensemble_.bank().layout.learners; }
    // Among how many threads a sweep may be split; nothing that is learned or predicted depends on it.
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    Ensemble ensemble_;
    Features features_;
    Row row_;  // of the writer, as is the next; readers bring their own
    std::unique_ptr<Scratch> scratch_;
    std::atomic<std::size_t> threads_{1};
    mutable std::shared_mutex mutex_;  // many readers or one writer
};

}  // namespace onlineboost
