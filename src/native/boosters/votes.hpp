// How OSBoost combines its learners: uniformly, by online convex programming (two geometries), or by prefix experts.
#pragma once
#include <memory>

#include "engine/archive.hpp"
#include "engine/parameters.hpp"
#include "engine/scratch.hpp"

namespace onlineboost {

class Vote {
   public:
    virtual ~Vote() = default;
    static std::unique_ptr<Vote> build(const Parameters& p, std::size_t learners);
    // How many numbers of scratch.room it wants.
    virtual std::size_t room() const { return 0; }
    virtual double margin(Scratch& scratch) const = 0;
    virtual double test(Scratch&, double margin, std::uint64_t /*rounds*/) const { return margin; }
    virtual double expected_error(Scratch&, double margin, double y) const { return y * margin <= 0.0 ? 1.0 : 0.0; }
    // After margin() on the same scratch: outputs before the update, the margin they gave, and how many rounds were
    // learned before this one.
    virtual void learn(Scratch&, double /*y*/, double /*s*/, double /*margin*/, std::uint64_t /*rounds*/) {}
    virtual void serialise(Archive&) {}
};

// f = (1/N) sum h_i
class UniformVote final : public Vote {
   public:
    explicit UniformVote(std::size_t learners) : learners_(learners) {}
    double margin(Scratch& scratch) const override;

   private:
    std::size_t learners_;
};

// f = <alpha, h>; on y f < theta, alpha <- Proj_simplex(alpha + eta_t y h)   (Zinkevich 2003)
class ConvexVote final : public Vote {
   public:
    enum class Projection { kNewton, kSort, kPivot };
    struct Options {
        double theta;
        double eta0;
        bool adaptive;
        Projection projection;
        std::uint64_t seed;
    };
    ConvexVote(std::size_t learners, Options options);
    double margin(Scratch& scratch) const override;
    void learn(Scratch& scratch, double y, double s, double margin, std::uint64_t rounds) override;
    void serialise(Archive& archive) override;

   private:
    std::size_t learners_;
    Options options_;
    Vector alpha_, work_;
    double squares_ = 0.0;  // adaptive schedule: sum of |gradient|^2 over active rounds
    double loss_ = 0.0;     // sum s max(0, theta - y f)
    double rate_ = 0.0;     // eta of the last active round
    double path_ = 0.0;     // sum of eta |gradient|^2 over active rounds: regret <= 1 / rate + path / 2
};

// f = <alpha, h>, alpha_i proportional to exp(eta G_i); on y f < theta, G += y h   (exponentiated gradient; Kivinen &
// Warmuth 1997)
class EntropicVote final : public Vote {
   public:
    EntropicVote(std::size_t learners, double theta);
    double margin(Scratch& scratch) const override;
    void learn(Scratch& scratch, double y, double s, double margin, std::uint64_t rounds) override;
    void serialise(Archive& archive) override;

   private:
    void refresh();
    double rate() const;

    std::size_t learners_;
    double theta_, log_n_;
    Vector losses_;         // -G: the sum of -s y h over active rounds
    double squares_ = 0.0;  // sum of s^2 over active rounds
    double loss_ = 0.0;     // sum s max(0, theta - y f)
    double rate_ = 0.0;     // eta of the last active round
    double path_ = 0.0;     // sum of eta s^2 over active rounds: regret <= ln N / rate + path / 2
    Vector weights_;        // derived from the above; the largest is 1
    double total_ = 0.0;    // of the weights
};

// Expert i votes with the mean of the first i learners; exponential weights over the experts' losses.
class ExpertVote final : public Vote {
   public:
    enum class Rate { kFixed, kAnytime, kAdaHedge, kShare };
    struct Options {
        Rate rate;
        double eta;   // for kFixed and kShare; ln 2 is the paper's halving
        bool sample;  // draw one expert per test round instead of the weighted vote
        std::uint64_t seed;

        static Options from(const Parameters& p);
    };
    ExpertVote(std::size_t learners, Options options);
    std::size_t room() const override { return loss_.size(); }  // for the experts' scores
    // The experts' weighted majority for the scores in scratch.room; a score of 0 has no vote.
    double balance(const Scratch& scratch) const;
    double margin(Scratch& scratch) const override;
    double test(Scratch& scratch, double margin, std::uint64_t rounds) const override;
    double expected_error(Scratch& scratch, double margin, double y) const override;
    void learn(Scratch& scratch, double y, double s, double margin, std::uint64_t rounds) override;
    void serialise(Archive& archive) override;

   private:
    void refresh(std::uint64_t rounds);
    double rate(std::uint64_t rounds) const;
    void share(const double* scores, double y, double s, std::uint64_t rounds);

    std::size_t learners_;
    Options options_;
    double log_n_;
    double largest_ = 1.0;  // kShare: B, the largest s so far if above 1
    Vector loss_;
    double expected_ = 0.0;  // sum of s times the weight of the experts that erred
    double gap_ = 0.0;       // AdaHedge: cumulated mixability gap
    double path_ = 0.0;      // anytime rate: sum of eta s^2; regret <= ln N / eta + path / 8
    std::uint64_t rounds_ = 0;
    Vector weights_;      // derived from the above. The best expert has 1, so that votes of equals cancel exactly
    double total_ = 0.0;  // of the weights
};

}  // namespace onlineboost
