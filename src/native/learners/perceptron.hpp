// Bank of Perceptrons (SPEC 3.1): h = <u,x> / max(1, |u|); u += w y x where y <u,x> <= 0; u starts as a random
// direction.
#pragma once
#include "learners/bank.hpp"
#include "learners/lanes.hpp"
#include "learners/normalise.hpp"

namespace onlineboost {

struct PerceptronScratch final : Scratch, NormalisedRow {
    explicit PerceptronScratch(Layout layout) : Scratch(layout), s(h.size()), c(h.size()), inv(h.size()) {}
    std::vector<double*> rows;  // of coordinates, one per value
    std::vector<Vector> fresh;  // those of features that the model has not met
    std::size_t unmet = 0;      // how many of them this row has
    Vector s;                   // scores <u,x>
    Vector c;                   // steps that wait for finish()
    Vector inv;                 // 1 / max(1, |u|) with the fresh coordinates
};

class PerceptronBank final : public BankWith<PerceptronScratch> {
   public:
    // `width` is the number of coordinates that the random start is scaled for.
    PerceptronBank(std::size_t learners, Normalise normalise, bool random_start, LaneSeeds seeds, double width);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch& scratch) override;
    bool lanes_apart() const override { return true; }
    void use(std::size_t lanes) override { used_ = std::min(round_up(lanes), layout.stride); }
    void update_lanes(Scratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override {
        teach(own(scratch), y, w, from, std::min(to, used_));
    }
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void start_row(std::uint64_t feature, double* row) const;
    void refresh_inverse();
    void gather(PerceptronScratch& scratch) const;
    void teach(PerceptronScratch& scratch, double y, const double* w, std::size_t from, std::size_t to);

    Normalise normalise_;
    bool random_start_;
    LaneSeeds seeds_;
    double start_scale_;
    std::vector<std::uint64_t> started_;  // the coordinates by feature
    Table u_;                             // row 0 is the intercept, row slot + offset the feature's
    std::size_t offset_;                  // 1 with an intercept
    Vector norm2_, inv_;                  // |u|^2 and 1 / max(1, |u|)
    std::size_t used_;                    // learners that are asked and taught, to a multiple of eight
};

}  // namespace onlineboost
