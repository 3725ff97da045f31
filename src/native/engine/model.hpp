// A model of two classes: one ensemble, the features it has met, and the walk over a batch.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "engine/ensemble.hpp"
#include "engine/lock.hpp"
#include "engine/missing.hpp"
#include "engine/source.hpp"
#include "engine/summary.hpp"

namespace onlineboost {

class Model {
   public:
    explicit Model(Ensemble ensemble);

    // Margins of every row; nothing changes. `probabilities` may be null, and `outputs`, of the learners.
    void predict(const Source& source, double* margins, double* probabilities, double* outputs = nullptr) const;

    // What a test-then-train pass reports, at the places of the rows; each may be null.
    struct Report {
        double* margins = nullptr;
        double* probabilities = nullptr;
        double* expected_errors = nullptr;
        double* outputs = nullptr;  // of the learners, as the booster saw them: a row of `learners()` per example
    };
    // Row by row: test, then learn with label y in {-1, +1} and weight s (null: all 1; 0: the row is only tested). A
    // row is learned whole or not at all: if this throws, `rounds` says how many rows were. It begins with row `start`
    // and may end before the last (see Slice); gives the row to go on with.
    std::size_t learn(const Source& source, const double* y, const double* s, const Report& report,
                      std::size_t start = 0);

    void set_decision(const Booster::Decision& decision);
    void serialise(Archive& archive);
    // The part of the state that is not the learners': small, however many features there are.
    void save_booster(Archive& archive);
    // What it keeps of the stream, and the ids of its features.
    void save_summary(Archive& archive);
    // f(bank), at any time: which bank it is never changes.
    template <class F>
    void each_bank(F f) {
        f(ensemble_.bank());
    }
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t learners() const { return ensemble_.bank().layout.learners; }
    // Among how many threads a sweep may be split; nothing that is learned or predicted depends on it.
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    struct Example {
        double y, weight, vote;
        Calibration::Place place;
    };
    // The row at hand, which was voted on.
    void learn_row(const Example& example);
    void learn_or_undo(const Example& example);

    Ensemble ensemble_;
    Features features_;
    MissingValues missing_;
    Summary summary_;
    Row row_;  // of the writer, as are the next two; readers bring their own
    std::unique_ptr<Scratch> scratch_;
    std::vector<FeatureId> fresh_;  // features of the row that are new
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
