// Outputs from scores, and logistic regressions: AdaGrad and FTRL-Proximal. Included once per instruction set, inside
// that set's namespace.

void squash(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = tanh_half(s[i]);
}

void clip(const double* s, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) h[i] = larger(smaller(s[i], 1.0), -1.0);
}

// The root of delta + a (exp(delta) - 1) = q for q >= 0, a > 0. Newton from the right of a convex function: monotone,
// and eight steps reach the last bits for all a and q.
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

void adagrad(double* const* u, double* const* squares, const double* x, size_t count, const double* s, const double* w,
             double y, double rate, double* __restrict g, double* __restrict q, size_t from, size_t to) {
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
