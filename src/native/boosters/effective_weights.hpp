// Sample weights as targets: examples are evidence, weights say which probabilities are meant.
//
//   b_c = sum s^2 / sum s over the examples of class c          the weight of one effective example of the class
//   r   = s / b_y                                               what the example counts for
//   p_c b_c / sum_k p_k b_k                                     from the examples' probabilities to those of the
//   weights
//
// Of two classes the last is odds multiplied by b_+ / b_-. The r of a class add up to about (sum s)^2 / sum s^2, Kish's
// effective number of its examples. Where all examples of a class weigh the same, r is 1: nothing but the last line
// depends on the weights. A common factor of all weights cancels.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/archive.hpp"

namespace onlineboost {

class EffectiveWeights {
   public:
    explicit EffectiveWeights(std::size_t classes) : classes_(classes) {}

    // For a class that learn() may begin.
    void make_room() { onlineboost::make_room(classes_, classes_.size() + 1); }
    // Counts the example of class c; gives r.
    double learn(std::size_t c, double s) {
        if (c == classes_.size()) classes_.emplace_back();
        Class& own = classes_[c];
        own.sum += s;
        own.squares += s * s;
        own.count += 1.0;
        return last_ = s * (own.sum / own.squares);
    }
    double last() const { return last_; }  // r
    // Whether each class has an example.
    bool complete() const {
        return std::all_of(classes_.begin(), classes_.end(), [](const Class& one) { return one.count > 0.0; });
    }
    // Of two classes, b_1 / b_0; 1 as long as a class has no example. Balanced: as if both weighed the same in all.
    double odds(bool balanced) const;
    // Of any number, the probabilities p of the weights from those of the examples. Balanced: as above.
    void weigh(const double* f, bool balanced, double* p) const;
    void serialise(Archive& archive, std::size_t classes);
    // Takes over the sums of -1 and +1, which are the second class of many and the first.
    void adopt(Archive& archive) {
        serialise(archive, 2);
        std::swap(classes_[0], classes_[1]);
    }

    static constexpr double kLargestOdds = 1e6;  // that a probability is changed by

   private:
    struct Class {
        double sum = 0.0, squares = 0.0, count = 0.0;
    };
    std::vector<Class> classes_;
    double last_ = 1.0;
};

// A probability whose odds are multiplied.
inline double tilted(double p, double odds) { return odds == 1.0 ? p : p * odds / (p * odds + (1.0 - p)); }

}  // namespace onlineboost
