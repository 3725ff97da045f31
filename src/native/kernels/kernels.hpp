// The table of vector kernels, filled once per instruction set.
//
// A kernel works on raw pointers, takes learners eight at a time on every instruction set (so bits do not depend on the
// vector width), and uses no library template (a template instantiated under -mavx512f could otherwise be linked into
// code that runs elsewhere). In a bank's kernels n is the padded number of learners (Layout::stride). In those of a
// booster n is the true number, and arrays reach up to the next multiple of eight (round_up), with zeros there unless
// said otherwise.
#pragma once
#include <cstddef>
#include <cstdint>

namespace onlineboost {

// A weight below this teaches nothing, so that the squares of weights and the reciprocals of their sums stay in range.
constexpr double kNegligible = 1e-100;
constexpr double kSmallestSquare = 1e-290;  // a sum of squares below this moves nothing: its root divides

// Sums over examples, one per learner (see boosters/diagnostics.hpp); each is multiplied by `keep` before an example is
// added, the squares by its square.
struct Sums {
    double keep;
    double *mass, *squares, *edge, *shortfall, *thin, *wrong;  // mass has room for one more than the multiple of eight
};

// Tables of Online BBM for n learners: log k!, and for each learner, after which R come, what is to be added to k logit
// - log k! - log (R-k)!, such that the largest term becomes log 1, or each the log of half the binomial probability;
// padded. logit = log(p / q).
struct Binomial {
    const double *log_factorial, *scale;
    double logit;
};
constexpr double kBinomialTie = 1e-9;  // sums of margins that are whole but for rounding count as whole

// One class of a bank of Naive Bayes learners, as scoring needs it.
struct BayesSide {
    const double* total;              // weight seen
    const double *absent, *exponent;  // product over all binary features of P(absent), as mantissa and exponent
    const double* spread;             // sum of the log variances
    const double* const* present;     // counts of the binary features that the row has
};

// Pseudo-counts of an event, of a binary feature's total and of the prior; a class of no more weight than `least` is
// unseen.
struct BayesRule {
    double alpha, beta, prior, least;
};

// Window trees of many classes: rows [from, to). Column k has the score of class k for each row. Of a tree that is
// dropped, row r of them has the steps dropped[dropped_at[r - from] + k], for the first `dropped_classes` classes.
struct ClassRows {
    const double* const* scores;
    std::size_t from, to, classes;
    const double* dropped;
    const std::uint32_t* dropped_at;
    std::size_t dropped_classes;
};

// What a test of a window tree is judged by: the sums of the leaf, and its G^2 / (H + lambda).
struct SplitRule {
    double g, h, lambda, least, before;
};
constexpr double kLeastGain = 1e-9, kTie = 1e-9;  // of equal gains the first counts, whatever the rounding

struct Kernels {
    const char* name;

    // ---- linear learners, for the learners from <= i < to; from is a multiple of eight
    // s[i] = sum_k x[k] * rows[k][i], in the order of k; h[i] = s[i] * scale[i].
    void (*linear_score)(const double* const* rows, const double* x, std::size_t count, const double* scale, double* s,
                         double* h, std::size_t from, std::size_t to);
    // rows[k][i] += x[k] * c[i]; groups of eight learners whose c is all zero are left alone.
    void (*add_rows)(double* const* rows, const double* x, std::size_t count, const double* c, std::size_t from,
                     std::size_t to);
    // Mistake-driven step c = w y where y s <= 0: rows[k] += x[k] c; squared norms and 1/max(1, norm) follow.
    void (*perceptron_update)(double* const* rows, const double* x, std::size_t count, const double* s, const double* w,
                              double y, double xx, double* norm2, double* inv, std::size_t from, std::size_t to);
    // Projected gradient ascent on the unit ball with u = scale * V: S += w^2 xx, step sqrt(2/S) w y; c is in units of
    // V.
    void (*gradient_step)(const double* s, const double* w, double y, double xx, double* sum_sq, double* norm2,
                          double* scale, double* c, std::size_t from, std::size_t to);

    // ---- boosters and votes
    // sum_i a[i] and sum_i a[i] b[i], with eight fixed partial sums.
    double (*sum)(const double* a, std::size_t n);
    double (*dot)(const double* a, const double* b, std::size_t n);
    // The paper's recursion: z[i] = y (h[0] + ... + h[i]) - aim[i] with aim[i] = (i + 1) theta; w[0] = 1, w[i+1] =
    // min(exp(-beta z[i]), 1). scaled[i] = s w[i], or 0 where that is negligible; the example is added to the sums, of
    // which there are one or two.
    void (*smooth_step)(const double* h, double y, double s, const double* aim, double beta, double* scaled,
                        const Sums* sums, std::size_t count, std::size_t n);
    // votes[i] = log((1 - e) / e) for the error e = wrong / (correct + wrong), kept between smallest and 1 - smallest;
    // 0 for e >= 1/2 or nothing seen. Gives their sum.
    double (*adaboost_votes)(const double* correct, const double* wrong, double smallest, double* votes, std::size_t n);
    // alpha <- projection of alpha + step h onto the simplex, by Newton's method (Michelot 1986); v is room for n,
    // rounded up.
    void (*simplex_step)(double* alpha, const double* h, double step, double* v, std::size_t n);
    // out[i] = h[0] + ... + h[i]
    void (*prefix_sums)(const double* h, double* out, std::size_t n);
    // sum_i v[i] where signs[i] > 0, less those where it is not.
    double (*signed_sum)(const double* signs, const double* v, std::size_t n);
    // sum_i v[i] where y prefix[i] <= 0.
    double (*wrong_weight)(const double* prefix, double y, const double* v, std::size_t n);
    // loss[i] += s where y prefix[i] <= 0; the weights v of those experts and of the others; whether any erred. loss is
    // padded with infinity.
    bool (*expert_losses)(const double* prefix, double y, double s, const double* v, double* loss, double* right,
                          double* wrong, std::size_t n);
    double (*least)(const double* a, std::size_t n);  // a is padded with infinity
    // v[i] = exp(-eta * (loss[i] - base)); gives their sum.
    double (*expert_weights)(const double* loss, double eta, double base, double* v, std::size_t n);

    // Thresholds of prediction sets: q[k] += (miss > q[k] ? step : 0) - step alpha[k]; n is a multiple of eight.
    void (*threshold_step)(double* q, const double* alpha, double miss, double step, std::size_t n);

    // ---- Online BBM
    // Learner i gets the binomial term of k = floor((R - (m[0] + ... + m[i-1]) + 1) / 2) hits in R = n - 1 - i trials,
    // on the scale of the tables; m = y h or its sign (0 counts as wrong). scaled = s times that, or 0 where
    // negligible; mass += s w; edge += s w m. Gives m[0] + ... + m[n-1].
    double (*bbm_step)(const double* h, double y, double s, const Binomial* b, bool sign, double* scaled, double* mass,
                       double* edge, std::size_t n);

    // ---- AdaBoost.OL
    // out[i] = a[0] h[0] + ... + a[i] h[i]
    void (*prefix_products)(const double* a, const double* h, double* out, std::size_t n);
    // sum_i v[i] where signs[i] > 0, less those where it is below 0.
    double (*balanced_sum)(const double* signs, const double* v, std::size_t n);
    // With q(i) = 1 / (1 + exp(y prefix[i])): w[0] = 1/2, w[i+1] = q(i); alpha[i] += step q(i) y h[i], kept within
    // +-most. scaled = s w, or 0 where negligible; mass += s w; edge += s w y h.
    void (*logistic_step)(const double* h, const double* prefix, double y, double s, double step, double most,
                          double* alpha, double* scaled, double* mass, double* edge, std::size_t n);
    // For drawn examples: scaled[i] = s with the probability scaled[i] / s, else 0, by mix64(keys[i] + turn). keys are
    // padded.
    void (*draw_examples)(const std::uint64_t* keys, std::uint64_t turn, double s, double* scaled, std::size_t n);

    // ---- Naive Bayes, for the learners from <= i < to
    // mantissa * 2^exponent = product over the rows of ((total[i] - row[i]) + alpha), divided by (total[i] +
    // beta)^count.
    void (*bernoulli_absent)(const double* const* rows, std::size_t count, const double* total, const BayesRule* rule,
                             double* mantissa, double* exponent, std::size_t from, std::size_t to);
    // h = (r - 1) / (r + 1), r the posterior odds: the classes' weights plus `prior`, times their absent products,
    // times (c1+a)(n0-c0+a) /
    // ((c0+a)(n1-c1+a)) for each present feature, times exp((q - (spread1 - spread0)) / 2) unless q is null. 0 or +-1
    // where a class is unseen.
    void (*bayes_output)(const BayesSide* plus, const BayesSide* minus, std::size_t count, const BayesRule* rule,
                         const double* q, double* h, std::size_t from, std::size_t to);
    // q[i] = sum_k (x-m0)^2 v0 - (x-m1)^2 v1, v the inverse variances.
    void (*gaussian_score)(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                           const double* const* inv0, const double* x, std::size_t count, double* q, std::size_t from,
                           std::size_t to);
    // Weighted Welford of one class; rewrites the inverse variances and out[i] = sum of log variances.
    void (*gaussian_update)(double* const* mean, double* const* m2, double* const* inv, const double* x,
                            std::size_t count, const double* w, const double* total, double floor, double* out,
                            std::size_t from, std::size_t to);
    // rows[k][i] += w[i]
    void (*add_weights)(double* const* rows, std::size_t count, const double* w, std::size_t from, std::size_t to);

    // ---- averaged Perceptron, and so on to the end: a learner whose weight (or whose step) is 0 is left as it is, bit
    // for bit s = <u,x>, t = <v,x>, clock = time passed: h = (s - t/clock) / max(1, |u - v/clock|).
    void (*averaged_output)(const double* s, const double* t, const double* clock, const double* uu, const double* uv,
                            const double* vv, double* h, std::size_t from, std::size_t to);
    // d = w y where y s <= 0, c = clock d; the products uu, uv, vv follow, and then the clock moves by w, or by 1 if
    // `rounds`.
    void (*averaged_step)(const double* s, const double* t, const double* w, double y, double xx, bool rounds,
                          double* clock, double* uu, double* uv, double* vv, double* d, double* c, std::size_t from,
                          std::size_t to);

    // ---- outputs of linear learners
    // h = tanh(s / 2) and h = s clipped to [-1, 1].
    void (*squash)(const double* s, double* h, std::size_t from, std::size_t to);
    void (*clip)(const double* s, double* h, std::size_t from, std::size_t to);

    // ---- logistic regressions
    // AdaGrad: squares += (w g x)^2 and u += kappa w x / sqrt(squares), kappa from the closed form of the weighted
    // step; see the learner.
    void (*adagrad)(double* const* u, double* const* squares, const double* x, std::size_t count, const double* s,
                    const double* w, double y, double rate, double* g, double* q, std::size_t from, std::size_t to);
    // FTRL-Proximal on every coordinate of the row.
    void (*ftrl)(double* const* u, double* const* z, double* const* squares, const double* x, std::size_t count,
                 const double* s, const double* w, double y, double alpha, double beta, double l1, double l2, double* g,
                 std::size_t from, std::size_t to);
    // What FTRL's coordinates are for given z and squares.
    void (*ftrl_solve)(const double* z, const double* squares, double alpha, double beta, double l1, double l2,
                       double* u, std::size_t n);

    // ---- Gaussian learners
    // Their scalars, from its score s and the variance v = x' Sigma x: u += alpha Sigma x, Sigma -= beta Sigma x x'
    // Sigma.
    void (*arow)(const double* s, const double* v, const double* w, double y, double r, double* alpha, double* beta,
                 std::size_t from, std::size_t to);
    void (*scw)(const double* s, const double* v, const double* w, double y, double phi, double c, bool second,
                double* alpha, double* beta, std::size_t from, std::size_t to);
    void (*ridge)(const double* s, const double* v, const double* w, double y, double* alpha, double* beta,
                  std::size_t from, std::size_t to);
    void (*logistic)(const double* s, const double* v, const double* w, double y, double* alpha, double* beta,
                     std::size_t from, std::size_t to);

    // Diagonal Sigma: v[i] = sum_k x[k]^2 sigma[k][i], and the two updates.
    void (*diagonal_variance)(const double* const* sigma, const double* x, std::size_t count, double* v,
                              std::size_t from, std::size_t to);
    void (*diagonal_apply)(double* const* u, double* const* sigma, const double* x, std::size_t count,
                           const double* alpha, const double* beta, std::size_t from, std::size_t to);
    // Full Sigma, its lower triangle as rows: entry (f, g <= f) is row f (f + 1) / 2 + g. `at` names the coordinates of
    // x. v = x' Sigma x over the row's coordinates alone.
    void (*full_variance)(const double* const* sigma, const std::size_t* at, const double* x, std::size_t count,
                          double* v, std::size_t from, std::size_t to);
    // t = Sigma x for all d coordinates and v = <x, t>; groups of eight learners that are all idle (w = 0) are left
    // out. A learner whose v is not above the rounding `noise` becomes idle.
    void (*full_product)(const double* const* sigma, std::size_t d, const std::size_t* at, const double* x,
                         std::size_t count, double noise, double* w, double* const* t, double* v, std::size_t from,
                         std::size_t to);
    void (*full_apply)(double* const* u, double* const* sigma, std::size_t d, const double* const* t,
                       const double* alpha, const double* beta, std::size_t from, std::size_t to);

    // ---- random Fourier features
    // z[j] = sqrt(2) cos(2 pi (turns[j] + phase[j]))
    void (*waves)(const double* turns, const double* phase, double* z, std::size_t n);

    // ---- nearest neighbours
    // d[r] = norms[r] + xx - 2 sum_k x[k] columns[k][r], features subtracted in their order.
    void (*squared_distances)(const float* const* columns, const double* x, std::size_t count, const double* norms,
                              double xx, double* d, std::size_t n);
    // The positions of the `most` >= 1 least of n numbers in ascending order, of equal ones the first; gives how many.
    std::size_t (*least_of)(const double* d, std::size_t n, std::size_t most, std::uint32_t* at);

    // ---- categorical Naive Bayes
    // ratio[i] = log of prod_k (c1+a)(n0+b[k]) / ((c0+a)(n1+b[k])), b[k] the pseudo-count of a whole feature.
    void (*categorical)(const double* const* c1, const double* const* c0, const double* b, std::size_t count,
                        const double* n1, const double* n0, double alpha, double* ratio, std::size_t from,
                        std::size_t to);

    // ---- trees of many classes
    // How many of n numbers are at most v.
    std::size_t (*count_at_most)(const double* a, std::size_t n, double v);
    // For each test, what it sends to the left and to the right, l and r, and the sums of the squares by class; lefts
    // has a row of `stride` tests per class, own the weights of the classes.
    void (*class_sums)(const double* lefts, std::size_t stride, const double* own, std::size_t classes, double* l,
                       double* l2, double* r, double* r2, std::size_t tests);
    // p[c] *= prod_k (rows[k][c] + pseudo[k]) shrink[c] up to a common factor, for a multiple of four classes; the
    // least of them are raised to 1e-200 of the largest.
    void (*class_products)(const float* const* rows, const double* pseudo, std::size_t count, const double* shrink,
                           double* p, std::size_t classes);

    // ---- window trees
    // The best test between the bins of a feature, which has edges <= 255 tests; whether one is better than *gain. A
    // cell is a pair of a gradient and a curvature; that of bin `zero` is 0, and has what the others leave of the sums.
    // The feature's begin with cell `first`; cells 8 b to 8 b + 7 are all 0 where filled[b] is 0. Reads up to eight
    // cells, and one of `filled`, past the last.
    bool (*best_split)(const double* cells, const std::uint8_t* filled, std::size_t first, std::size_t edges,
                       std::size_t zero, const SplitRule& rule, double* gain, std::size_t* bin);
    // Of n rows, those whose bin is at most `limit` stay at the front of `order`, and the others go to `aside`, all in
    // their order; gives how many stay. `bins` can be read for 3 bytes past the last row, and `aside` has room for 16
    // more than n.
    std::size_t (*part_rows)(const std::uint8_t* bins, std::uint8_t limit, std::uint32_t* order, std::size_t n,
                             std::uint32_t* aside);

    // Of rows without the steps that are dropped: columns of the classes' probabilities; their mean along a direction,
    // and the mean square of what is off it.
    void (*class_gradients)(const ClassRows* rows, double* const* shares, const double* direction, double* mean,
                            double* square);
    // The sums of each leaf's rows, pairs of sum w (1{y = k} - p_k) and sum w p_k (1 - p_k), row r's from pair at[r -
    // from] on.
    void (*class_lacks)(const double* const* shares, std::size_t from, std::size_t to, std::size_t classes,
                        const double* w, const std::uint32_t* labels, const std::uint32_t* at, double* sums);
    // Columns of scores without the steps that are dropped and with steps[at[r - from] + k].
    void (*class_steps)(const ClassRows* rows, const double* steps, const std::uint32_t* at, double* const* scores);
    // scores[k] += rows[0][k] + ..., one after the other.
    void (*add_leaves)(const double* const* rows, std::size_t count, double* scores, std::size_t classes);

    double (*exp)(double);
    double (*log)(double);
};

// The widest table this processor runs, or the one named by select().
const Kernels& kernels();
// Chooses a table by name ("sse2", "avx2", "avx512", "generic"); false if it is unknown or the processor lacks it.
bool select_kernels(const char* name);
// Writes up to `capacity` names of the tables that run here, narrowest first; returns how many there are.
std::size_t available_kernels(const char** names, std::size_t capacity);

}  // namespace onlineboost
