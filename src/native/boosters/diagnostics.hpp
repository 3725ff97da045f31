// What OSBoost sums up over the stream so that its guarantees can be read off a model: the masses of the paper's
// lemmas, and what the learners and the prefixes did. Sums over examples t of weight s_t; i = 1..N are learners and
// prefixes.
#pragma once
#include <string>

#include "engine/archive.hpp"
#include "engine/storage.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

class Diagnostics {
   public:
    // `keep` multiplies every weight before an example is added, and so its square the sum of squares: 1 for sums over
    // the whole stream, less to forget.
    Diagnostics(std::size_t learners, double keep)
        : learners_(learners), keep_(keep), mass_(round_up(learners) + 1), squares_(round_up(learners)),
          edge_(round_up(learners)), shortfall_(round_up(learners)), thin_(round_up(learners)),
          wrong_(round_up(learners)) {}

    // Where the kernel adds an example.
    Sums sums() {
        return {keep_, mass_.data(), squares_.data(), edge_.data(), shortfall_.data(), thin_.data(), wrong_.data()};
    }

    void serialise(Archive& archive, const std::string& prefix) {
        archive.sums(prefix + "weight_mass", mass_.data(), learners_ + 1);
        archive.sums(prefix + "weight_squares", squares_.data(), learners_);
        archive.numbers(prefix + "weighted_edges", edge_.data(), learners_);
        archive.sums(prefix + "margin_shortfalls", shortfall_.data(), learners_);
        archive.sums(prefix + "margin_errors", thin_.data(), learners_);
        archive.sums(prefix + "prefix_mistakes", wrong_.data(), learners_);
    }

   private:
    std::size_t learners_;
    double keep_;
    Vector mass_;       // sum s w_i, i = 1..N+1; the first is the sum of s
    Vector squares_;    // sum (s w_i)^2
    Vector edge_;       // sum s w_i y h_i
    Vector shortfall_;  // sum s max(0, -z_i): i times the hinge loss at theta of the mean of the first i learners
    Vector thin_;       // sum s 1{z_i <= 0}: that mean has a margin of at most theta
    Vector wrong_;      // sum s 1{y (h_1 + ... + h_i) <= 0}: it errs
};

}  // namespace onlineboost
