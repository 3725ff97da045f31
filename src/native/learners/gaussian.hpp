// Banks whose learners are Gaussians over linear functions, N(u, Sigma): AROW, SCW, ridge and logistic regression
// differ in two numbers per example, alpha and beta:   u += alpha Sigma x,   Sigma -= beta Sigma x x' Sigma.
//
// With a half-life, Sigma first goes back towards where it began, Sigma <- k Sigma + (1 - k) variance I: row by row if
// it is full; a coordinate of a diagonal one catches up when its feature is met.
//
// Sigma is diagonal, or full and packed as the rows of its lower triangle: a new coordinate f appends f + 1 rows,
// learners are contiguous in each, and so the kernels are the same sweeps as everywhere. d coordinates take N d (d + 1)
// / 2 numbers, 1.6 MB for ten learners on 200 features, and as many multiplications per example that is learned.
#pragma once
#include "learners/half_life.hpp"
#include "learners/linear.hpp"

namespace onlineboost {

class GaussianBank final : public LinearBank {
   public:
    enum class Rule { kArow, kScw1, kScw2, kRidge, kLogistic };
    struct Options {
        Rule rule;
        bool full;
        double first;      // r of AROW, C of SCW
        double phi;        // of SCW
        double variance;   // of a coordinate at the start
        bool forward;      // the output looks at the variance v of s: ridge says s / (1 + v), Vovk-Azoury-Warmuth
        double half_life;  // of what is known, in rows; 0: nothing is forgotten
    };
    GaussianBank(std::size_t learners, Normalise normalise, Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);
    std::unique_ptr<Scratch> make_scratch() const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;
    std::size_t most_features() const override { return options_.full ? kMostFeatures : Bank::most_features(); }
    std::string limit() const override;

    static constexpr std::size_t kMostFeatures = 512;

   private:
    struct Own;
    void output(LinearScratch& scratch, double* h, std::size_t from, std::size_t to) const override;
    void learn(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) override;
    void begin(std::uint64_t feature) override;
    void age(LinearScratch& scratch) override;
    double kept(std::size_t coordinate) const;
    double aged(double variance, double kept) const {
        return options_.variance - kept * (options_.variance - variance);
    }
    void list_rows();
    void settle(std::size_t from, std::size_t to);
    bool is_covariance(std::size_t d, std::size_t i) const;
    void variance(LinearScratch& scratch, double* v, std::size_t from, std::size_t to) const;
    void scalars(LinearScratch& scratch, double y, const double* w, std::size_t from, std::size_t to) const;

    Options options_;
    Table sigma_;
    std::uint64_t clock_ = 0;        // rows met, with a half-life
    std::vector<std::int64_t> met_;  // of each coordinate of a diagonal Sigma: the row that it is up to date with
    std::vector<double*> coordinates_, entries_;  // all rows of u and, if it is full, of Sigma
};

}  // namespace onlineboost
