// Bank of Naive Bayes classifiers that find out what their features are: a feature is categorical (binary ones too)
// while it has shown few different values in the rows learned, 0 for its absence among them, and Gaussian from then on,
// with the moments of those counts.
#pragma once
#include <string>

#include "learners/bank.hpp"
#include "learners/half_life.hpp"
#include "learners/own_weights.hpp"

namespace onlineboost {

struct TypedBayesScratch final : Scratch {
    explicit TypedBayesScratch(Layout layout)
        : Scratch(layout), s(h.size()), q(h.size()), after(h.size()), own(h.size()) {}
    std::vector<double> dense;           // the value of every slot; OwnWeights::kMissing
    std::vector<double*> rows[2];        // counts of the values at hand: of +1, of -1
    std::vector<double> pseudo;          // and the pseudo-counts of their features
    std::vector<double> values;          // one per Gaussian row of the lists
    std::vector<std::size_t> surprised;  // slots whose value in the row is new
    Vector s, q;                         // what the categorical and what the Gaussian features say
    Vector after;                        // outputs after a step
    OwnWeightsScratch own;
    std::vector<std::int64_t> own_rows;  // of each of its features: the count row of its value, or -1
};

class TypedBayesBank final : public BankWith<TypedBayesScratch> {
   public:
    TypedBayesBank(std::size_t learners, double alpha, double variance_floor, std::size_t most_values, double kept);
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
    struct Value {
        double value;
        std::size_t row;  // of counts
    };
    struct Feature {
        bool gaussian = false;
        std::size_t row = 0;        // of the moments
        std::vector<Value> values;  // in the order of their first row
        bool has(double value) const {
            for (const Value& v : values)
                if (v.value == value) return true;
            return false;
        }
    };

    std::size_t new_count_row();
    void make_gaussian(std::size_t slot);
    const double* total_of(int c, std::size_t slot) const {
        return own_.of(slot) < 0 ? classes_[c].total.data() : own_.total(c, static_cast<std::size_t>(own_.of(slot)));
    }
    Listed listed() const { return {moments_[1][0], moments_[1][2], moments_[0][0], moments_[0][2]}; }
    void judge_own(TypedBayesScratch& scratch, std::size_t from, std::size_t to) const;
    void learn_own(TypedBayesScratch& scratch, int c, const double* w, std::size_t from, std::size_t to);
    void check_own() const;
    void list_moments();
    void derive(int c, std::size_t from, std::size_t to);
    void spread_out(TypedBayesScratch& scratch) const;
    void gather(TypedBayesScratch& scratch) const;
    void output(TypedBayesScratch& scratch, double* h, std::size_t from, std::size_t to) const;
    void learn(TypedBayesScratch& scratch, double y, const double* w, std::size_t from, std::size_t to);
    void check(const BayesClass& side, const std::string& name) const;

    double alpha_, floor_;
    std::size_t most_values_;
    double kept_;            // of all counts, from row to row
    bool started_ = false;   // a row was learned, so that a feature that appears now has been 0 before
    BayesClass classes_[2];  // 1 is +1, 0 is -1
    Vector nothing_, ones_;
    std::vector<Feature> features_;  // of each slot
    std::vector<std::size_t> free_;  // rows of counts without a value
    OwnWeights own_;
    std::vector<double*> moments_[2][3];    // the rows of features without weights of their own: mean, m2, inverse
    std::vector<std::int32_t> moments_at_;  // where each row stands in these lists, or -1
    std::vector<double> zeros_;             // one for each Gaussian row
    std::vector<Feature> coming_;           // for the slots that meet adds
};

}  // namespace onlineboost
