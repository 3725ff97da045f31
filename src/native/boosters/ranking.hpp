// Weak learners that rank labels, each made of one binary learner per label: learner i gives label k the share
//
//   h_i(k) = (1 + h_ki) / sum_l (1 + h_li)          equal shares where all of them say -1
//
// over the labels that have begun. What is learned are pairs of a label that the row has and one that it has not: how
// much a pair pulls on learner i, and with it on the two binary learners, is the booster's. Place 0 is pulled as a
// label that the row has not, and pulls on nobody.
//
// Scores are taken from their mean over the labels; a calibration per label makes them probabilities.
#pragma once
#include "boosters/label_booster.hpp"
#include "engine/calibration.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

class Ranking : public LabelBooster {
   public:
    Ranking(std::size_t learners, bool intercept)
        : learners_(learners), intercept_(intercept), calibrations_(1, Calibration(intercept)) {}

    void decide(const Places& places, const LabelScratches& heard, const double* margins, double* decisions,
                double* probabilities) const override;
    void make_room(const LabelScratches& heard, const Present& present) override;
    void begin(std::size_t places) override;
    void learn(Places& places, const LabelScratches& heard, const double* margins, const Present& present,
               double s) override;
    void serialise(Archive& archive, std::size_t places) override;

   protected:
    static bool through_zero(const Parameters& p) {
        return p.has("intercept_calibration") && !p.flag("intercept_calibration");
    }
    // The score of each place, from the shares: `places` numbers of the first learner, of the second …
    virtual void score(const std::vector<double>& shares, std::size_t places, double* scores) const = 0;
    // Pulls on the learners, and what the booster itself learns; both lists have labels.
    virtual void learn_pairs(const LabelScratches& heard, double s) = 0;
    // Adds up what the pairs pull: pull(l, r) gives what a pair pulls on the first and on the second.
    template <class F>
    void add_pulls(F pull) {
        std::fill(pulls_.begin(), pulls_.end(), 0.0);
        for (const std::size_t l : has_) {
            for (const std::size_t r : lacks_) {
                const auto [up, down] = pull(l, r);
                pulls_[l] += up;
                pulls_[r] += down;
            }
            pulls_[0] += pull(l, 0).second;
        }
    }
    // Learner i is going to be taught each label with its pull, of which none is larger than s.
    void teach(const LabelScratches& heard, std::size_t i, double s) const {
        const double scale = s / static_cast<double>(std::max(has_.size(), lacks_.size()));
        for (std::size_t k = 0; k < heard.size(); ++k) {
            const double w = scale * pulls_[k];
            heard[k]->weights[i] = w < kNegligible ? 0.0 : w;
        }
    }

    std::size_t learners_;
    // Of the example at hand: labels that it has and that it has not; shares; by place, sums and pulls.
    std::vector<std::size_t> has_, lacks_;
    std::vector<double> shares_, sums_, pulls_;

   private:
    void share(const LabelScratches& heard, std::vector<double>& shares) const;
    void tell(const std::vector<double>& shares, std::size_t places, double* scores) const;

    bool intercept_;
    std::vector<Calibration> calibrations_;  // by place
    std::vector<double> scores_;             // of the example at hand
};

}  // namespace onlineboost
