// A model of label sets: an ensemble per label, with one walk over the rows and one table of features for all of them.
//
// A label may be new at any time. Beside the labels there is one that no row has, whose ensemble learns every row; a
// label that begins goes on with a copy of it. So the ensemble of each label has learned the whole stream, and nothing
// depends on which labels were declared.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>  // std::shared_lock

#include "boosters/label_booster.hpp"
#include "engine/lock.hpp"
#include "engine/missing.hpp"
#include "engine/column_report.hpp"
#include "engine/source.hpp"
#include "engine/summary.hpp"

namespace onlineboost {

class Labels {
   public:
    using Make = std::function<Ensemble()>;
    // `make` gives the ensemble of a label, always the same.
    Labels(Make make, std::unique_ptr<LabelBooster> booster);

    using Report = ColumnReport;  // the first column is of a label without examples
    // Rows of 0 and 1, one for each of `labels` labels.
    struct Sets {
        const std::uint8_t* has = nullptr;
        std::size_t labels = 0;
        const std::uint8_t* of(std::size_t row) const { return has + row * labels; }
    };
    // Nothing changes.
    void predict(const Source& source, const Report& report) const;
    void predict(const Source& source, std::vector<double>& decisions, std::vector<double>& probabilities) const;
    // Row by row: test, then learn the labels of the row with weight s (null: all 1; 0: the row is only tested). A
    // label begins with its first example, in the order of their numbers. Of slices and failures the same holds as of
    // Model::learn.
    std::size_t learn(const Source& source, const Sets& sets, const double* s, const Report& report,
                      std::size_t start = 0);

    void serialise(Archive& archive);
    // As of Model.
    void save_summary(Archive& archive);
    std::size_t count() const;  // labels that have begun
    std::uint64_t rounds() const;
    std::size_t features() const;
    std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }
    void set_threads(std::size_t threads) { threads_.store(threads, std::memory_order_relaxed); }

   private:
    void add_place(Places& places, double sign) const;
    void check_sets(const Source& source, const Sets& sets, const double* s) const;
    void predict_rows(const Source& source, const Report& report) const;
    void tell(const LabelScratches& heard, const double* margins, std::size_t row, const Report& report) const;
    void expect(const std::uint8_t* has, std::size_t labels);
    void learn_row(const std::uint8_t* has, std::size_t labels, double weight);

    Make make_;
    std::unique_ptr<LabelBooster> booster_;
    Places places_;
    Features features_;
    MissingValues missing_;
    Summary summary_;
    Row row_;  // of the writer, as are the next five
    LabelScratches heard_;
    std::vector<double> margins_, decisions_, probabilities_;
    Present present_;
    std::vector<FeatureId> fresh_;
    Places coming_;  // labels that begin with the row at hand
    std::atomic<std::size_t> threads_{1};
    mutable Lock mutex_;
};

}  // namespace onlineboost
