// The kernels; compiled once per instruction set with ONLINEBOOST_ISA (its name) and ONLINEBOOST_LANES (doubles per
// register).
#include "kernels/kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace onlineboost::ONLINEBOOST_ISA {
namespace {

using std::size_t;

#include "kernels/vector.hpp"
#include "kernels/math.hpp"

#include "kernels/shared.hpp"
#include "kernels/roots.hpp"

#include "kernels/adaboost_ol.hpp"
#include "kernels/averaged_perceptron.hpp"
#include "kernels/bayes.hpp"
#include "kernels/bbm.hpp"
#include "kernels/categorical.hpp"
#include "kernels/class_trees.hpp"
#include "kernels/gaussian.hpp"
#include "kernels/linear.hpp"
#include "kernels/logistic.hpp"
#include "kernels/neighbours.hpp"
#include "kernels/random_fourier.hpp"
#include "kernels/weights.hpp"
#include "kernels/window_classes.hpp"
#include "kernels/window_trees.hpp"

double exp_one(double x) { return exp_fixed(x); }
double log_one(double x) { return log_fixed(x); }

#define ONLINEBOOST_STRING_(x) #x
#define ONLINEBOOST_STRING(x) ONLINEBOOST_STRING_(x)

}  // namespace

extern const Kernels table;
const Kernels table = {
    .name = ONLINEBOOST_STRING(ONLINEBOOST_ISA),
    .linear_score = linear_score,
    .add_rows = add_rows,
    .perceptron_update = perceptron_update,
    .gradient_step = gradient_step,
    .sum = sum,
    .dot = dot,
    .smooth_step = smooth_step,
    .adaboost_votes = adaboost_votes,
    .simplex_step = simplex_step,
    .prefix_sums = prefix_sums,
    .signed_sum = signed_sum,
    .wrong_weight = wrong_weight,
    .expert_losses = expert_losses,
    .least = least,
    .expert_weights = expert_weights,
    .threshold_step = threshold_step,
    .bbm_step = bbm_step,
    .prefix_products = prefix_products,
    .balanced_sum = balanced_sum,
    .logistic_step = logistic_step,
    .draw_examples = draw_examples,
    .bernoulli_absent = bernoulli_absent,
    .bayes_output = bayes_output,
    .gaussian_score = gaussian_score,
    .gaussian_update = gaussian_update,
    .add_weights = add_weights,
    .averaged_output = averaged_output,
    .averaged_step = averaged_step,
    .squash = squash,
    .clip = clip,
    .adagrad = adagrad,
    .ftrl = ftrl,
    .ftrl_solve = ftrl_solve,
    .arow = arow,
    .scw = scw,
    .ridge = ridge,
    .logistic = logistic,
    .diagonal_variance = diagonal_variance,
    .diagonal_apply = diagonal_apply,
    .full_variance = full_variance,
    .full_product = full_product,
    .full_apply = full_apply,
    .waves = waves,
    .squared_distances = squared_distances,
    .least_of = least_of,
    .categorical = categorical,
    .count_at_most = count_at_most,
    .class_sums = class_sums,
    .class_products = class_products,
    .best_split = best_split,
    .part_rows = part_rows,
    .class_gradients = class_gradients,
    .class_lacks = class_lacks,
    .class_steps = class_steps,
    .add_leaves = add_leaves,
    .exp = exp_one,
    .log = log_one,
};

}  // namespace onlineboost::ONLINEBOOST_ISA
