// Outputs from scores, and logistic regressions: AdaGrad and FTRL-Proximal. Included once per instruction set, inside
// that set's namespace.

void squash(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = tanh_half(s[i]);
}

void clip(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = larger(smaller(s[i], 1.0), -1.0);
}

// The roots of delta + a (exp(delta) - 1) = q for q >= 0, a > 0, in place of q. Newton from the right of a convex
// function: monotone, and eight steps reach the last bits for all a and q.
inline void travel(const double* a, double* q, size_t n) {
    double deltas[3][kTravel];
    for (size_t i = 0; i < n; ++i)
        deltas[0][i] = smaller(q[i] / (1.0 + a[i]), log_fixed(1.0 + smaller(q[i] / a[i], 1e300)));
    roots<8>(deltas, q, n, [=](size_t i, double delta) {
        const double grown = a[i] * (delta < 0.3 ? expm1_small(delta) : exp_fixed(delta) - 1.0);
        return delta - (delta + grown - q[i]) / (1.0 + a[i] + grown);
    });
}

inline double slope(double w, double squares) {
    const double root = __builtin_sqrt(squares > kSmallestSquare ? squares : 1.0);
    return squares > kSmallestSquare ? w / root : 0.0;
}

constexpr size_t kSlopes = 64;  // rows whose slopes fit next to the processor

// Slopes are needed twice, and cost a root and a quotient each: `kept` has room for those of kSlopes rows. Without it
// they are found again.
template <bool Keep>
inline void adagrad_lanes(double* const* u, double* const* squares, const double* x, size_t count, const double* s,
                          const double* w, double y, double rate, double* __restrict g, double* __restrict q,
                          double* __restrict kept, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) g[i] = w[i] * miss(y * s[i]), q[i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        double* __restrict sum = squares[k];
        double* __restrict own = kept + (Keep ? k * kTravel : 0);
        const double value = x[k];
        for (size_t i = from; i < to; ++i) {
            const double gradient = g[i] * value;
            sum[i] += gradient * gradient;
            const double found = slope(w[i], sum[i]);
            if constexpr (Keep) own[i - from] = found;
            q[i] += found * (value * value);
        }
    }
    double odds[kTravel], delta[kTravel];
    for (size_t i = from; i < to; ++i) {
        q[i] = smaller(rate * q[i], 1e300);
        odds[i - from] = exp_fixed(y * s[i]);
        delta[i - from] = q[i];
    }
    travel(odds, delta, to - from);
    for (size_t i = from; i < to; ++i) g[i] = q[i] > 0.0 ? y * rate * (delta[i - from] / q[i]) : 0.0;
    for (size_t k = 0; k < count; ++k) {
        double* __restrict row = u[k];
        const double* sum = squares[k];
        const double* own = kept + (Keep ? k * kTravel : 0);
        const double value = x[k];
        for (size_t i = from; i < to; ++i) row[i] += g[i] * ((Keep ? own[i - from] : slope(w[i], sum[i])) * value);
    }
}

void adagrad(double* const* u, double* const* squares, const double* x, size_t count, const double* s, const double* w,
             double y, double rate, double* __restrict g, double* __restrict q, size_t from, size_t to) {
    alignas(64) double kept[kTravel * kSlopes];
    for (size_t i = from; i < to; i += kTravel) {
        const size_t end = i + kTravel < to ? i + kTravel : to;
        if (count <= kSlopes)
            adagrad_lanes<true>(u, squares, x, count, s, w, y, rate, g, q, kept, i, end);
        else
            adagrad_lanes<false>(u, squares, x, count, s, w, y, rate, g, q, kept, i, end);
    }
}

inline double proximal(double z, double squares, double alpha, double beta, double l1, double l2) {
    const double size = z > 0.0 ? z : -z;
    const double value = (size - l1) / ((beta + __builtin_sqrt(squares)) / alpha + l2);
    const double pulled = size > l1 ? value : 0.0;
    return z > 0.0 ? -pulled : pulled;
}

void ftrl(double* const* u, double* const* z, double* const* squares, const double* x, size_t count, const double* s,
          const double* w, double y, double alpha, double beta, double l1, double l2, double* __restrict g, size_t from,
          size_t to) {
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

void ftrl_solve(const double* z, const double* squares, double alpha, double beta, double l1, double l2,
                double* __restrict u, size_t n) {
    for (size_t i = 0; i < n; ++i) u[i] = proximal(z[i], squares[i], alpha, beta, l1, l2);
}
