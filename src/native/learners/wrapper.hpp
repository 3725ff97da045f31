// What banks share that change the row and hand it to banks inside them.
#pragma once
#include <algorithm>
#include <memory>
#include <string>

#include "learners/bank.hpp"

namespace onlineboost {

// The scratch of the k-th inner bank, made when first asked for: readers bring their own.
inline Scratch& inner_scratch(Scratch& scratch, std::size_t k, const Bank& bank) {
    while (scratch.inner.size() <= k) scratch.inner.push_back(nullptr);
    if (!scratch.inner[k]) scratch.inner[k] = std::make_unique<Scratch>(bank.layout);
    return *scratch.inner[k];
}

// Names the fields of an inner bank, so that no two banks own one name.
class PrefixedArchive final : public Archive {
   public:
    PrefixedArchive(Archive& outer, std::string prefix) : outer_(outer), prefix_(std::move(prefix)) {}
    bool loading() const override { return outer_.loading(); }
    bool has(const std::string& name) const override { return outer_.has(prefix_ + name); }
    void numbers(const std::string& name, double* values, std::size_t size) override { outer_.numbers(prefix_ + name, values, size); }
    void integers(const std::string& name, std::vector<std::int64_t>& values) override { outer_.integers(prefix_ + name, values); }
    void table(const std::string& name, Table& table, std::size_t learners, std::size_t rows) override {
        outer_.table(prefix_ + name, table, learners, rows);
    }

   private:
    Archive& outer_;
    std::string prefix_;
};

// One inner bank of all learners.
class WrapperBank : public Bank {
   public:
    explicit WrapperBank(std::unique_ptr<Bank> inner) : Bank(inner->layout.learners), inner_(std::move(inner)) {}

    void score(Scratch& scratch) const final {
        Scratch& own = inner_scratch(scratch, 0, *inner_);
        own.threads = scratch.threads;
        change(scratch, own.row);
        inner_->score(own);
        std::copy(own.h.begin(), own.h.end(), scratch.h.begin());
    }
    void update(Scratch& scratch, double y, const double* w) final { inner_->update(*scratch.inner[0], y, w); }
    void regress(Scratch& scratch, double y, const double* pull, const double* w) final {
        inner_->regress(*scratch.inner[0], y, pull, w);
    }
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) final {
        return inner_->step(*scratch.inner[0], i, y, w, times);
    }
    void finish(Scratch& scratch) final { inner_->finish(*scratch.inner[0]); }

   protected:
    // Fills `row`, slots included, from scratch.row.
    virtual void change(Scratch& scratch, Row& row) const = 0;
    void serialise_inner(Archive& archive, const std::vector<FeatureId>& ids) {
        PrefixedArchive named(archive, "inner.");
        inner_->serialise(named, ids);
    }

    std::unique_ptr<Bank> inner_;
};

}  // namespace onlineboost
