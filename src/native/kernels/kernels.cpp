// The kernels; compiled once per instruction set with ONLINEBOOST_ISA (its name) and ONLINEBOOST_LANES (doubles per register).
#include "kernels/kernels.hpp"

namespace onlineboost::ONLINEBOOST_ISA {
namespace {

#include "kernels/math.hpp"

using std::size_t;

constexpr size_t kLanes = ONLINEBOOST_LANES;
typedef double Vec __attribute__((vector_size(ONLINEBOOST_LANES * 8)));
typedef double VecMem __attribute__((vector_size(ONLINEBOOST_LANES * 8), aligned(8), may_alias));

inline Vec load(const double* p) { return *reinterpret_cast<const VecMem*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<VecMem*>(p) = v; }

// ---- sweeps over feature rows ------------------------------------------------------------------------------------

// R registers of running sums stay in the processor while all rows of the example pass by.
template <size_t R>
inline void dot_block(const double* const* rows, const double* x, size_t count, double* s, size_t at) {
    Vec acc[R] = {};
    for (size_t k = 0; k < count; ++k) {
        const double* row = rows[k] + at;
        const double value = x[k];
        for (size_t r = 0; r < R; ++r) acc[r] += load(row + r * kLanes) * value;
    }
    for (size_t r = 0; r < R; ++r) store(s + at + r * kLanes, acc[r]);
}

void dot_rows(const double* const* rows, const double* x, size_t count, double* s, size_t n) {
    size_t i = 0;
    for (; i + 8 * kLanes <= n; i += 8 * kLanes) dot_block<8>(rows, x, count, s, i);
    if (i + 4 * kLanes <= n) {
        dot_block<4>(rows, x, count, s, i);
        i += 4 * kLanes;
    }
    for (; i + kLanes <= n; i += kLanes) dot_block<1>(rows, x, count, s, i);
    for (; i < n; ++i) {
        double acc = 0.0;
        for (size_t k = 0; k < count; ++k) acc += rows[k][i] * x[k];
        s[i] = acc;
    }
}

inline bool any_nonzero(const double* c, size_t n) {
    bool any = false;
    for (size_t i = 0; i < n; ++i) any |= c[i] != 0.0;
    return any;
}

void add_rows(double* const* rows, const double* x, size_t count, const double* c, size_t n) {
    // Eight learners at a time on every instruction set: what is skipped must not depend on the vector width.
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        if (!any_nonzero(c + i, 8)) continue;
        Vec step[8 / kLanes];
        for (size_t r = 0; r < 8 / kLanes; ++r) step[r] = load(c + i + r * kLanes);
        for (size_t k = 0; k < count; ++k) {
            double* row = rows[k] + i;
            const double value = x[k];
            for (size_t r = 0; r < 8 / kLanes; ++r) store(row + r * kLanes, load(row + r * kLanes) + step[r] * value);
        }
    }
    for (; i < n; ++i)
        if (c[i] != 0.0)
            for (size_t k = 0; k < count; ++k) rows[k][i] += c[i] * x[k];
}

// ---- small vectors over learners ---------------------------------------------------------------------------------

void multiply(const double* a, const double* b, double* __restrict out, size_t n) {
    for (size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

inline double fold(const double* p) { return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7])); }

double sum(const double* a, size_t n) {
    double p[8] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; ++j) p[j] += a[i + j];
    for (size_t j = 0; i + j < n; ++j) p[j] += a[i + j];
    return fold(p);
}

double dot(const double* a, const double* b, size_t n) {
    double p[8] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; ++j) p[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i + j < n; ++j) p[j] += a[i + j] * b[i + j];
    return fold(p);
}

void smooth_weights(const double* h, double y, double theta, double beta, double* __restrict z, double* __restrict w,
                    size_t n) {
    // Prefix sums in blocks of eight: the blocks do not wait for each other, only their totals do.
    double before = 0.0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        double p[8];
        p[0] = y * h[i] - theta;
        for (size_t j = 1; j < 8; ++j) p[j] = p[j - 1] + (y * h[i + j] - theta);
        for (size_t j = 0; j < 8; ++j) z[i + j] = before + p[j];
        before += p[7];
    }
    for (double p = 0.0; i < n; ++i) {
        p += y * h[i] - theta;
        z[i] = before + p;
    }
    w[0] = 1.0;
    for (size_t j = 0; j < n; ++j) {
        const double e = exp_fixed(-beta * z[j]);
        w[j + 1] = z[j] <= 0.0 ? 1.0 : e;
    }
}

void scale_weights(const double* w, double s, double* __restrict scaled, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        const double weight = s * w[i];
        scaled[i] = weight < kNegligible ? 0.0 : weight;
    }
}

// p[i] = y (h[0] + ... + h[i]), in the blocks of smooth_weights: at theta = 0 it is z, bit for bit.
void prefix_margins(const double* h, double y, double* __restrict p, size_t n) {
    double before = 0.0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        double q[8];
        q[0] = y * h[i];
        for (size_t j = 1; j < 8; ++j) q[j] = q[j - 1] + y * h[i + j];
        for (size_t j = 0; j < 8; ++j) p[i + j] = before + q[j];
        before += q[7];
    }
    for (double q = 0.0; i < n; ++i) {
        q += y * h[i];
        p[i] = before + q;
    }
}

void accumulate(const double* h, double y, double s, const double* z, const double* w, const double* aim, double keep,
                double* __restrict p, double* __restrict mass, double* __restrict squares, double* __restrict edge,
                double* __restrict shortfall, double* __restrict thin, double* __restrict wrong, size_t n) {
    // z[i] + aim[i] is the prefix sum but for rounding, which only matters near 0.
    const double rounding = 1e-15 * static_cast<double>(n) * static_cast<double>(n);
    double near = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const double weight = s * w[i];
        const double short_by = z[i] <= 0.0 ? -z[i] : 0.0;
        p[i] = z[i] + aim[i];
        near = p[i] <= rounding && p[i] >= -rounding ? 1.0 : near;
        mass[i] = keep * mass[i] + weight;
        squares[i] = keep * squares[i] + weight * weight;
        edge[i] = keep * edge[i] + weight * (y * h[i]);
        shortfall[i] = keep * shortfall[i] + s * short_by;
        thin[i] = keep * thin[i] + (z[i] <= 0.0 ? s : 0.0);
    }
    mass[n] = keep * mass[n] + s * w[n];
    if (near != 0.0) prefix_margins(h, y, p, n);
    for (size_t i = 0; i < n; ++i) wrong[i] = keep * wrong[i] + (p[i] <= 0.0 ? s : 0.0);
}

// ---- linear learners ---------------------------------------------------------------------------------------------

bool perceptron_step(const double* s, const double* w, double y, double xx, double* __restrict c,
                     double* __restrict norm2, double* __restrict inv, size_t n) {
    double any = 0.0;
    for (size_t i = 0; i < n; ++i) {
        c[i] = y * s[i] <= 0.0 ? w[i] * y : 0.0;
        any = c[i] != 0.0 ? 1.0 : any;
    }
    if (any == 0.0) return false;
    for (size_t i = 0; i < n; ++i) {
        norm2[i] += 2.0 * c[i] * s[i] + c[i] * c[i] * xx;
        const double size = norm2[i] > 1.0 ? norm2[i] : 1.0;
        inv[i] = 1.0 / __builtin_sqrt(size);
    }
    return true;
}

void gradient_step(const double* s, const double* w, double y, double xx, double* __restrict sum_sq,
                   double* __restrict norm2, double* __restrict scale, double* __restrict c, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        sum_sq[i] += w[i] * w[i] * xx;
        const bool moves = sum_sq[i] > kSmallestSquare;
        const double step = moves ? __builtin_sqrt(2.0 / sum_sq[i]) * (w[i] * y) : 0.0;
        c[i] = step / scale[i];
        const double grown = norm2[i] + 2.0 * step * s[i] + step * (step * xx);
        const bool outside = grown > 1.0;
        scale[i] = outside ? scale[i] / __builtin_sqrt(grown) : scale[i];
        norm2[i] = outside ? 1.0 : grown;
    }
}

// ---- Naive Bayes: products in place of sums of logs --------------------------------------------------------------

constexpr size_t kTile = 32;  // learners whose products stay in registers

template <size_t N>
inline void present_tile(const double* const* c1, const double* const* c0, size_t count, const double* n1,
                         const double* n0, double alpha, double* log_ratio, size_t at) {
    double top[N], bottom[N], exponent[N];
    for (size_t i = 0; i < N; ++i) top[i] = bottom[i] = 1.0, exponent[i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        const double* p1 = c1[k] + at;
        const double* p0 = c0[k] + at;
        for (size_t i = 0; i < N; ++i) {
            top[i] *= (p1[i] + alpha) * ((n0[at + i] - p0[i]) + alpha);
            bottom[i] *= (p0[i] + alpha) * ((n1[at + i] - p1[i]) + alpha);
        }
        if (k % 4 == 3 || k + 1 == count)
            for (size_t i = 0; i < N; ++i) {
                double up, down;
                top[i] = split_fixed(top[i], up);
                bottom[i] = split_fixed(bottom[i], down);
                exponent[i] += up - down;
            }
    }
    for (size_t i = 0; i < N; ++i) {
        double k;
        const double m = split_fixed(top[i] / bottom[i], k);
        log_ratio[at + i] += log_split(m, exponent[i] + k);
    }
}

void bernoulli_present(const double* const* c1, const double* const* c0, size_t count, const double* n1,
                       const double* n0, double alpha, double* log_ratio, size_t from, size_t to) {
    size_t i = from;
    for (; i + kTile <= to; i += kTile) present_tile<kTile>(c1, c0, count, n1, n0, alpha, log_ratio, i);
    for (; i + 8 <= to; i += 8) present_tile<8>(c1, c0, count, n1, n0, alpha, log_ratio, i);
    for (; i < to; ++i) present_tile<1>(c1, c0, count, n1, n0, alpha, log_ratio, i);
}

template <size_t N>
inline void absent_tile(const double* const* rows, size_t count, const double* total, double alpha, double beta, double* out,
                        size_t at) {
    // Two interleaved products; each takes four factors between normalisations.
    double even[N], odd[N], exponent[N];
    for (size_t i = 0; i < N; ++i) even[i] = odd[i] = 1.0, exponent[i] = 0.0;
    size_t k = 0;
    for (; k + 8 <= count; k += 8) {
        for (size_t j = 0; j < 8; j += 2) {
            const double* p = rows[k + j] + at;
            const double* q = rows[k + j + 1] + at;
            for (size_t i = 0; i < N; ++i) {
                even[i] *= (total[at + i] - p[i]) + alpha;
                odd[i] *= (total[at + i] - q[i]) + alpha;
            }
        }
        for (size_t i = 0; i < N; ++i) {
            double a, b;
            even[i] = split_fixed(even[i], a);
            odd[i] = split_fixed(odd[i], b);
            exponent[i] += a + b;
        }
    }
    for (; k < count; ++k)
        for (size_t i = 0; i < N; ++i) {
            double a;
            even[i] = split_fixed(even[i] * ((total[at + i] - rows[k][at + i]) + alpha), a);
            exponent[i] += a;
        }
    for (size_t i = 0; i < N; ++i) {
        double a;
        const double m = split_fixed(even[i] * odd[i], a);
        out[at + i] = log_split(m, exponent[i] + a) -
                      static_cast<double>(count) * log_fixed(total[at + i] + beta);
    }
}

void bernoulli_absent(const double* const* rows, size_t count, const double* total, double alpha, double beta, double* out,
                      size_t from, size_t to) {
    size_t i = from;
    for (; i + kTile <= to; i += kTile) absent_tile<kTile>(rows, count, total, alpha, beta, out, i);
    for (; i + 8 <= to; i += 8) absent_tile<8>(rows, count, total, alpha, beta, out, i);
    for (; i < to; ++i) absent_tile<1>(rows, count, total, alpha, beta, out, i);
}

template <size_t N>
inline void gaussian_tile(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                          const double* const* inv0, const double* x, size_t count, double* q, size_t at) {
    double acc[N];
    for (size_t i = 0; i < N; ++i) acc[i] = q[at + i];
    for (size_t k = 0; k < count; ++k) {
        const double *m1 = mean1[k] + at, *v1 = inv1[k] + at, *m0 = mean0[k] + at, *v0 = inv0[k] + at;
        const double value = x[k];
        for (size_t i = 0; i < N; ++i) {
            const double d1 = value - m1[i];
            const double d0 = value - m0[i];
            acc[i] += d0 * d0 * v0[i] - d1 * d1 * v1[i];
        }
    }
    for (size_t i = 0; i < N; ++i) q[at + i] = acc[i];
}

void gaussian_score(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                    const double* const* inv0, const double* x, size_t count, double* q, size_t from, size_t to) {
    size_t i = from;
    for (; i + kTile <= to; i += kTile) gaussian_tile<kTile>(mean1, inv1, mean0, inv0, x, count, q, i);
    for (; i + 8 <= to; i += 8) gaussian_tile<8>(mean1, inv1, mean0, inv0, x, count, q, i);
    for (; i < to; ++i) gaussian_tile<1>(mean1, inv1, mean0, inv0, x, count, q, i);
}

template <size_t N>
inline void welford_tile(double* const* mean, double* const* m2, double* const* inv, const double* x, size_t count,
                         const double* w, const double* total, double floor, double* out, size_t at) {
    double share[N], over[N], product[N], exponent[N];
    for (size_t i = 0; i < N; ++i) {
        const double t = total[at + i] > 0.0 ? total[at + i] : 1.0;
        over[i] = 1.0 / t;
        share[i] = w[at + i] / t;
        product[i] = 1.0, exponent[i] = 0.0;
    }
    for (size_t k = 0; k < count; ++k) {
        double *m = mean[k] + at, *s = m2[k] + at, *v = inv[k] + at;
        const double value = x[k];
        for (size_t i = 0; i < N; ++i) {
            const double d = value - m[i];
            m[i] += share[i] * d;
            s[i] += w[at + i] * (d * (value - m[i]));
            s[i] = s[i] > 0.0 ? s[i] : 0.0;  // rounding may take a weight far above all before it below
            const double variance = s[i] * over[i] + floor;
            v[i] = 1.0 / variance;
            double e;
            product[i] = split_fixed(product[i] * variance, e);
            exponent[i] += e;
        }
    }
    for (size_t i = 0; i < N; ++i) out[at + i] = log_split(product[i], exponent[i]);
}

void gaussian_update(double* const* mean, double* const* m2, double* const* inv, const double* x, size_t count,
                     const double* w, const double* total, double floor, double* out, size_t from, size_t to) {
    size_t i = from;
    for (; i + 8 <= to; i += 8) welford_tile<8>(mean, m2, inv, x, count, w, total, floor, out, i);
    for (; i < to; ++i) welford_tile<1>(mean, m2, inv, x, count, w, total, floor, out, i);
}

void bayes_output(const double* n1, const double* n0, const double* a1, const double* a0, const double* g1,
                  const double* g0, const double* ratio, const double* q, double least, double pseudo, double* __restrict h,
                  size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const bool seen1 = n1[i] > least;
        const bool seen0 = n0[i] > least;
        const double prior = log_fixed(seen1 ? n1[i] + pseudo : 1.0) - log_fixed(seen0 ? n0[i] + pseudo : 1.0);
        const double odds = prior + (a1[i] - a0[i]) - 0.5 * (g1[i] - g0[i]) + ratio[i] + 0.5 * q[i];
        const double both = tanh_half(odds);
        const double single = (seen1 ? 1.0 : 0.0) - (seen0 ? 1.0 : 0.0);
        const double known = (seen1 & seen0) ? both : single;
        h[i] = n1[i] + n0[i] > 0.0 ? known : 0.0;
    }
}

// ---- experts -----------------------------------------------------------------------------------------------------

void expert_weights(const double* loss, double eta, double least, double* __restrict v, size_t n) {
    for (size_t i = 0; i < n; ++i) v[i] = exp_fixed(-eta * (loss[i] - least));
}

double exp_one(double x) { return exp_fixed(x); }
double log_one(double x) { return log_fixed(x); }

#define ONLINEBOOST_STRING_(x) #x
#define ONLINEBOOST_STRING(x) ONLINEBOOST_STRING_(x)

}  // namespace

extern const Kernels table;
const Kernels table = {
    ONLINEBOOST_STRING(ONLINEBOOST_ISA),
    dot_rows,
    add_rows,
    multiply,
    sum,
    dot,
    smooth_weights,
    scale_weights,
    accumulate,
    perceptron_step,
    gradient_step,
    bernoulli_present,
    bernoulli_absent,
    gaussian_score,
    gaussian_update,
    bayes_output,
    expert_weights,
    exp_one,
    log_one,
};

}  // namespace onlineboost::ONLINEBOOST_ISA
