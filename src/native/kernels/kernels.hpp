// The table of vector kernels, filled once per instruction set.
//
// A kernel works on raw pointers, takes learners eight at a time on every instruction set (so bits do not depend on the vector
// width), and uses no library template (a template instantiated under -mavx512f could otherwise be linked into code that runs
// elsewhere). In a bank's kernels n is the padded number of learners (Layout::stride). In those of a booster n is the true number,
// and arrays reach up to the next multiple of eight (round_up), with zeros there unless said otherwise.
#pragma once
#include <cstddef>
#include <cstdint>

namespace onlineboost {

// A weight below this teaches nothing, so that the squares of weights and the reciprocals of their sums stay in range.
constexpr double kNegligible = 1e-100;
constexpr double kSmallestSquare = 1e-290;  // of a row times its weight: below, an OnlineGradient does not move

// Sums over examples, one per learner (see boosters/diagnostics.hpp); each is multiplied by `keep` before an example is added.
struct Sums {
    double keep;
    double *mass, *squares, *edge, *shortfall, *thin, *wrong;  // mass has room for one more than the multiple of eight
};

// Tables of Online BBM for n learners: log k!, and for each learner, after which R come, what is to be added to k logit - log k! - log (R-k)!,
// such that the largest term becomes log 1, or each the log of half the binomial probability; padded. logit = log(p / q).
struct Binomial {
    const double *log_factorial, *scale;
    double logit;
};
constexpr double kBinomialTie = 1e-9;  // sums of margins that are whole but for rounding count as whole

// One class of a bank of Naive Bayes learners, as scoring needs it.
struct BayesSide {
    const double* total;             // weight seen
    const double *absent, *exponent; // product over all binary features of P(absent), as mantissa and exponent
    const double* spread;            // sum of the log variances
    const double* const* present;    // counts of the binary features that the row has
};

// Pseudo-counts of an event, of a binary feature's total and of the prior; a class of no more weight than `least` is unseen.
struct BayesRule {
    double alpha, beta, prior, least;
};

struct Kernels {
    const char* name;

    // ---- linear learners, for the learners from <= i < to; from is a multiple of eight
    // s[i] = sum_k x[k] * rows[k][i], in the order of k; h[i] = s[i] * scale[i].
    void (*linear_score)(const double* const* rows, const double* x, std::size_t count, const double* scale, double* s, double* h,
                         std::size_t from, std::size_t to);
    // rows[k][i] += x[k] * c[i]; groups of eight learners whose c is all zero are left alone.
    void (*add_rows)(double* const* rows, const double* x, std::size_t count, const double* c, std::size_t from, std::size_t to);
    // Mistake-driven step c = w y where y s <= 0: rows[k] += x[k] c; squared norms and 1/max(1, norm) follow.
    void (*perceptron_update)(double* const* rows, const double* x, std::size_t count, const double* s, const double* w, double y,
                              double xx, double* norm2, double* inv, std::size_t from, std::size_t to);
    // Projected gradient ascent on the unit ball with u = scale * V: S += w^2 xx, step sqrt(2/S) w y; c is in units of V.
    void (*gradient_step)(const double* s, const double* w, double y, double xx, double* sum_sq, double* norm2, double* scale, double* c,
                          std::size_t from, std::size_t to);

    // ---- boosters and votes
    // sum_i a[i] and sum_i a[i] b[i], with eight fixed partial sums.
    double (*sum)(const double* a, std::size_t n);
    double (*dot)(const double* a, const double* b, std::size_t n);
    // The paper's recursion: z[i] = y (h[0] + ... + h[i]) - aim[i] with aim[i] = (i + 1) theta; w[0] = 1, w[i+1] = min(exp(-beta z[i]), 1).
    // scaled[i] = s w[i], or 0 where that is negligible; the example is added to the sums, of which there are one or two.
    void (*smooth_step)(const double* h, double y, double s, const double* aim, double beta, double* scaled, const Sums* sums,
                        std::size_t count, std::size_t n);
    // votes[i] = log((1 - e) / e) for the error e = wrong / (correct + wrong), kept between smallest and 1 - smallest; 0 for e >= 1/2 or
    // nothing seen. Gives their sum.
    double (*adaboost_votes)(const double* correct, const double* wrong, double smallest, double* votes, std::size_t n);
    // alpha <- projection of alpha + step h onto the simplex, by Newton's method (Michelot 1986); v is room for n, rounded up.
    void (*simplex_step)(double* alpha, const double* h, double step, double* v, std::size_t n);
    // out[i] = h[0] + ... + h[i]
    void (*prefix_sums)(const double* h, double* out, std::size_t n);
    // sum_i v[i] where signs[i] > 0, less those where it is not.
    double (*signed_sum)(const double* signs, const double* v, std::size_t n);
    // sum_i v[i] where y prefix[i] <= 0.
    double (*wrong_weight)(const double* prefix, double y, const double* v, std::size_t n);
    // loss[i] += s where y prefix[i] <= 0; the weights v of those experts and of the others; whether any erred. loss is padded with infinity.
    bool (*expert_losses)(const double* prefix, double y, double s, const double* v, double* loss, double* right, double* wrong,
                          std::size_t n);
    double (*least)(const double* a, std::size_t n);  // a is padded with infinity
    // v[i] = exp(-eta * (loss[i] - base)); gives their sum.
    double (*expert_weights)(const double* loss, double eta, double base, double* v, std::size_t n);

    // ---- boosters after the paper
    // Online BBM. Learner i gets the binomial term of k = floor((R - (m[0] + ... + m[i-1]) + 1) / 2) hits in R = n - 1 - i trials, on
    // the scale of the tables; m = y h or its sign (0 counts as wrong). scaled = s times that, or 0 where negligible; mass += s w; edge += s w m.
    // Gives m[0] + ... + m[n-1].
    double (*bbm_step)(const double* h, double y, double s, const Binomial* b, bool sign, double* scaled, double* mass, double* edge,
                       std::size_t n);

    // out[i] = a[0] h[0] + ... + a[i] h[i]
    void (*prefix_products)(const double* a, const double* h, double* out, std::size_t n);
    // sum_i v[i] where signs[i] > 0, less those where it is below 0.
    double (*balanced_sum)(const double* signs, const double* v, std::size_t n);
    // AdaBoost.OL, with q(i) = 1 / (1 + exp(y prefix[i])): w[0] = 1/2, w[i+1] = q(i); alpha[i] += step q(i) y h[i], kept within +-most.
    // scaled = s w, or 0 where negligible; mass += s w; edge += s w y h.
    void (*logistic_step)(const double* h, const double* prefix, double y, double s, double step, double most, double* alpha, double* scaled,
                          double* mass, double* edge, std::size_t n);
    // AdaBoost.OL with drawn examples: scaled[i] = s with the probability scaled[i] / s, else 0, by mix64(keys[i] + turn). keys are padded.
    void (*draw_examples)(const std::uint64_t* keys, std::uint64_t turn, double s, double* scaled, std::size_t n);

    // ---- Naive Bayes, for the learners from <= i < to
    // mantissa * 2^exponent = product over the rows of ((total[i] - row[i]) + alpha), divided by (total[i] + beta)^count.
    void (*bernoulli_absent)(const double* const* rows, std::size_t count, const double* total, const BayesRule* rule,
                             double* mantissa, double* exponent, std::size_t from, std::size_t to);
    // h = (r - 1) / (r + 1), r the posterior odds: the classes' weights plus `prior`, times their absent products, times (c1+a)(n0-c0+a) /
    // ((c0+a)(n1-c1+a)) for each present feature, times exp((q - (spread1 - spread0)) / 2) unless q is null. 0 or +-1 where a class is unseen.
    void (*bayes_output)(const BayesSide* plus, const BayesSide* minus, std::size_t count, const BayesRule* rule, const double* q,
                         double* h, std::size_t from, std::size_t to);
    // q[i] = sum_k (x-m0)^2 v0 - (x-m1)^2 v1, v the inverse variances.
    void (*gaussian_score)(const double* const* mean1, const double* const* inv1, const double* const* mean0, const double* const* inv0,
                           const double* x, std::size_t count, double* q, std::size_t from, std::size_t to);
    // Weighted Welford of one class; rewrites the inverse variances and out[i] = sum of log variances.
    void (*gaussian_update)(double* const* mean, double* const* m2, double* const* inv, const double* x, std::size_t count,
                            const double* w, const double* total, double floor, double* out, std::size_t from, std::size_t to);
    // rows[k][i] += w[i]
    void (*add_weights)(double* const* rows, std::size_t count, const double* w, std::size_t from, std::size_t to);

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
