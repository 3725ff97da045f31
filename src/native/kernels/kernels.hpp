// The table of vector kernels, filled once per instruction set.
//
// A kernel works on raw pointers, is element-wise over learners (so bits do not depend on the vector width), and uses no
// library template (a template instantiated under -mavx512f could otherwise be linked into code that runs elsewhere).
// `n` is the padded number of learners (Layout::stride); where sums are taken, the true number.
#pragma once
#include <cstddef>
#include <cstdint>

namespace onlineboost {

// A weight below this teaches nothing, so that the squares of weights and the reciprocals of their sums stay in range.
constexpr double kNegligible = 1e-100;
constexpr double kSmallestSquare = 1e-290;  // of a row times its weight: below, an OnlineGradient does not move

struct Kernels {
    const char* name;

    // s[i] = sum_k x[k] * rows[k][i], in the order of k.
    void (*dot_rows)(const double* const* rows, const double* x, std::size_t count, double* s, std::size_t n);
    // rows[k][i] += x[k] * c[i]; groups of eight learners whose c is all zero are left alone.
    void (*add_rows)(double* const* rows, const double* x, std::size_t count, const double* c, std::size_t n);
    // out[i] = a[i] * b[i]
    void (*multiply)(const double* a, const double* b, double* out, std::size_t n);
    // sum_i a[i] and sum_i a[i] b[i], with eight fixed partial sums.
    double (*sum)(const double* a, std::size_t n);
    double (*dot)(const double* a, const double* b, std::size_t n);

    // The paper's recursion. z[i] = sum_{j<=i} (y h[j] - theta); w[0] = 1, w[i+1] = min(exp(-beta z[i]), 1).
    void (*smooth_weights)(const double* h, double y, double theta, double beta, double* z, double* w, std::size_t n);
    // scaled[i] = s * w[i], or 0 where that is negligible.
    void (*scale_weights)(const double* w, double s, double* scaled, std::size_t n);

    // One example's part of the sums that a certificate needs (see boosters/diagnostics.hpp), each sum first multiplied by `keep`.
    // w has n + 1 values and so has mass; aim[i] = (i + 1) theta; p is room for the prefix sums of the margins.
    void (*accumulate)(const double* h, double y, double s, const double* z, const double* w, const double* aim, double keep, double* p,
                       double* mass, double* squares, double* edge, double* shortfall, double* thin, double* wrong, std::size_t n);

    // Mistake-driven step: c = w y where y s <= 0, else 0; squared norms and 1/max(1, norm) follow. Returns whether any c != 0.
    bool (*perceptron_step)(const double* s, const double* w, double y, double xx, double* c, double* norm2, double* inv,
                            std::size_t n);
    // Projected gradient ascent on the unit ball with u = scale * V: S += w^2 xx, step sqrt(2/S) w y; c is in units of V.
    void (*gradient_step)(const double* s, const double* w, double y, double xx, double* sum_sq, double* norm2,
                          double* scale, double* c, std::size_t n);

    // Naive Bayes, for the learners from <= i < to. log_ratio[i] += log of prod_k (c1+a)(n0-c0+a) / ((c0+a)(n1-c1+a)) over the present binary features.
    void (*bernoulli_present)(const double* const* c1, const double* const* c0, std::size_t count, const double* n1,
                              const double* n0, double alpha, double* log_ratio, std::size_t from, std::size_t to);
    // out[i] = sum over rows of log((total[i] - c[i]) + alpha), minus count * log(total[i] + beta).
    void (*bernoulli_absent)(const double* const* rows, std::size_t count, const double* total, double alpha, double beta,
                             double* out, std::size_t from, std::size_t to);
    // q[i] += sum_k (x-m0)^2 v0 - (x-m1)^2 v1, v the inverse variances.
    void (*gaussian_score)(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                           const double* const* inv0, const double* x, std::size_t count, double* q, std::size_t from, std::size_t to);
    // Weighted Welford of one class; rewrites the inverse variances and out[i] = sum of log variances.
    void (*gaussian_update)(double* const* mean, double* const* m2, double* const* inv, const double* x, std::size_t count,
                            const double* w, const double* total, double floor, double* out, std::size_t from, std::size_t to);
    // h = tanh((log(n1 + pseudo) - log(n0 + pseudo) + a1 - a0 - (g1 - g0)/2 + ratio + q/2) / 2); 0 or +-1 where a class has no weight above `least`.
    void (*bayes_output)(const double* n1, const double* n0, const double* a1, const double* a0, const double* g1,
                         const double* g0, const double* ratio, const double* q, double least, double pseudo, double* h,
                         std::size_t from, std::size_t to);

    // v[i] = exp(-eta * (loss[i] - least))
    void (*expert_weights)(const double* loss, double eta, double least, double* v, std::size_t n);

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
