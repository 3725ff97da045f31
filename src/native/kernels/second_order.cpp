// The kernels of second_order.hpp; compiled once per instruction set, like kernels.cpp.
#include "kernels/second_order.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace onlineboost::ONLINEBOOST_ISA {
namespace {

using std::size_t;

#include "kernels/vector.hpp"
#include "kernels/math.hpp"

constexpr double kSmallestSquare = 1e-290;  // a sum of squares below this moves nothing: its root divides
constexpr double kLeastVariance = 1e-200;   // likewise for SCW

// Eight learners at a time, then one by one: what is skipped must not depend on the vector width.
template <class Eight, class One>
inline void tiles(size_t from, size_t to, Eight eight, One one) {
    size_t i = from;
    for (; i + 8 <= to; i += 8) eight(i);
    for (; i < to; ++i) one(i);
}

template <size_t N>
inline bool idle(const double* a, const double* b, size_t at) {
    bool moves = false;
    for (size_t i = at; i < at + N; ++i) moves |= (a[i] != 0.0) | (b[i] != 0.0);
    return !moves;
}

// ---- averaged Perceptron -----------------------------------------------------------------------------------------

void averaged_output(const double* s, const double* t, const double* clock, const double* uu, const double* uv, const double* vv,
                     double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double back = clock[i] > 0.0 ? 1.0 / clock[i] : 0.0;
        const double norm2 = uu[i] - back * (2.0 * uv[i] - back * vv[i]);
        const double value = (s[i] - t[i] * back) / __builtin_sqrt(larger(norm2, 1.0));
        h[i] = larger(smaller(value, 1.0), -1.0);
    }
}

void averaged_step(const double* s, const double* t, const double* w, double y, double xx, bool rounds, double* __restrict clock,
                   double* __restrict uu, double* __restrict uv, double* __restrict vv, double* __restrict d, double* __restrict c,
                   size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double step = y * s[i] <= 0.0 ? w[i] * y : 0.0;
        const double back = clock[i] * step;
        uv[i] += step * t[i] + back * s[i] + step * (back * xx);
        uu[i] += 2.0 * step * s[i] + step * (step * xx);
        vv[i] += 2.0 * back * t[i] + back * (back * xx);
        d[i] = step;
        c[i] = back;
        const double tick = w[i] > 0.0 ? 1.0 : 0.0;
        clock[i] += rounds ? tick : w[i];
    }
}

void squash(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = tanh_half(s[i]);
}

void clip(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = larger(smaller(s[i], 1.0), -1.0);
}

// ---- logistic learners -------------------------------------------------------------------------------------------

// 1 / (1 + exp(m)), to the last bits also where it is small.
inline double miss(double m) {
    const double e = exp_fixed(m > 0.0 ? -m : m);
    return (m > 0.0 ? e : 1.0) / (1.0 + e);
}

// The root of delta + a (exp(delta) - 1) = q for q >= 0, a > 0. Newton from the right of a convex function: monotone, and eight
// steps reach the last bits for all a and q.
inline double travel(double a, double q) {
    double delta = smaller(q / (1.0 + a), log_fixed(1.0 + smaller(q / a, 1e300)));
    for (int k = 0; k < 8; ++k) {
        const double grown = a * (delta < 0.3 ? expm1_small(delta) : exp_fixed(delta) - 1.0);
        delta -= (delta + grown - q) / (1.0 + a + grown);
    }
    return larger(delta, 0.0);
}

inline double slope(double w, double squares) {
    const double root = __builtin_sqrt(squares > kSmallestSquare ? squares : 1.0);
    return squares > kSmallestSquare ? w / root : 0.0;
}

void adagrad(double* const* u, double* const* squares, const double* x, size_t count, const double* s, const double* w, double y,
             double rate, double* __restrict g, double* __restrict q, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) g[i] = w[i] * miss(y * s[i]), q[i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        double* __restrict sum = squares[k];
        const double value = x[k];
        for (size_t i = from; i < to; ++i) {
            const double gradient = g[i] * value;
            sum[i] += gradient * gradient;
            q[i] += slope(w[i], sum[i]) * (value * value);
        }
    }
    for (size_t i = from; i < to; ++i) {
        const double pull = smaller(rate * q[i], 1e300);
        const double margin = y * s[i];
        const double delta = travel(exp_fixed(margin), pull);
        g[i] = pull > 0.0 ? y * rate * (delta / pull) : 0.0;
    }
    for (size_t k = 0; k < count; ++k) {
        double* __restrict row = u[k];
        const double* sum = squares[k];
        const double value = x[k];
        for (size_t i = from; i < to; ++i) row[i] += g[i] * (slope(w[i], sum[i]) * value);
    }
}

inline double proximal(double z, double squares, double alpha, double beta, double l1, double l2) {
    const double size = z > 0.0 ? z : -z;
    const double value = (size - l1) / ((beta + __builtin_sqrt(squares)) / alpha + l2);
    const double pulled = size > l1 ? value : 0.0;
    return z > 0.0 ? -pulled : pulled;
}

void ftrl(double* const* u, double* const* z, double* const* squares, const double* x, size_t count, const double* s, const double* w,
          double y, double alpha, double beta, double l1, double l2, double* __restrict g, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) g[i] = -y * (w[i] * miss(y * s[i]));
    for (size_t k = 0; k < count; ++k) {
        double* __restrict row = u[k];
        double* __restrict dual = z[k];
        double* __restrict sum = squares[k];
        const double value = x[k];
        for (size_t i = from; i < to; ++i) {
            const double gradient = g[i] * value;
            const double grown = sum[i] + gradient * gradient;
            const double sigma = (__builtin_sqrt(grown) - __builtin_sqrt(sum[i])) / alpha;
            dual[i] += gradient - sigma * row[i];
            sum[i] = grown;
            row[i] = proximal(dual[i], grown, alpha, beta, l1, l2);
        }
    }
}

void ftrl_solve(const double* z, const double* squares, double alpha, double beta, double l1, double l2, double* __restrict u, size_t n) {
    for (size_t i = 0; i < n; ++i) u[i] = proximal(z[i], squares[i], alpha, beta, l1, l2);
}

// ---- Gaussian learners: the scalars ------------------------------------------------------------------------------

void arow(const double* s, const double* v, const double* w, double y, double r, double* __restrict alpha, double* __restrict beta,
          size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double short_by = 1.0 - y * s[i];
        const double b = short_by > 0.0 ? w[i] / (w[i] * v[i] + r) : 0.0;
        alpha[i] = y * (b * short_by);
        beta[i] = b;
    }
}

void scw(const double* s, const double* v, const double* w, double y, double phi, double c, bool second, double* __restrict alpha,
         double* __restrict beta, size_t from, size_t to) {
    const double square = phi * phi;
    const double psi = 1.0 + square / 2.0, zeta = 1.0 + square;
    for (size_t i = from; i < to; ++i) {
        const double m = y * s[i];
        const bool sure = !(v[i] > kLeastVariance) | !(w[i] > 0.0);
        const double spread = sure ? 1.0 : v[i];
        const double most = sure ? 1.0 : c * w[i];
        double a;
        if (second) {
            // The paper's quotient divided through by n: a variance to the third power is beyond the numbers sooner than a row is.
            const double n = spread + 0.5 / most;
            const double share = square * (spread / n);
            const double near = larger(smaller(m, 1e150), -1e150);
            const double gamma = __builtin_sqrt(near * near * (share * share) + 4.0 * square * spread * (1.0 + share));
            a = (gamma - near * (2.0 + share)) / (2.0 * n * (1.0 + share));
        } else {
            a = (__builtin_sqrt(m * m * (square * square) / 4.0 + spread * square * zeta) - m * psi) / (spread * zeta);
            a = smaller(a, most);
        }
        const bool still = sure | !(a > 0.0) | !(m < phi * __builtin_sqrt(spread));
        const double pull = a * spread * phi;
        const double root = 2.0 * spread / (pull + __builtin_sqrt(pull * pull + 4.0 * spread));  // sqrt(u) of the paper
        alpha[i] = still ? 0.0 : y * a;
        beta[i] = still ? 0.0 : a * phi / (root + pull);
    }
}

void ridge(const double* s, const double* v, const double* w, double y, double* __restrict alpha, double* __restrict beta, size_t from,
           size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double b = w[i] / (1.0 + w[i] * v[i]);
        alpha[i] = b * (y - s[i]);
        beta[i] = b;
    }
}

// The root of delta (1 + a exp(delta)) = q for q >= 0, a > 0. Newton from the right of a convex function: monotone.
inline double implicit(double a, double q) {
    const double far = log_fixed(1.0 + smaller(q / a, 1e300));  // where delta >= 1, a exp(delta) <= q
    double delta = smaller(q / (1.0 + a), larger(far, 1.0));
    for (int k = 0; k < 10; ++k) {
        const double grown = a * exp_fixed(delta);
        delta -= (delta * (1.0 + grown) - q) / (1.0 + grown * (1.0 + delta));
    }
    return larger(delta, 0.0);
}

void logistic(const double* s, const double* v, const double* w, double y, double* __restrict alpha, double* __restrict beta, size_t from,
              size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double margin = larger(smaller(y * s[i], 300.0), -300.0);
        const double delta = implicit(exp_fixed(margin), smaller(w[i] * v[i], 1e100));
        const double p = miss(margin + delta);
        const double curvature = w[i] * (p * (1.0 - p));
        alpha[i] = y * (w[i] * p);
        beta[i] = curvature / (1.0 + curvature * v[i]);
    }
}

// ---- Gaussian learners: the sweeps -------------------------------------------------------------------------------

void diagonal_variance(const double* const* sigma, const double* x, size_t count, double* __restrict v, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) v[i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        const double* row = sigma[k];
        const double square = x[k] * x[k];
        for (size_t i = from; i < to; ++i) v[i] += row[i] * square;
    }
}

template <size_t N>
inline void diagonal_tile(double* const* u, double* const* sigma, const double* x, size_t count, const double* alpha,
                          const double* beta, size_t at) {
    if (idle<N>(alpha, beta, at)) return;
    for (size_t k = 0; k < count; ++k) {
        double* __restrict row = u[k] + at;
        double* __restrict spread = sigma[k] + at;
        const double value = x[k];
        for (size_t i = 0; i < N; ++i) {
            const double t = spread[i] * value;
            row[i] += alpha[at + i] * t;
            spread[i] *= larger(1.0 - beta[at + i] * (t * value), 0.0);
        }
    }
}

void diagonal_apply(double* const* u, double* const* sigma, const double* x, size_t count, const double* alpha, const double* beta,
                    size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { diagonal_tile<8>(u, sigma, x, count, alpha, beta, i); },
        [&](size_t i) { diagonal_tile<1>(u, sigma, x, count, alpha, beta, i); });
}

inline size_t triangle(size_t f, size_t g) { return f >= g ? f * (f + 1) / 2 + g : g * (g + 1) / 2 + f; }

// work(b[g][i], a[g][i], i) for g < count and the N learners from `from` on. Rows of a single learner are one number each and mostly
// lie side by side, in blocks of more than eight: eight of them, of which the last is in its place, can be taken as one.
template <size_t N, class Work>
inline void sweep_row(size_t count, const double* const* a, double* const* b, size_t from, Work work) {
    for (size_t g = 0; g < count;) {
        const double* __restrict other = a[g] + from;
        double* __restrict own = b[g] + from;
        if constexpr (N == 1)
            if (g + 8 <= count && a[g + 7] == a[g] + 7 && b[g + 7] == b[g] + 7) {
                for (size_t j = 0; j < 8; ++j) work(own[j], other[j], 0);
                g += 8;
                continue;
            }
        for (size_t i = 0; i < N; ++i) work(own[i], other[i], i);
        ++g;
    }
}

template <size_t N>
inline void variance_tile(const double* const* sigma, const size_t* at, const double* x, size_t count, double* v, size_t from) {
    double sum[N] = {};
    for (size_t k = 0; k < count; ++k) {
        double part[N] = {};
        for (size_t l = 0; l < k; ++l) {
            const double* row = sigma[triangle(at[k], at[l])] + from;
            for (size_t i = 0; i < N; ++i) part[i] += row[i] * x[l];
        }
        const double* own = sigma[triangle(at[k], at[k])] + from;
        for (size_t i = 0; i < N; ++i) sum[i] += (2.0 * part[i] + own[i] * x[k]) * x[k];
    }
    for (size_t i = 0; i < N; ++i) v[from + i] = larger(sum[i], 0.0);
}

void full_variance(const double* const* sigma, const size_t* at, const double* x, size_t count, double* v, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { variance_tile<8>(sigma, at, x, count, v, i); },
        [&](size_t i) { variance_tile<1>(sigma, at, x, count, v, i); });
}

template <size_t N>
inline void product_tile(const double* const* sigma, size_t d, const size_t* at, const double* x, size_t count, double noise, double* w,
                         double* const* t, double* v, size_t from) {
    if (idle<N>(w, w, from)) return;
    // Each sum over k is in the order of k. The entries of row a up to (a, a) are neighbours, those of column a below it are not.
    for (size_t f = 0; f < d; ++f)
        for (size_t i = 0; i < N; ++i) t[f][from + i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        const size_t a = at[k];
        const double* const* entry = sigma + triangle(a, 0);
        sweep_row<N>(a + 1, entry, t, from, [value = x[k]](double& sum, double own, size_t) { sum += own * value; });
        for (size_t f = a + 1; f < d; ++f) {
            const double* own = sigma[triangle(f, a)] + from;
            double* sum = t[f] + from;
            for (size_t i = 0; i < N; ++i) sum[i] += own[i] * x[k];
        }
    }
    double spread[N] = {};
    for (size_t k = 0; k < count; ++k)
        for (size_t i = 0; i < N; ++i) spread[i] += t[at[k]][from + i] * x[k];
    for (size_t i = 0; i < N; ++i) {
        v[from + i] = spread[i];
        w[from + i] = spread[i] > noise ? w[from + i] : 0.0;
    }
}

void full_product(const double* const* sigma, size_t d, const size_t* at, const double* x, size_t count, double noise, double* w,
                  double* const* t, double* v, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { product_tile<8>(sigma, d, at, x, count, noise, w, t, v, i); },
        [&](size_t i) { product_tile<1>(sigma, d, at, x, count, noise, w, t, v, i); });
}

template <size_t N>
inline void apply_tile(double* const* u, double* const* sigma, size_t d, const double* const* t, const double* alpha,
                       const double* beta, size_t from) {
    if (idle<N>(alpha, beta, from)) return;
    for (size_t f = 0; f < d; ++f) {
        double* __restrict row = u[f] + from;
        double part[N];
        for (size_t i = 0; i < N; ++i) {
            row[i] += alpha[from + i] * t[f][from + i];
            part[i] = beta[from + i] * t[f][from + i];
        }
        sweep_row<N>(f + 1, t, sigma + triangle(f, 0), from, [&part](double& entry, double other, size_t i) { entry -= part[i] * other; });
    }
}

void full_apply(double* const* u, double* const* sigma, size_t d, const double* const* t, const double* alpha, const double* beta,
                size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { apply_tile<8>(u, sigma, d, t, alpha, beta, i); },
        [&](size_t i) { apply_tile<1>(u, sigma, d, t, alpha, beta, i); });
}

// ---- random Fourier features -------------------------------------------------------------------------------------

void waves(const double* turns, const double* phase, double* __restrict z, size_t n) {
    for (size_t j = 0; j < n; ++j) z[j] = 1.4142135623730951 * cosine_of_turns(turns[j] + phase[j]);
}

// ---- categorical Naive Bayes -------------------------------------------------------------------------------------

// For one learner, V = double, or for those of `Parts` registers.
template <class V, size_t Parts>
inline void categorical_tile(const double* const* c1, const double* const* c0, const double* b, size_t count, const double* n1,
                             const double* n0, double alpha, double* ratio, size_t at) {
    constexpr size_t lanes = sizeof(V) / sizeof(double);
    const auto get = [](const double* p) {
        V v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    };
    V top[Parts], bottom[Parts], exponent[Parts], all1[Parts], all0[Parts];
    for (size_t r = 0; r < Parts; ++r) {
        top[r] = bottom[r] = splat<V>(1.0);
        exponent[r] = V{};
        all1[r] = get(n1 + at + r * lanes);
        all0[r] = get(n0 + at + r * lanes);
    }
    for (size_t k = 0; k < count; ++k) {
        for (size_t r = 0; r < Parts; ++r) {
            top[r] *= (get(c1[k] + at + r * lanes) + alpha) * (all0[r] + b[k]);
            bottom[r] *= (get(c0[k] + at + r * lanes) + alpha) * (all1[r] + b[k]);
        }
        if (k % 4 == 3 || k + 1 == count)
            for (size_t r = 0; r < Parts; ++r) {
                V up, down;
                top[r] = split_fixed(top[r], up);
                bottom[r] = split_fixed(bottom[r], down);
                exponent[r] += up - down;
            }
    }
    for (size_t r = 0; r < Parts; ++r) {
        V k;
        const V m = split_fixed(V(top[r] / bottom[r]), k);
        const V log = log_split(m, V(exponent[r] + k));
        __builtin_memcpy(ratio + at + r * lanes, &log, sizeof log);
    }
}

void categorical(const double* const* c1, const double* const* c0, const double* b, size_t count, const double* n1, const double* n0,
                 double alpha, double* ratio, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { categorical_tile<Vec, kParts>(c1, c0, b, count, n1, n0, alpha, ratio, i); },
        [&](size_t i) { categorical_tile<double, 1>(c1, c0, b, count, n1, n0, alpha, ratio, i); });
}

#define ONLINEBOOST_STRING_(x) #x
#define ONLINEBOOST_STRING(x) ONLINEBOOST_STRING_(x)

}  // namespace

extern const SecondOrderKernels second_order_table;
const SecondOrderKernels second_order_table = {
    ONLINEBOOST_STRING(ONLINEBOOST_ISA),
    averaged_output,
    averaged_step,
    squash,
    clip,
    adagrad,
    ftrl,
    ftrl_solve,
    arow,
    scw,
    ridge,
    logistic,
    diagonal_variance,
    diagonal_apply,
    full_variance,
    full_product,
    full_apply,
    waves,
    categorical,
};

}  // namespace onlineboost::ONLINEBOOST_ISA
