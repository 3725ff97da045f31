// Nearest neighbours in a bounded memory, one search for all learners; see onlineboost/learners/neighbours.py.
//
// The memory is feature-major: a column of `memory` numbers per feature. A search reads the columns of the row's own
// features only, so that sparse rows are cheap, and all rows of the memory at once; among few features it asks boxes of
// rows while these spare it most of them.
#pragma once
#include "learners/bank.hpp"
#include "learners/neighbour_boxes.hpp"

namespace onlineboost {

class NeighboursBank final : public Bank {
   public:
    struct Options {
        std::size_t k, memory;
        std::uint64_t seed;
    };
    NeighboursBank(std::size_t learners, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void forget(std::size_t i) override { weights_.fill_column(i, 0.0); }
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    // Of many classes: P(k) is the neighbours' share of class k, drawn to equal shares in the same way.
    void score_classes(Scratch& scratch) const override;
    void update_class(Scratch& scratch, const double* w) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return kMostNumbers / options_.memory; }
    std::string limit() const override;

    static constexpr std::size_t kMostNumbers = std::size_t{1} << 26;  // of the memory: 256 MB
    // Where there are boxes: features, and rows of a memory.
    static constexpr std::size_t kMostInBoxes = 16, kLeastBoxed = 256, kMostBoxed = std::size_t{1} << 17;

   private:
    struct Own;
    using Column = std::vector<float, Aligned64<float>>;
    struct Stored {
        std::vector<std::int32_t> slots;
        double y = 1.0;  // +1 or -1; of many classes their number
    };
    std::size_t rows() const { return stored_.size(); }
    void read(Own& scratch) const;
    void search(Own& scratch) const;
    bool boxed(std::size_t features) const;
    void put(std::size_t r);
    void judge_boxes(const Own& scratch);
    double output(const Own& scratch, std::size_t i) const;
    // f(row, nearness times weight) for each neighbour of learner i; returns the sum of their nearness.
    template <class F>
    double each_neighbour(const Own& scratch, std::size_t i, F f) const;
    void serialise_rows(Archive& archive, const std::vector<FeatureId>& ids, double low, double high);

    Options options_;
    std::vector<std::size_t> k_;   // of each learner
    std::vector<Column> columns_;  // of each slot, each of capacity_ numbers
    std::size_t capacity_ = 0;     // rows that the columns have room for
    std::size_t wide_ = 0;         // columns that have it
    std::vector<Stored> stored_;
    std::vector<double> norms_;       // sums of squares
    Table weights_;                   // of each row, per learner
    std::vector<std::int32_t> next_;  // room for the slots of the next row
    std::size_t features_ = 0;
    std::uint64_t learned_ = 0;
    std::size_t classes_ = 0;  // of many: that have begun
    std::size_t last_ = 0;     // the place of the row that was met last
    NeighbourBoxes boxes_;
    double visited_ = 0.0;           // the share of rows that searches in boxes look at, of late
    int boxes_failed_ = 0;           // trials in which they did not pay
    std::uint64_t boxes_again_ = 0;  // when boxes are asked again
};

}  // namespace onlineboost
