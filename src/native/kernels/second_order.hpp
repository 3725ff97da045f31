// The table of kernels of the second-order and averaged linear learners, filled once per instruction set.
//
// As in kernels.hpp: raw pointers, element-wise over the learners from <= i < to, no library template. A learner whose weight (or whose
// step) is 0 is left as it is, bit for bit.
#pragma once
#include <cstddef>

namespace onlineboost {

struct SecondOrderKernels {
    const char* name;

    // Averaged Perceptron. s = <u,x>, t = <v,x>, clock = time passed: h = (s - t/clock) / max(1, |u - v/clock|).
    void (*averaged_output)(const double* s, const double* t, const double* clock, const double* uu, const double* uv, const double* vv,
                            double* h, std::size_t from, std::size_t to);
    // d = w y where y s <= 0, c = clock d; the products uu, uv, vv follow, and then the clock moves by w, or by 1 if `rounds`.
    void (*averaged_step)(const double* s, const double* t, const double* w, double y, double xx, bool rounds, double* clock, double* uu,
                          double* uv, double* vv, double* d, double* c, std::size_t from, std::size_t to);

    // h = tanh(s / 2) and h = s clipped to [-1, 1].
    void (*squash)(const double* s, double* h, std::size_t from, std::size_t to);
    void (*clip)(const double* s, double* h, std::size_t from, std::size_t to);

    // AdaGrad: squares += (w g x)^2 and u += kappa w x / sqrt(squares), kappa from the closed form of the weighted step; see the learner.
    void (*adagrad)(double* const* u, double* const* squares, const double* x, std::size_t count, const double* s, const double* w,
                    double y, double rate, double* g, double* q, std::size_t from, std::size_t to);
    // FTRL-Proximal on every coordinate of the row.
    void (*ftrl)(double* const* u, double* const* z, double* const* squares, const double* x, std::size_t count, const double* s,
                 const double* w, double y, double alpha, double beta, double l1, double l2, double* g, std::size_t from, std::size_t to);
    // What FTRL's coordinates are for given z and squares.
    void (*ftrl_solve)(const double* z, const double* squares, double alpha, double beta, double l1, double l2, double* u, std::size_t n);

    // Scalars of a Gaussian learner, from its score s and the variance v = x' Sigma x: u += alpha Sigma x, Sigma -= beta Sigma x x' Sigma.
    void (*arow)(const double* s, const double* v, const double* w, double y, double r, double* alpha, double* beta, std::size_t from,
                 std::size_t to);
    void (*scw)(const double* s, const double* v, const double* w, double y, double phi, double c, bool second, double* alpha,
                double* beta, std::size_t from, std::size_t to);
    void (*ridge)(const double* s, const double* v, const double* w, double y, double* alpha, double* beta, std::size_t from,
                  std::size_t to);
    void (*logistic)(const double* s, const double* v, const double* w, double y, double* alpha, double* beta, std::size_t from,
                     std::size_t to);

    // Diagonal Sigma: v[i] = sum_k x[k]^2 sigma[k][i], and the two updates.
    void (*diagonal_variance)(const double* const* sigma, const double* x, std::size_t count, double* v, std::size_t from, std::size_t to);
    void (*diagonal_apply)(double* const* u, double* const* sigma, const double* x, std::size_t count, const double* alpha,
                           const double* beta, std::size_t from, std::size_t to);
    // Full Sigma, its lower triangle as rows: entry (f, g <= f) is row f (f + 1) / 2 + g. `at` names the coordinates of x.
    // v = x' Sigma x over the row's coordinates alone.
    void (*full_variance)(const double* const* sigma, const std::size_t* at, const double* x, std::size_t count, double* v,
                          std::size_t from, std::size_t to);
    // t = Sigma x for all d coordinates and v = <x, t>; groups of eight learners that are all idle (w = 0) are left out. A learner whose
    // v is not above the rounding `noise` becomes idle.
    void (*full_product)(const double* const* sigma, std::size_t d, const std::size_t* at, const double* x, std::size_t count,
                         double noise, double* w, double* const* t, double* v, std::size_t from, std::size_t to);
    void (*full_apply)(double* const* u, double* const* sigma, std::size_t d, const double* const* t, const double* alpha,
                       const double* beta, std::size_t from, std::size_t to);

    // z[j] = sqrt(2) cos(2 pi (turns[j] + phase[j]))
    void (*waves)(const double* turns, const double* phase, double* z, std::size_t n);

    // Categorical Naive Bayes: ratio[i] = log of prod_k (c1+a)(n0+b[k]) / ((c0+a)(n1+b[k])), b[k] the pseudo-count of a whole feature.
    void (*categorical)(const double* const* c1, const double* const* c0, const double* b, std::size_t count, const double* n1,
                        const double* n0, double alpha, double* ratio, std::size_t from, std::size_t to);
};

// Of the same instruction set as kernels().
const SecondOrderKernels& second_order_kernels();

}  // namespace onlineboost
