// A model of many classes: an ensemble per class, and one walk over the rows for all of them.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "boosters/class_booster.hpp"
#include "engine/column_report.hpp"
#include "engine/lock.hpp"
#include "engine/missing.hpp"
#include "engine/source.hpp"
#include "engine/summary.hpp"

namespace onlineboost {

class Classes {
   public:
    Classes(std::size_t learners, std::unique_ptr<ClassBooster> booster)
        : learners_(learners), booster_(std::move(booster)) {}

    // One more class; it begins with its first example, and without one it changes nothing.
    // The list of classes changes in what is handed to `guard`.
    using Guard = void (*)(const std::function<void()>& change);
    void add(Ensemble ensemble, Guard guard);
    // Takes back classes that have not begun.
    void drop(std::size_t classes, Guard guard);
    std::size_t count() const;
    // f(bank) for the bank of each class, without the lock, to be called where no `change` of add() and drop() can run.
    template <class F>
    void each_bank(F f) {
        for (ClassEnsemble& one : classes_) f(one.ensemble.bank());
    }
    std::size_t learners() const { return learners_; }

    using Report = ColumnReport;  // of the count() classes
    // Nothing changes.
    void predict(const Source& source, const Report& report) const;
    // The same for vectors, which are made as long as there are values.
    void predict(const Source& source, std::vector<double>& decisions, std::vector<double>& probabilities) const;
    // Row by row: test, then learn the class of the row (below count()) with weight s (null: all 1; 0: the row is only
    // tested, whatever its class). Of slices and failures the same holds as of Model::learn.
    std::size_t learn(const Source& source, const std::int64_t* labels, const double* s, const Report& report,
                      std::size_t start = 0);

    void serialise(Archive& archive);
    // As of Model.
    void save_summary(Archive& archive);
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    void learn_row(std::size_t label, double weight);
    void learn_or_undo(std::size_t label, double weight);
    void serialise_boosters(Archive& archive);
    void serialise_signs(Archive& archive);
    void hear(const Row& row, std::size_t k, const HeardRow& heard, double& margin) const;
    void predict_rows(const Source& source, double* decisions, double* probabilities) const;
    void decide(const Scratches& heard, const double* margins, std::size_t row, double* decisions,
                double* probabilities) const;
    void check_count(const Report& report) const;
    void check_labels(const Source& source, const std::int64_t* labels, const double* s) const;

    std::size_t learners_;  // of each class
    std::vector<ClassEnsemble> classes_;
    std::size_t begun_ = 0;
    Summary summary_;
    std::unique_ptr<ClassBooster> booster_;
    MissingValues missing_;
    Row row_;  // of the writer, as are the next five
    Scratches heard_;
    std::vector<std::vector<FeatureId>> fresh_;  // features of the row at hand that are new, by class
    std::vector<double> margins_, decisions_, probabilities_;
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
