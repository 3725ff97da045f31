// What no implementation of OSBoost over a bank can leave out, written for one number of learners that the compiler
// knows: sums over the features of the row, the vote, the chain of weights with its exponentials, and the update of the
// learners that move. No feature lookup, no normalisation, no calibration, no certificate, no reports, no choice at run
// time. The margins are the engine's, bit for bit, which the benchmark checks.
#pragma once
#include <immintrin.h>

#include <cmath>

#include "engine/random.hpp"
#include "engine/storage.hpp"
#include "stream.hpp"

#if defined(__AVX512F__)
#define ONLINEBOOST_LANES 8
#elif defined(__AVX2__)
#define ONLINEBOOST_LANES 4
#else
#define ONLINEBOOST_LANES 2
#endif

namespace onlineboost::benchmark {
namespace {

using std::size_t;
#include "kernels/vector.hpp"
#include "kernels/math.hpp"

constexpr double kWeightless = 1e-100;

// Outputs h become the vote and the weights that the learners are to be taught with.
template <size_t N>
inline double vote(const double* h) {
    Vec p[kParts] = {};
    for (size_t i = 0; i < N; i += 8)
        for (size_t r = 0; r < kParts; ++r) p[r] += load(h + i + r * kLanes);
    const double f = fold(p) / static_cast<double>(N);
    return f > 1.0 ? 1.0 : f < -1.0 ? -1.0 : f;
}

template <size_t N>
inline void weigh(const double* h, double y, const double* aim, double beta, double* w) {
    Vec before = {}, last = splat<Vec>(1.0);
    for (size_t i = 0; i < N; i += 8) {
        Vec p[kParts];
        for (size_t r = 0; r < kParts; ++r) p[r] = load(h + i + r * kLanes) * y;
        prefix_eight(p, before);
        for (size_t r = 0; r < kParts; ++r) {
            const Vec z = p[r] - load(aim + i + r * kLanes);
            const Vec next = z <= 0.0 ? splat<Vec>(1.0) : exp_fixed(z * -beta);
            const Vec weight = slide<1>(last, next);
            last = next;
            store(w + i + r * kLanes, weight < kWeightless ? Vec{} : weight);
        }
    }
    for (size_t i = N; i % 8 != 0; ++i) w[i] = 0.0;
}

template <size_t N>
struct Shape {
    static constexpr size_t stride = round_up(N);
    Vector aim, h, w;
    double beta;
    Shape(double gamma, double theta) : aim(stride), h(stride), w(stride), beta(-0.5 * log1p_fixed(-gamma)) {
        for (size_t i = 0; i < stride; ++i) aim[i] = static_cast<double>(i + 1) * theta;
    }
};

// ---- Perceptrons -------------------------------------------------------------------------------------------------

// Registers from `first` on, `Count` of them.
template <size_t Count, size_t First, size_t Stride>
inline void bare_scores(const double* const* rows, const double* x, size_t count, const double* inv, double* s,
                        double* h) {
    Vec acc[Count] = {};
    for (size_t k = 0; k < count; ++k)
        for (size_t r = 0; r < Count; ++r) acc[r] += load(rows[k] + (First + r) * kLanes) * x[k];
    for (size_t r = 0; r < Count; ++r) {
        const size_t at = (First + r) * kLanes;
        store(s + at, acc[r]);
        store(h + at, acc[r] * load(inv + at));
    }
    constexpr size_t next = First + Count, left = Stride / kLanes - next, most = kLanes == 8 ? 25 : 13;
    if constexpr (left > 0) bare_scores<(left < most ? left : most), next, Stride>(rows, x, count, inv, s, h);
}

template <size_t N>
struct BarePerceptrons : Shape<N> {
    using Shape<N>::stride;
    std::vector<Vector> table;  // the intercept, then the features
    Vector norm2, inv, s;
    std::vector<double*> rows;
    std::vector<double> x;

    BarePerceptrons(const Prepared& p, size_t columns, std::uint64_t seed, double gamma, double theta)
        : Shape<N>(gamma, theta), norm2(stride), inv(stride, 1.0), s(stride) {
        const double scale = std::sqrt(static_cast<double>(columns + 1));
        for (size_t f = 0; f <= p.ids.size(); ++f) {
            table.emplace_back(stride);
            const std::uint64_t id = f == 0 ? ~std::uint64_t{0} : p.ids[f - 1];
            for (size_t i = 0; i < N; ++i) table.back()[i] = start_coordinate(seed, i, id) / scale;
        }
        live(0);
    }
    void live(size_t f) {
        for (size_t i = 0; i < N; ++i) {
            norm2[i] += table[f][i] * table[f][i];
            inv[i] = 1.0 / std::sqrt(norm2[i] > 1.0 ? norm2[i] : 1.0);
        }
    }
    double learn(const Prepared& p, size_t t) {
        const size_t begin = p.starts[t], count = p.starts[t + 1] - begin + 1;
        rows.resize(count);
        x.resize(count);
        rows[0] = table[0].data();
        x[0] = p.constants[t];
        for (size_t k = 1; k < count; ++k) {
            rows[k] = table[p.slots[begin + k - 1] + 1].data();
            x[k] = p.values[begin + k - 1];
        }
        for (size_t f = p.met[t]; f < p.met[t + 1]; ++f) live(f + 1);
        bare_scores<(stride / kLanes < 13 ? stride / kLanes : 13), 0, stride>(rows.data(), x.data(), count, inv.data(),
                                                                              s.data(), this->h.data());
        const double f = vote<N>(this->h.data()), y = p.y[t], xx = p.norm2[t];
        weigh<N>(this->h.data(), y, this->aim.data(), this->beta, this->w.data());
        for (size_t i = 0; i < N; i += 8) {
            Vec c[kParts];
            bool any = false;
            for (size_t r = 0; r < kParts; ++r) {
                const size_t at = i + r * kLanes;
                c[r] = y * load(s.data() + at) <= 0.0 ? load(this->w.data() + at) * y : Vec{};
                any |= any_nonzero(c[r]);
            }
            if (!any) continue;
            for (size_t r = 0; r < kParts; ++r) {
                const size_t at = i + r * kLanes;
                Vec size = load(norm2.data() + at) + (2.0 * c[r] * load(s.data() + at) + c[r] * c[r] * xx);
                store(norm2.data() + at, size);
                size = size > 1.0 ? size : splat<Vec>(1.0);
                for (size_t j = 0; j < kLanes; ++j) size[j] = __builtin_sqrt(size[j]);
                store(inv.data() + at, 1.0 / size);
                for (size_t k = 0; k < count; ++k) store(rows[k] + at, load(rows[k] + at) + c[r] * x[k]);
            }
        }
        return f;
    }
};

// ---- Naive Bayes on binary features ------------------------------------------------------------------------------

inline Vec settle(Vec x, Vec& exponent) {
    Words<Vec> biased = {};
    const Vec m = split_mantissa(x, biased);
    exponent += to_double<Vec>(biased) - 1023.0;
    return m;
}

template <size_t N>
struct BareBernoulli : Shape<N> {
    using Shape<N>::stride;
    static constexpr double alpha = 1e-16, kSeen = 1e-16;
    struct Side {
        std::vector<Vector> counts;
        Vector total, absent, exponent;
    } sides[2];

    BareBernoulli(const Prepared& p, size_t, std::uint64_t, double gamma, double theta) : Shape<N>(gamma, theta) {
        for (Side& side : sides) {
            side.counts.assign(p.ids.size(), Vector(stride));
            side.total = side.absent = side.exponent = Vector(stride);
            std::fill(side.absent.begin(), side.absent.end(), 1.0);
        }
    }
    // The product over all features of (n - c + alpha) / (n + 2 alpha).
    void absent(Side& side, size_t features) {
        constexpr size_t T = kLanes == 8 && stride % 32 != 0 ? 1 : 2;
        for (size_t i = 0; i < stride; i += T * kLanes) {
            Vec n[T], product[T][4], power[T], own[T] = {};
            Words<Vec> biased[T] = {};
            for (size_t t = 0; t < T; ++t) {
                n[t] = load(side.total.data() + i + t * kLanes);
                for (Vec& q : product[t]) q = splat<Vec>(1.0);
            }
            double biases = 0.0;
            for (size_t k = 0; k < features; biases += 4.0 * 1023.0) {
                const size_t end = std::min(k + 32, features);
                for (; k + 4 <= end; k += 4)
                    for (size_t c = 0; c < 4; ++c)
                        for (size_t t = 0; t < T; ++t)
                            product[t][c] *= (n[t] - load(side.counts[k + c].data() + i + t * kLanes)) + alpha;
                for (size_t c = 0; c < 3; ++c)
                    if (k + c < end)
                        for (size_t t = 0; t < T; ++t)
                            product[t][c] *= (n[t] - load(side.counts[k + c].data() + i + t * kLanes)) + alpha;
                k = end;
                for (size_t t = 0; t < T; ++t)
                    for (Vec& q : product[t]) q = split_mantissa(q, biased[t]);
            }
            for (size_t t = 0; t < T; ++t) {
                Vec square = settle(n[t] + 2.0 * alpha, own[t]), shift = own[t] * static_cast<double>(features);
                power[t] = splat<Vec>(1.0);
                for (size_t left = features; left > 0; left >>= 1, square *= square)  // fewer than 256 features
                    if (left & 1) power[t] *= square;
                power[t] = settle(power[t], shift);
                Vec whole = to_double<Vec>(biased[t]) - biases;
                const Vec m =
                    settle((product[t][0] * product[t][1]) * (product[t][2] * product[t][3]) / power[t], whole);
                store(side.absent.data() + i + t * kLanes, m);
                store(side.exponent.data() + i + t * kLanes, whole - shift);
            }
        }
    }
    double learn(const Prepared& p, size_t t) {
        const size_t begin = p.starts[t], count = p.starts[t + 1] - begin;
        const size_t* slots = p.slots.data() + begin;
        const Side &plus = sides[1], &minus = sides[0];
        for (size_t i = 0; i < stride; i += kLanes) {
            const Vec n1 = load(plus.total.data() + i), n0 = load(minus.total.data() + i);
            Vec top = splat<Vec>(1.0), bottom = top;
            Words<Vec> up = {}, down = {};
            size_t taken = 0;
            for (size_t k = 0; k < count; ++k) {
                if (slots[k] >= p.met[t]) continue;
                const Vec c1 = load(plus.counts[slots[k]].data() + i), c0 = load(minus.counts[slots[k]].data() + i);
                top *= (c1 + alpha) * ((n0 - c0) + alpha);
                bottom *= (c0 + alpha) * ((n1 - c1) + alpha);
                if (++taken % 4 == 0) top = split_mantissa(top, up), bottom = split_mantissa(bottom, down);
            }
            if (taken % 4 != 0) top = split_mantissa(top, up), bottom = split_mantissa(bottom, down);
            Vec e = (load(plus.exponent.data() + i) - load(minus.exponent.data() + i)) +
                    (to_double<Vec>(up) - to_double<Vec>(down));
            Vec odds = (n1 * (load(plus.absent.data() + i) * top)) / (n0 * (load(minus.absent.data() + i) * bottom));
            odds = settle(odds, e);
            e = e > 1000.0 ? splat<Vec>(1000.0) : e;
            e = e < -1000.0 ? splat<Vec>(-1000.0) : e;
            const Vec ratio = odds * power_of_two(e), one = splat<Vec>(1.0), none = {};
            const Vec single = (n1 > kSeen ? one : none) - (n0 > kSeen ? one : none);
            store(this->h.data() + i, (n1 > kSeen) & (n0 > kSeen) ? (ratio - 1.0) / (ratio + 1.0) : single);
        }
        const double f = vote<N>(this->h.data()), y = p.y[t];
        weigh<N>(this->h.data(), y, this->aim.data(), this->beta, this->w.data());
        const double* w = this->w.data();
        Side& side = sides[y > 0.0 ? 1 : 0];
        if (p.met[t + 1] > p.met[t]) absent(sides[y > 0.0 ? 0 : 1], p.met[t + 1]);
        for (size_t i = 0; i < stride; i += kLanes)
            store(side.total.data() + i, load(side.total.data() + i) + load(w + i));
        for (size_t k = 0; k < count; ++k) {
            double* row = side.counts[slots[k]].data();
            for (size_t i = 0; i < stride; i += kLanes) store(row + i, load(row + i) + load(w + i));
        }
        absent(side, p.met[t + 1]);
        return f;
    }
};

}  // namespace
}  // namespace onlineboost::benchmark
