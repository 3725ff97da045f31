// The kernels; compiled once per instruction set with ONLINEBOOST_ISA (its name) and ONLINEBOOST_LANES (doubles per register).
#include "kernels/kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace onlineboost::ONLINEBOOST_ISA {
namespace {

using std::size_t;

#include "kernels/vector.hpp"
#include "kernels/math.hpp"

#include "kernels/bayes.hpp"
#include "kernels/later.hpp"
#include "kernels/linear.hpp"
#include "kernels/weights.hpp"

double exp_one(double x) { return exp_fixed(x); }
double log_one(double x) { return log_fixed(x); }

#define ONLINEBOOST_STRING_(x) #x
#define ONLINEBOOST_STRING(x) ONLINEBOOST_STRING_(x)

}  // namespace

extern const Kernels table;
const Kernels table = {
    ONLINEBOOST_STRING(ONLINEBOOST_ISA),
    linear_score,
    add_rows,
    perceptron_update,
    gradient_step,
    sum,
    dot,
    smooth_step,
    adaboost_votes,
    simplex_step,
    prefix_sums,
    signed_sum,
    wrong_weight,
    expert_losses,
    least,
    expert_weights,
    bbm_step,
    prefix_products,
    balanced_sum,
    logistic_step,
    draw_examples,
    bernoulli_absent,
    bayes_output,
    gaussian_score,
    gaussian_update,
    add_weights,
    exp_one,
    log_one,
};

}  // namespace onlineboost::ONLINEBOOST_ISA
