// What banks share that change the row and hand it to banks inside them.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "learners/bank.hpp"

namespace onlineboost {

// Names the fields of an inner bank, so that no two banks own one name.
class PrefixedArchive final : public Archive {
   public:
    PrefixedArchive(Archive& outer, std::string prefix) : outer_(outer), prefix_(std::move(prefix)) {}
    bool loading() const override { return outer_.loading(); }
    bool has(const std::string& name) const override { return outer_.has(prefix_ + name); }
    void numbers(const std::string& name, double* values, std::size_t size) override {
        outer_.numbers(prefix_ + name, values, size);
    }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override {
        outer_.integers(prefix_ + name, values);
    }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        outer_.table(prefix_ + name, table, learners, rows);
    }

   private:
    Archive& outer_;
    std::string prefix_;
};

// The inner bank's scratch, and the row that it sees.
struct InnerScratch {
    explicit InnerScratch(const Bank& bank) : scratch(bank.make_scratch()) { scratch->row = &row; }
    Row row;
    std::unique_ptr<Scratch> scratch;
};

struct WrapperScratch : Scratch {
    WrapperScratch(Layout layout, const Bank& bank) : Scratch(layout), inner(bank) {}
    InnerScratch inner;
};

// One inner bank of all learners.
class WrapperBank : public Bank {
   public:
    explicit WrapperBank(std::unique_ptr<Bank> inner) : Bank(inner->layout.learners), inner_(std::move(inner)) {}

    void score(Scratch& scratch) const final {
        InnerScratch& own = inside(scratch);
        own.scratch->threads = scratch.threads;
        change(scratch, own.row);
        inner_->score(*own.scratch);
        std::copy(own.scratch->h.begin(), own.scratch->h.end(), scratch.h.begin());
    }
    void update(Scratch& scratch, double y, const double* w) final { inner_->update(*inside(scratch).scratch, y, w); }
    void regress(Scratch& scratch, double y, const double* pull, const double* w) final {
        inner_->regress(*inside(scratch).scratch, y, pull, w);
    }
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) final {
        return inner_->step(*inside(scratch).scratch, i, y, w, times);
    }
    void finish(Scratch& scratch) final { inner_->finish(*inside(scratch).scratch); }
    void forget(std::size_t i) final { inner_->forget(i); }

    void score_classes(Scratch& scratch) const final {
        InnerScratch& own = inside(scratch);
        own.scratch->threads = scratch.threads;
        change(scratch, own.row);
        inner_->score_classes(*own.scratch);
        scratch.shares = own.scratch->shares;
    }
    void expect(Scratch& scratch, std::size_t label) final {
        scratch.label = label;
        inner_->expect(*inside(scratch).scratch, label);
    }
    void update_class(Scratch& scratch, const double* w) final { inner_->update_class(*inside(scratch).scratch, w); }
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) final {
        inner_state_ = InnerState::kClasses;
        classes_ = classes;
        serialise(archive, ids);
    }
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) final {
        inner_state_ = InnerState::kAdopted;
        serialise(archive, ids);
    }

   protected:
    static InnerScratch& inside(Scratch& scratch) { return static_cast<WrapperScratch&>(scratch).inner; }
    // Fills `row`, slots included, from scratch.row.
    virtual void change(Scratch& scratch, Row& row) const = 0;
    void serialise_inner(Archive& archive, const std::vector<FeatureId>& ids) {
        PrefixedArchive named(archive, "inner.");
        switch (inner_state_) {
            case InnerState::kTwoClasses:
                return inner_->serialise(named, ids);
            case InnerState::kClasses:
                return inner_->serialise_classes(named, ids, classes_);
            case InnerState::kAdopted:
                return inner_->adopt(named, ids);
        }
    }

    std::unique_ptr<Bank> inner_;

   private:
    // What is asked of the inner bank when the state is written or read.
    enum class InnerState { kTwoClasses, kClasses, kAdopted };
    InnerState inner_state_ = InnerState::kTwoClasses;
    std::size_t classes_ = 0;
};

}  // namespace onlineboost
