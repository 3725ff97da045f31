// Bank of averaged Perceptrons: u as the Perceptron's, h from its average over time, u - v/clock.
#pragma once
#include "learners/lanes.hpp"
#include "learners/linear.hpp"

namespace onlineboost {

class AveragedPerceptronBank final : public LinearBank {
   public:
    struct Options {
        bool rounds;        // time is counted in examples, not in weight
        bool random_start;  // as the Perceptron's
        LaneSeeds seeds;
        double width;  // the number of coordinates that the start is scaled for
    };
    AveragedPerceptronBank(std::size_t learners, Normalise normalise, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;
    void begin(std::uint64_t feature) override;
    bool start(std::uint64_t feature, double* row) const override;

    Options options_;
    std::vector<std::uint64_t> started_;  // the coordinates by feature
    Table v_;                             // sum of the steps, each times the clock at which it was taken
    Vector clock_, uu_, uv_, vv_;         // and the products <u,u>, <u,v>, <v,v>
};

}  // namespace onlineboost
