// Weak learners of many classes, each made of one binary learner per class: learner i says the class whose output is
// largest.
#pragma once
#include "boosters/class_booster.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

class Plurality : public ClassBooster {
   public:
    explicit Plurality(std::size_t learners) : learners_(learners), weights_(round_up(learners)) {}

   protected:
    // What each learner says; of equal outputs the class that began first.
    std::vector<std::size_t> said(const Scratches& heard) const {
        std::vector<std::size_t> labels;
        say(heard, labels);
        return labels;
    }
    void say(const Scratches& heard, std::vector<std::size_t>& labels) const {
        labels.assign(learners_, 0);
        for (std::size_t k = 1; k < heard.size(); ++k)
            for (std::size_t i = 0; i < learners_; ++i)
                if (heard[k]->sign * heard[k]->h[i] > heard[labels[i]]->sign * heard[labels[i]]->h[i]) labels[i] = k;
    }
    // Learner i is taught the example with weights_[i]: +1 for its learner of the true class, -1 for its others.
    void teach(std::vector<ClassEnsemble>& classes, const Scratches& heard, std::size_t label) {
        for (std::size_t k = 0; k < heard.size(); ++k)
            classes[k].ensemble.bank().update(*heard[k], k == label ? heard[k]->sign : -heard[k]->sign,
                                              weights_.data());
    }
    // A weight in the engine's range: 0 where it would teach nothing.
    void set_weight(std::size_t i, double w) { weights_[i] = w < kNegligible ? 0.0 : w; }

    std::size_t learners_;
    std::vector<std::size_t> labels_;  // said of the example at hand

   private:
    Vector weights_;  // of the example at hand
};

inline std::size_t leader(const std::vector<double>& s) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < s.size(); ++k)
        if (s[k] > s[best]) best = k;
    return best;
}

}  // namespace onlineboost
