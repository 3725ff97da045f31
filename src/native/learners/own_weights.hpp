// Missing values in Naive Bayes: a row says nothing of a feature that it misses, neither when it is scored nor when it
// is learned. So a feature that was ever missing has a weight of its own per class and learner, that of the rows which
// had it; all others share the weights of the classes. The features that say that one is missing are not looked at.
//
// onlineboost.reference.naive_bayes has the same in NumPy.
#pragma once
#include <cmath>
#include <limits>

#include "engine/missing.hpp"
#include "kernels/kernels.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

constexpr double kSeen = 1e-16;             // a class of no more weight than this has taught nothing yet
constexpr double kLargestVariance = 1e260;  // in a state

struct OwnWeightsScratch {
    explicit OwnWeightsScratch(std::size_t size) : term(size), event{Vector(size), Vector(size)} {}
    std::vector<double> values;         // of each feature with weights of its own; kMissing where it is missing
    std::vector<std::size_t> left_out;  // slots of other features that the row misses
    std::vector<double*> rest[4];       // where one of the listed Gaussians is missing, the others, as in Listed
    std::vector<double> others;         // and their values
    bool whole = true;                  // none of them is missing
    Vector term, event[2];
};

// Statistics of one class.
struct BayesClass {
    explicit BayesClass(std::size_t stride)
        : total(stride), spread(stride), counts(stride), mean(stride), m2(stride), inverse(stride) {}
    Vector total;             // weight seen
    Vector spread;            // sum over Gaussian features of log variance
    Table counts;             // a row per binary feature, or per value of a categorical one
    Table mean, m2, inverse;  // a row per Gaussian feature: moments and 1 / variance
};

// The rows of the Gaussian features that share the weights of the classes.
struct Listed {
    const std::vector<double*>&mean1, &inverse1, &mean0, &inverse0;
};

class OwnWeights {
   public:
    static constexpr std::int32_t kNone = -1, kIndicator = -2;
    static constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

    OwnWeights(std::size_t stride, bool wanted)
        : wanted_(wanted), totals_{Table(stride), Table(stride)}, spreads_{Table(stride), Table(stride)} {}

    // Models of earlier files, and the paper's estimates, see the mean and the indicator as other learners do.
    bool wanted() const { return wanted_; }
    std::size_t size() const { return slots_.size(); }
    // Which of them a slot is, or kNone, or kIndicator.
    std::int32_t of(std::size_t slot) const { return own_of_[slot]; }
    std::size_t slot(std::size_t own) const { return slots_[own]; }
    Table& totals(int c) { return totals_[c]; }
    double* total(int c, std::size_t own) { return totals_[c].row(own); }
    const double* total(int c, std::size_t own) const { return totals_[c].row(own); }
    double* spread(int c, std::size_t own) { return spreads_[c].row(own); }  // the log variance, if it is Gaussian
    const double* spread(int c, std::size_t own) const { return spreads_[c].row(own); }

    static bool is_indicator(FeatureId id) { return id >= kFirstIndicator; }

    // Before a row is learned. Gives how many features get weights of their own by it.
    std::size_t make_room(OwnWeightsScratch& scratch, const Row& row, std::size_t fresh);
    // The slots from `from` on appeared; features that the row misses get the weights so far. Whether there were any.
    bool meet(const Row& row, const std::vector<FeatureId>& ids, std::size_t from, const Vector& minus,
              const Vector& plus);
    void begin(OwnWeightsScratch& scratch) const {
        scratch.values.assign(size(), 0.0);
        scratch.left_out.clear();
        scratch.whole = true;
    }
    // Some of the values of listed features are missing.
    static void leave_out(OwnWeightsScratch& scratch, const Listed& listed, const std::vector<double>& values);
    // q = what the listed features say, without those that are missing, whose variances are taken back by the second.
    static void score_listed(const OwnWeightsScratch& scratch, const Listed& listed, const std::vector<double>& values,
                             double* q, std::size_t from, std::size_t to);
    static void take_spread_back(const double* inverse1, const double* inverse0, double* q, std::size_t from,
                                 std::size_t to);
    void forget(std::size_t i) {
        for (Table& table : totals_) table.fill_column(i, 0.0);
    }
    // `minus` and `plus` are the weights of the classes.
    void serialise(Archive& archive, const std::vector<FeatureId>& ids, std::size_t learners, const Vector& minus,
                   const Vector& plus);

    // q += 2 times log P(event | +1) / P(event | -1) by counts of the event, for learners that saw the feature in both.
    static void add_counts(OwnWeightsScratch& scratch, const double* plus, const double* minus, const double* n_plus,
                           const double* n_minus, double alpha, double pseudo, double times, double* q,
                           std::size_t from, std::size_t to);
    // The same of a density, by row `row` of the moments.
    void add_density(OwnWeightsScratch& scratch, std::size_t own, const BayesClass& plus, const BayesClass& minus,
                     std::size_t row, double* q, std::size_t from, std::size_t to) const;
    // Moments that take a value with weights `w`, which are in the totals already.
    void learn_density(int c, std::size_t own, BayesClass& side, std::size_t row, double value, const double* w,
                       double floor, std::size_t from, std::size_t to);
    // The totals, counts and moments of class `c` take what the row has: counts(own, value) is the row of counts that
    // the value adds to, or null; moments(own) is the row of its moments, or -1.
    template <class Counts, class Moments>
    void learn(const OwnWeightsScratch& scratch, int c, BayesClass& side, const double* w, double floor,
               std::size_t from, std::size_t to, Counts counts, Moments moments) {
        for (std::size_t own = 0; own < size(); ++own) {
            const double value = scratch.values[own];
            if (std::isnan(value)) continue;
            double* rows[2] = {total(c, own), counts(own, value)};
            kernels().add_weights(rows, rows[1] ? 2 : 1, w, from, to);
            if (const std::int64_t row = moments(own); row >= 0)
                learn_density(c, own, side, static_cast<std::size_t>(row), value, w, floor, from, to);
        }
    }
    // Of a state: no variance is too large for the weight.
    void check_density(int c, std::size_t own, const BayesClass& side, std::size_t row, std::size_t learners) const;

   private:
    // The indicators of features below 2^30: above it, names beside columns are numbered from 2^31 on.
    static constexpr FeatureId kFirstIndicator = 0xC0000000u;

    bool wanted_;
    std::vector<std::int32_t> own_of_;  // by slot
    std::vector<std::size_t> slots_;
    Table totals_[2], spreads_[2];  // of -1 and +1
};

// Walks along the gaps of a row: the places must be asked for in order.
class GapWalk {
   public:
    GapWalk(const Row& row, bool wanted) : at_(wanted ? row.gaps.begin() : row.gaps.end()), end_(row.gaps.end()) {}
    bool missing(std::size_t k) {
        const bool here = at_ != end_ && *at_ == k;
        at_ += here ? 1 : 0;
        return here;
    }

   private:
    std::vector<std::uint32_t>::const_iterator at_, end_;
};

}  // namespace onlineboost
