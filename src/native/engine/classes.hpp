// A bank per class, and one walk over the rows for all of them.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "boosters/class_booster.hpp"
#include "engine/lock.hpp"
#include "engine/source.hpp"

namespace onlineboost {

class Classes {
   public:
    Classes(std::size_t learners, std::unique_ptr<ClassBooster> booster) : learners_(learners), booster_(std::move(booster)) {}

    // One more class; it begins with its first example, and without one it changes nothing.
    // The list of classes changes in what is handed to `guard`.
    using Guard = void (*)(const std::function<void()>& change);
    void add(std::unique_ptr<Bank> bank, std::unique_ptr<Booster> booster, Guard guard);
    // Takes back classes that have not begun.
    void drop(std::size_t classes, Guard guard);
    std::size_t count() const { return count_.load(std::memory_order_acquire); }  // without the lock: the caller may have the GIL
    // f(bank) for the bank of each class, without the lock, to be called where no `change` of add() and drop() can run.
    template <class F>
    void each_bank(F f) {
        for (ClassBank& one : classes_) f(*one.bank);
    }
    std::size_t learners() const { return learners_; }

    // A decision and a probability for each row and each of the `count` classes that there must be; nothing changes.
    void predict(const Source& source, std::size_t count, double* decisions, double* probabilities) const;
    // Row by row: test, then learn the class of the row (below count()) with weight s (null: all 1; 0: the row is only tested, whatever
    // its class). `decisions` and `probabilities` may be null.
    void learn(const Source& source, const std::int64_t* labels, const double* s, double* decisions, double* probabilities);

    void serialise(Archive& archive);
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    void learn_row(std::size_t label, double weight);
    void learn_or_undo(std::size_t label, double weight);
    void hear(const Row& row, std::size_t k, Scratch& scratch, double& margin) const;
    void report(const Scratches& heard, const double* margins, double* decisions, double* probabilities) const;
    void check_labels(const Source& source, const std::int64_t* labels, const double* s) const;

    std::size_t learners_;  // of each class
    std::vector<ClassBank> classes_;
    std::atomic<std::size_t> count_{0};  // of them
    std::size_t begun_ = 0;
    std::unique_ptr<ClassBooster> booster_;
    Row row_;                // of the writer, as are the next two
    Scratches heard_;
    std::vector<std::vector<FeatureId>> fresh_;  // features of the row at hand that are new, by class
    std::vector<double> margins_;
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
