// What banks of linear learners share: rows of coordinates, the score s = <u,x>, and learning on a range of learners.
#pragma once
#include <string>

#include "learners/bank.hpp"
#include "learners/normalise.hpp"

namespace onlineboost {

constexpr std::uint64_t kInterceptId = ~std::uint64_t{0};

// For loading a state.
inline void require_none_below_zero(const Table& table, const char* name) {
    for (std::size_t r = 0; r < table.rows(); ++r)
        for (std::size_t i = 0; i < table.stride(); ++i) Archive::check(table.row(r)[i] >= 0.0, name);
}

struct LinearScratch : Scratch, NormalisedRow {
    explicit LinearScratch(Layout layout)
        : Scratch(layout), s(h.size()), c(h.size()), q(h.size()), inv(h.size()), after(h.size()) {}
    std::vector<double*> rows[3];  // of the tables, one per value; see LinearBank::tables_
    std::vector<std::size_t> at;   // coordinates of the values
    std::vector<Vector> fresh;     // rows of features that the model has not met
    std::size_t unmet = 0;         // how many of them this row has
    double unmet2 = 0.0;           // their share of norm2
    std::vector<double> late;      // their values
    // One value per learner.
    Vector s;          // scores
    Vector c, q, inv;  // what a learner's two halves, output and learn, work out
    Vector after;      // outputs after a step
};

class LinearBank : public BankWith<LinearScratch> {
   public:
    void score(Scratch& scratch) const final;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) final;
    void update(Scratch& scratch, double y, const double* w) final { learn(own(scratch), y, w, 0, used_); }
    bool lanes_apart() const final { return true; }
    void use(std::size_t lanes) final { used_ = std::min(round_up(lanes), layout.stride); }
    void update_lanes(Scratch& scratch, double y, const double* w, std::size_t from, std::size_t to) final {
        learn(own(scratch), y, w, from, std::min(to, used_));
    }
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) final;
    void finish(Scratch&) final {}
    void forget(std::size_t i) override {
        for (Table* table : tables_) table->fill_column(i, 0.0);
    }

   protected:
    LinearBank(std::size_t learners, Normalise normalise)
        : BankWith(learners), normalise_(normalise), offset_(normalise.intercept ? 1 : 0), u_(layout.stride),
          used_(layout.stride) {}
    // Whether the kernels' sweeps take this range.
    bool is_sweep(std::size_t from, std::size_t to) const {
        return from % 8 == 0 && (to % 8 == 0 || to == layout.stride);
    }
    // To be called by the constructor of a learner, once its tables are listed.
    void open() {
        if (offset_ == 1) appear(kInterceptId);
    }

    // h for the learners from <= i < to, whose scores are in scratch.s.
    virtual void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const = 0;
    // Teaches them; w[i] = 0 leaves a learner as it is.
    virtual void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) = 0;
    // A new coordinate, after a row of zeros was appended to every table. Allocates nothing: make_room did.
    virtual void begin(std::uint64_t feature) { (void)feature; }
    // A row was met: what forgets by rows does so now.
    virtual void age(LinearScratch& scratch) { (void)scratch; }
    // Where a coordinate starts; false: at 0.
    virtual bool start(std::uint64_t feature, double* row) const {
        (void)feature, (void)row;
        return false;
    }

    Normalise normalise_;
    std::size_t offset_;  // 1 with an intercept, which is coordinate 0
    Table u_;
    std::vector<Table*> tables_{&u_};  // one row per coordinate; scratch.rows has those of the row, in this order

   private:
    std::size_t used_;  // learners that are asked and taught, to a multiple of eight

    void appear(std::uint64_t feature);
    void gather(LinearScratch& scratch) const;
};

}  // namespace onlineboost
