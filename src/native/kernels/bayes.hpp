// Naive Bayes. Odds are products, kept as mantissa times 2^exponent, so that binary features never need a logarithm.
// Included once per instruction set, inside that set's namespace. V is Vec, or double for a learner on its own: the
// same operations in the same order. T registers are worked on beside each other, so that one need not wait for the
// other.

template <class V>
inline V get(const double* p) {
    if constexpr (sizeof(V) == sizeof(double))
        return *p;
    else
        return load(p);
}
inline void put(double* p, double v) { *p = v; }
inline void put(double* p, Vec v) { store(p, v); }

template <class V>
constexpr size_t kWidth = sizeof(V) / sizeof(double);

// x = m * 2^k: gives m in [1, 2) and adds k to `exponent`.
template <class V>
inline V normalise(V x, V& exponent) {
    Words<V> biased = {};
    const V m = split_mantissa(x, biased);
    exponent += to_double<V>(biased) - 1023.0;
    return m;
}

// x^count as m * 2^exponent, by squaring: of a mantissa below 2, the powers up to 256 are in range.
template <class V>
inline V power(V x, size_t count, V& exponent) {
    V base_exponent = {};
    V base = normalise(x, base_exponent);
    V result = splat<V>(1.0);
    exponent = V{};
    for (;;) {
        const size_t digit = count % 256;
        V square = base;
        for (size_t left = digit; left > 0; left >>= 1, square *= square)
            if (left & 1) result *= square;
        exponent += base_exponent * static_cast<double>(digit);
        result = normalise(result, exponent);
        count /= 256;
        if (count == 0) return result;
        for (int j = 0; j < 8; ++j) base *= base;
        base_exponent *= 256.0;
        base = normalise(base, base_exponent);
    }
}

// Runs `tile` over the learners from <= i < to: T registers at a time, then one, then single learners.
template <size_t T, class Tile>
inline void for_tiles(size_t from, size_t to, Tile tile) {
    size_t i = from;
    for (; i + T * kLanes <= to; i += T * kLanes) tile.template operator()<Vec, T>(i);
    for (; i + kLanes <= to; i += kLanes) tile.template operator()<Vec, 1>(i);
    for (; i < to; ++i) tile.template operator()<double, 1>(i);
}

constexpr size_t kTile = kLanes == 8 ? 4 : 2;

// A factor is from 1e-30 to 1e30, so that eight fit between normalisations. Four products take turns: a multiplication
// takes longer than the next needs to start.
template <class V, size_t T>
inline void absent_tile(const double* const* rows, size_t count, const double* total, const BayesRule& rule,
                        double* mantissa, double* exponent, size_t at) {
    constexpr size_t L = kWidth<V>;
    V n[T], product[4][T];
    Words<V> biased[T] = {};
    double biases = 0.0;
    for (size_t t = 0; t < T; ++t) {
        n[t] = get<V>(total + at + t * L);
        for (size_t c = 0; c < 4; ++c) product[c][t] = splat<V>(1.0);
    }
    for (size_t k = 0; k < count; biases += 4.0 * 1023.0) {
        const size_t end = k + 32 < count ? k + 32 : count;
        const auto multiply = [&](size_t c) {
            const double* row = rows[k + c] + at;
            for (size_t t = 0; t < T; ++t) product[c][t] *= (n[t] - get<V>(row + t * L)) + rule.alpha;
        };
        for (; k + 4 <= end; k += 4)
            for (size_t c = 0; c < 4; ++c) multiply(c);
        for (size_t c = 0; c < 3; ++c)
            if (k + c < end) multiply(c);
        k = end;
        for (size_t c = 0; c < 4; ++c)
            for (size_t t = 0; t < T; ++t) product[c][t] = split_mantissa(product[c][t], biased[t]);
    }
    for (size_t t = 0; t < T; ++t) {
        V whole = to_double<V>(biased[t]) - biases, divisor_exponent;
        const V divisor = power(n[t] + rule.beta, count, divisor_exponent);
        const V m = normalise((product[0][t] * product[1][t]) * (product[2][t] * product[3][t]) / divisor, whole);
        put(mantissa + at + t * L, m);
        put(exponent + at + t * L, whole - divisor_exponent);
    }
}

void bernoulli_absent(const double* const* rows, size_t count, const double* total, const BayesRule* rule,
                      double* mantissa, double* exponent, size_t from, size_t to) {
    for_tiles<kTile>(from, to, [=]<class V, size_t T>(size_t i) {
        absent_tile<V, T>(rows, count, total, *rule, mantissa, exponent, i);
    });
}

template <class V>
inline V clamped(V x, double limit) {
    return larger(smaller(x, splat<V>(limit)), splat<V>(-limit));
}

template <class V, size_t T>
inline void output_tile(const BayesSide& plus, const BayesSide& minus, size_t count, const BayesRule& rule,
                        const double* q, double* h, size_t at) {
    constexpr size_t L = kWidth<V>;
    const double alpha = rule.alpha;
    V n1[T], n0[T], top[T], bottom[T];
    Words<V> up[T] = {}, down[T] = {};
    for (size_t t = 0; t < T; ++t) {
        n1[t] = get<V>(plus.total + at + t * L);
        n0[t] = get<V>(minus.total + at + t * L);
        top[t] = bottom[t] = splat<V>(1.0);
    }
    for (size_t k = 0; k < count;) {
        const size_t end = k + 4 < count ? k + 4 : count;
        for (; k < end; ++k)
            for (size_t t = 0; t < T; ++t) {
                const V c1 = get<V>(plus.present[k] + at + t * L);
                const V c0 = get<V>(minus.present[k] + at + t * L);
                top[t] *= (c1 + alpha) * ((n0[t] - c0) + alpha);
                bottom[t] *= (c0 + alpha) * ((n1[t] - c1) + alpha);
            }
        for (size_t t = 0; t < T; ++t) {
            top[t] = split_mantissa(top[t], up[t]);
            bottom[t] = split_mantissa(bottom[t], down[t]);
        }
    }
    for (size_t t = 0; t < T; ++t) {
        const size_t i = at + t * L;
        V exponent =
            (get<V>(plus.exponent + i) - get<V>(minus.exponent + i)) + (to_double<V>(up[t]) - to_double<V>(down[t]));
        V odds = ((n1[t] + rule.prior) * (get<V>(plus.absent + i) * top[t])) /
                 ((n0[t] + rule.prior) * (get<V>(minus.absent + i) * bottom[t]));
        if (q) {
            V k;
            odds *= exp_split(
                clamped(0.5 * (get<V>(q + i) - (get<V>(plus.spread + i) - get<V>(minus.spread + i))), 1e12), k);
            exponent += k;
        }
        odds = normalise(odds, exponent);
        const V ratio = odds * power_of_two(clamped(exponent, 1000.0));
        const V one = splat<V>(1.0), none = {};
        const V single = (n1[t] > rule.least ? one : none) - (n0[t] > rule.least ? one : none);
        const V known = (n1[t] > rule.least) & (n0[t] > rule.least) ? (ratio - 1.0) / (ratio + 1.0) : single;
        put(h + i, n1[t] + n0[t] > 0.0 ? known : none);
    }
}

void bayes_output(const BayesSide* plus, const BayesSide* minus, size_t count, const BayesRule* rule, const double* q,
                  double* h, size_t from, size_t to) {
    for_tiles<kTile>(from, to,
                     [=]<class V, size_t T>(size_t i) { output_tile<V, T>(*plus, *minus, count, *rule, q, h, i); });
}

template <class V, size_t T>
inline void gaussian_tile(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                          const double* const* inv0, const double* x, size_t count, double* q, size_t at) {
    constexpr size_t L = kWidth<V>;
    V acc[T] = {};
    for (size_t k = 0; k < count; ++k)
        for (size_t t = 0; t < T; ++t) {
            const size_t i = at + t * L;
            const V d1 = x[k] - get<V>(mean1[k] + i);
            const V d0 = x[k] - get<V>(mean0[k] + i);
            acc[t] += d0 * d0 * get<V>(inv0[k] + i) - d1 * d1 * get<V>(inv1[k] + i);
        }
    for (size_t t = 0; t < T; ++t) put(q + at + t * L, acc[t]);
}

void gaussian_score(const double* const* mean1, const double* const* inv1, const double* const* mean0,
                    const double* const* inv0, const double* x, size_t count, double* q, size_t from, size_t to) {
    for_tiles<4>(from, to,
                 [=]<class V, size_t T>(size_t i) { gaussian_tile<V, T>(mean1, inv1, mean0, inv0, x, count, q, i); });
}

template <class V, size_t T>
inline void welford_tile(double* const* mean, double* const* m2, double* const* inv, const double* x, size_t count,
                         const double* w, const double* total, double floor, double* out, size_t at) {
    constexpr size_t L = kWidth<V>;
    V weight[T], share[T], over[T], product[T];
    Words<V> biased[T] = {};  // of the variances, which may be of any size
    double biases = 0.0;
    for (size_t t = 0; t < T; ++t) {
        const V n = get<V>(total + at + t * L);
        const V seen = n > 0.0 ? n : splat<V>(1.0);
        weight[t] = get<V>(w + at + t * L);
        over[t] = 1.0 / seen;
        share[t] = weight[t] / seen;
        product[t] = splat<V>(1.0);
    }
    for (size_t k = 0; k < count;) {
        const size_t end = k + 512 < count ? k + 512 : count;  // mantissas are below 2
        biases += 1023.0 * static_cast<double>(end - k + 1);
        for (; k < end; ++k)
            for (size_t t = 0; t < T; ++t) {
                const size_t i = at + t * L;
                const V m = get<V>(mean[k] + i);
                const V d = x[k] - m;
                const V moved = m + share[t] * d;
                const V grown = get<V>(m2[k] + i) + weight[t] * (d * (x[k] - moved));
                const V s = larger(grown, V{});  // rounding may take a weight far above all before it below 0
                const V variance = s * over[t] + floor;
                put(mean[k] + i, moved);
                put(m2[k] + i, s);
                put(inv[k] + i, 1.0 / variance);
                product[t] *= split_mantissa(variance, biased[t]);
            }
        for (size_t t = 0; t < T; ++t) product[t] = split_mantissa(product[t], biased[t]);
    }
    for (size_t t = 0; t < T; ++t) {
        V k;
        const V m = split_fixed(product[t], k);
        put(out + at + t * L, log_split(m, k + (to_double<V>(biased[t]) - biases)));
    }
}

void gaussian_update(double* const* mean, double* const* m2, double* const* inv, const double* x, size_t count,
                     const double* w, const double* total, double floor, double* out, size_t from, size_t to) {
    for_tiles<2>(from, to, [=]<class V, size_t T>(size_t i) {
        welford_tile<V, T>(mean, m2, inv, x, count, w, total, floor, out, i);
    });
}

void add_weights(double* const* rows, size_t count, const double* w, size_t from, size_t to) {
    for (size_t k = 0; k < count; ++k) {
        double* row = rows[k];
        for (size_t i = from; i < to; ++i) row[i] += w[i];
    }
}
