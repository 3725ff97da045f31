// Resets learners of a bank when ADWIN finds that errors have risen: each learner by its own errors, the worst one when
// any learner's have risen, or all of them by the vote's. In the background, a learner's understudy begins at a
// warning, which comes at ten times the alarm's delta, and takes its place at the alarm. Whatever is reset and
// whenever, sums over the outputs of the learners mean what they meant before.
#pragma once
#include <optional>

#include "drift/adwin.hpp"
#include "engine/parameters.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

class DriftWatch {
   public:
    enum class Whom { kEach, kAll, kWorst, kBackground };
    DriftWatch(std::size_t learners, double delta, Whom whom);
    // None where the parameters ask for none.
    static std::optional<DriftWatch> build(const Parameters& p, std::size_t learners);

    // After the bank has learned a row: h[i] y <= 0 is an error of learner i, margin <= 0 one of the vote. `round` is
    // the number of rows learned before.
    void learn(Bank& bank, const double* h, double y, double margin, std::uint64_t round);
    // The learner that the last call reset, of kWorst.
    std::optional<std::size_t> worst() const { return worst_; }
    void serialise(Archive& archive);

   private:
    static constexpr std::uint64_t kClock = 32;
    static constexpr std::size_t kMostEvents = 128;
    double warning() const;
    bool suspects(std::size_t i, double error);
    void reset(Bank& bank, std::size_t i);
    void note(std::uint64_t round, std::size_t learner);

    std::size_t learners_;
    double delta_;
    Whom whom_;
    std::optional<std::size_t> worst_;
    std::vector<Adwin> windows_;        // of each learner, or one of the vote; then those of warnings
    std::vector<std::int64_t> resets_;  // of each learner
    std::vector<std::int64_t> events_;  // the last ones: examples learned, learner; as many as there are: all of them
};

}  // namespace onlineboost
