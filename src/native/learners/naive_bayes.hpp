// Bank of Naive Bayes classifiers (SPEC 3.2): h = 2 p(+1|x) - 1; binary features by counts, others by Gaussian moments.
#pragma once
#include "kernels/kernels.hpp"
#include "learners/bank.hpp"
#include "learners/half_life.hpp"
#include "learners/normalise.hpp"
#include "learners/own_weights.hpp"

namespace onlineboost {

struct NaiveBayesScratch final : Scratch {
    explicit NaiveBayesScratch(Layout layout) : Scratch(layout), q(h.size()), after(h.size()), own(h.size()) {}
    std::vector<double*> rows[2];  // counts of the present binary features: of +1, of -1
    std::vector<double> values;    // one per Gaussian row of the lists
    Vector q;                      // what the Gaussian features say
    Vector after;                  // outputs after a step
    OwnWeightsScratch own;
};

class NaiveBayesBank final : public BankWith<NaiveBayesScratch> {
   public:
    enum class Kind { kAuto, kBernoulli, kGaussian };

    NaiveBayesBank(std::size_t learners, Normalise normalise, Kind kind, double alpha, double variance_floor,
                   bool paper, double kept);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    void score(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update(Scratch& scratch, double y, const double* w) override;
    double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) override;
    void finish(Scratch&) override {}
    void forget(std::size_t i) override;
    void serialise(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Class : BayesClass {
        explicit Class(std::size_t stride) : BayesClass(stride), absent(stride), exponent(stride) {}
        Vector absent, exponent;  // product over binary features of P(absent | class), as mantissa and exponent
    };
    struct Place {
        bool gaussian;
        std::size_t row;
    };

    Place new_place(bool gaussian);
    void make_gaussian(std::size_t slot, double norm);
    void fade();
    double norm_of(const Row& row) const;
    void gather(NaiveBayesScratch& scratch) const;
    std::size_t gather_all(NaiveBayesScratch& scratch, double norm) const;
    std::size_t gather_some(NaiveBayesScratch& scratch, double norm) const;
    void judge_own(NaiveBayesScratch& scratch, std::size_t from, std::size_t to) const;
    void check_own() const;
    void learn_own(NaiveBayesScratch& scratch, int c, const double* w, std::size_t from, std::size_t to);
    void output(NaiveBayesScratch& scratch, double* h, std::size_t from, std::size_t to) const;
    Listed listed() const { return {lists_[1][1], lists_[1][3], lists_[0][1], lists_[0][3]}; }
    void list_rows();
    void list_rows(bool gaussian, std::vector<std::int32_t>& at);
    void derive_absent(int c, std::size_t from, std::size_t to);
    void derive(int c, std::size_t from, std::size_t to);
    void learn_moments(int c, NaiveBayesScratch& scratch, const double* w, std::size_t from, std::size_t to);
    const double* weights_of(int c) const { return pooled_ ? both_.data() : classes_[c].total.data(); }
    void check(const Class& side, const std::string& name) const;

    Normalise normalise_;
    Kind kind_;
    BayesRule rule_;
    double floor_;
    double kept_;                      // of all counts, from row to row
    bool pooled_;                      // moments are taken over the weight of both classes
    Class classes_[2];                 // 1 is +1, 0 is -1
    Vector both_, nothing_;            // weight seen, of both classes; zeros
    std::vector<double> zeros_;        // one for each Gaussian row
    std::vector<Place> places_;        // of each slot
    std::vector<std::size_t> owners_;  // slot of each binary row
    bool has_constant_;                // the intercept is Gaussian row 0
    OwnWeights own_;
    std::vector<double*> lists_[2][4];  // the rows of features without weights of their own: counts, mean, m2, inverse
    std::vector<std::int32_t> counts_at_, moments_at_;  // where each row stands in these lists, or -1
    bool all_listed_ = true;                            // no feature has weights of its own, none is an indicator
};

}  // namespace onlineboost
