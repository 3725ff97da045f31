// A model of many classes whose learners give distributions: one ensemble, the features it has met, and the walk over
// a batch. It begins with two classes that a Model has learned.
#pragma once
#include <atomic>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "engine/column_report.hpp"
#include "engine/lock.hpp"
#include "engine/missing.hpp"
#include "engine/multiclass_ensemble.hpp"
#include "engine/source.hpp"
#include "engine/summary.hpp"

namespace onlineboost {

class Multiclass {
   public:
    static constexpr double kNotBegun = -2.0;  // the decision for a class without examples: below any other

    explicit Multiclass(MulticlassEnsemble ensemble);

    using Report = ColumnReport;
    // Nothing changes.
    void predict(const Source& source, const Report& report) const;
    void predict(const Source& source, std::vector<double>& decisions, std::vector<double>& probabilities) const;
    // Row by row: test, then learn the class of the row with weight s (null: all 1; 0: the row is only tested). A class
    // begins with its first example, in the order of their numbers. Of slices and failures the same holds as of
    // Model::learn.
    std::size_t learn(const Source& source, const std::int64_t* labels, const double* s, const Report& report,
                      std::size_t start = 0);

    void serialise(Archive& archive);
    // Takes over what a Model of the same parameters has saved.
    void adopt(Archive& archive);
    // The part of the state that is not the learners'.
    void save_booster(Archive& archive);
    // As of Model.
    void save_summary(Archive& archive);
    std::size_t count() const;  // classes that have begun
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t learners() const { return ensemble_.bank().layout.learners; }
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    void check_labels(const Source& source, const std::int64_t* labels, const double* s) const;
    void predict_rows(const Source& source, const Report& report) const;
    void tell(const std::vector<double>& f, MulticlassEnsemble::Placed& placed, std::size_t row,
              const Report& report) const;
    void learn_row(std::size_t label, double weight);

    MulticlassEnsemble ensemble_;
    Features features_;
    MissingValues missing_;
    Summary summary_;
    std::size_t begun_ = 0;
    Row row_;  // of the writer, as are the next three
    std::unique_ptr<Scratch> scratch_;
    std::vector<FeatureId> fresh_;
    std::vector<double> f_, p_;  // the vote, and the probabilities
    MulticlassEnsemble::Placed placed_;
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
