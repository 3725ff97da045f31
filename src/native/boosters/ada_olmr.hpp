// Ada.OLMR (Jung, Tewari, "Online boosting algorithms for multi-label ranking", AISTATS 2018, Algorithm 2): adaptive
// weights from the logistic loss of pairs.
#pragma once
#include "boosters/ranking.hpp"

namespace onlineboost {

class AdaOLMR final : public Ranking {
   public:
    AdaOLMR(std::size_t learners, bool intercept);
    static std::unique_ptr<LabelBooster> build(const Parameters& p, std::size_t learners);
    void serialise(Archive& archive, std::size_t places) override;

   protected:
    void score(const std::vector<double>& shares, std::size_t places, double* scores) const override;
    void learn_pairs(const LabelScratches& heard, double s) override;

   private:
    static constexpr double kBound = 2.0;  // of |alpha|
    void refresh();
    double rank_loss() const;

    Vector alpha_;        // of each learner in the sums
    Vector loss_;         // rank loss of each expert, which goes by the sums over the learners up to its own
    Vector portions_;     // derived: exp(-loss), relative to the best expert's
    double total_ = 0.0;  // of the portions
};

}  // namespace onlineboost
