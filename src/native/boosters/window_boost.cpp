#include "boosters/window_boost.hpp"

#include "engine/math.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

double WindowBoost::vote(Scratch& scratch) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < learners_; ++i) sum += scratch.h[i];
    return math::tanh_half(sum);
}

}  // namespace onlineboost
