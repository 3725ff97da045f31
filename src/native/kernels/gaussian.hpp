// Gaussian learners: AROW, SCW, ridge and Bayesian logistic regression. Included once per instruction set, inside that
// set's namespace.

constexpr double kLeastVariance = 1e-200;  // of SCW: below, nothing moves, for its root divides

// ---- the scalars alpha and beta ----------------------------------------------------------------------------------

void arow(const double* s, const double* v, const double* w, double y, double r, double* __restrict alpha,
          double* __restrict beta, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double short_by = 1.0 - y * s[i];
        const double b = short_by > 0.0 ? w[i] / (w[i] * v[i] + r) : 0.0;
        alpha[i] = y * (b * short_by);
        beta[i] = b;
    }
}

void scw(const double* s, const double* v, const double* w, double y, double phi, double c, bool second,
         double* __restrict alpha, double* __restrict beta, size_t from, size_t to) {
    const double square = phi * phi;
    const double psi = 1.0 + square / 2.0, zeta = 1.0 + square;
    for (size_t i = from; i < to; ++i) {
        const double m = y * s[i];
        const bool sure = !(v[i] > kLeastVariance) | !(w[i] > 0.0);
        const double spread = sure ? 1.0 : v[i];
        const double most = sure ? 1.0 : c * w[i];
        double a;
        if (second) {
            // The paper's quotient divided through by n: a variance to the third power is beyond the numbers sooner
            // than a row is.
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

void ridge(const double* s, const double* v, const double* w, double y, double* __restrict alpha,
           double* __restrict beta, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double b = w[i] / (1.0 + w[i] * v[i]);
        alpha[i] = b * (y - s[i]);
        beta[i] = b;
    }
}

// The roots of delta (1 + a exp(delta)) = q for q >= 0, a > 0, in place of q. Newton from the right of a convex
// function: monotone.
inline void implicit(const double* a, double* q, size_t n) {
    double deltas[3][kTravel];
    for (size_t i = 0; i < n; ++i) {
        const double far = log_fixed(1.0 + smaller(q[i] / a[i], 1e300));  // where delta >= 1, a exp(delta) <= q
        deltas[0][i] = smaller(q[i] / (1.0 + a[i]), larger(far, 1.0));
    }
    roots<10>(deltas, q, n, [=](size_t i, double delta) {
        const double grown = a[i] * exp_fixed(delta);
        return delta - (delta * (1.0 + grown) - q[i]) / (1.0 + grown * (1.0 + delta));
    });
}

void logistic(const double* s, const double* v, const double* w, double y, double* __restrict alpha,
              double* __restrict beta, size_t from, size_t to) {
    double margins[kTravel], odds[kTravel], delta[kTravel];
    for (size_t at = from; at < to; at += kTravel) {
        const size_t n = at + kTravel < to ? kTravel : to - at;
        for (size_t i = 0; i < n; ++i) {
            margins[i] = larger(smaller(y * s[at + i], 300.0), -300.0);
            odds[i] = exp_fixed(margins[i]);
            delta[i] = smaller(w[at + i] * v[at + i], 1e100);
        }
        implicit(odds, delta, n);
        for (size_t i = 0; i < n; ++i) {
            const double p = miss(margins[i] + delta[i]);
            const double curvature = w[at + i] * (p * (1.0 - p));
            alpha[at + i] = y * (w[at + i] * p);
            beta[at + i] = curvature / (1.0 + curvature * v[at + i]);
        }
    }
}

// ---- the sweeps --------------------------------------------------------------------------------------------------

void diagonal_variance(const double* const* sigma, const double* x, size_t count, double* __restrict v, size_t from,
                       size_t to) {
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

void diagonal_apply(double* const* u, double* const* sigma, const double* x, size_t count, const double* alpha,
                    const double* beta, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { diagonal_tile<8>(u, sigma, x, count, alpha, beta, i); },
        [&](size_t i) { diagonal_tile<1>(u, sigma, x, count, alpha, beta, i); });
}

inline size_t triangle(size_t f, size_t g) { return f >= g ? f * (f + 1) / 2 + g : g * (g + 1) / 2 + f; }

// b[g][i] += a[g][i] c[i] for g < count and the N learners, 8 or 1, from `from` on. Rows of a single learner are one
// number each and mostly lie side by side, in blocks of more than eight: eight of them, of which the last is in its
// place, can be taken as one.
template <size_t N>
inline void add_products(size_t count, const double* const* a, double* const* b, size_t from, const double (&c)[N]) {
    Vec factor[kParts];
    for (size_t r = 0; r < kParts; ++r) factor[r] = N == 1 ? splat<Vec>(c[0]) : load(c + (N == 1 ? 0 : r * kLanes));
    for (size_t g = 0; g < count;) {
        const double* other = a[g] + from;
        double* own = b[g] + from;
        if (N == 1 && (g + 8 > count || a[g + 7] != a[g] + 7 || b[g + 7] != b[g] + 7)) {
            own[0] += other[0] * c[0];
            ++g;
            continue;
        }
        for (size_t r = 0; r < kParts; ++r)
            store(own + r * kLanes, load(own + r * kLanes) + load(other + r * kLanes) * factor[r]);
        g += 8 / N;
    }
}

template <size_t N>
inline void variance_tile(const double* const* sigma, const size_t* at, const double* x, size_t count, double* v,
                          size_t from) {
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

void full_variance(const double* const* sigma, const size_t* at, const double* x, size_t count, double* v, size_t from,
                   size_t to) {
    tiles(
        from, to, [&](size_t i) { variance_tile<8>(sigma, at, x, count, v, i); },
        [&](size_t i) { variance_tile<1>(sigma, at, x, count, v, i); });
}

template <size_t N>
inline void product_tile(const double* const* sigma, size_t d, const size_t* at, const double* x, size_t count,
                         double noise, double* w, double* const* t, double* v, size_t from) {
    if (idle<N>(w, w, from)) return;
    // Each sum over k is in the order of k. The entries of row a up to (a, a) are neighbours, those of column a below
    // it are not.
    for (size_t f = 0; f < d; ++f)
        for (size_t i = 0; i < N; ++i) t[f][from + i] = 0.0;
    for (size_t k = 0; k < count; ++k) {
        const size_t a = at[k];
        const double* const* entry = sigma + triangle(a, 0);
        double value[N];
        for (size_t i = 0; i < N; ++i) value[i] = x[k];
        add_products<N>(a + 1, entry, t, from, value);
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

void full_product(const double* const* sigma, size_t d, const size_t* at, const double* x, size_t count, double noise,
                  double* w, double* const* t, double* v, size_t from, size_t to) {
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
            part[i] = -(beta[from + i] * t[f][from + i]);
        }
        add_products<N>(f + 1, t, sigma + triangle(f, 0), from, part);
    }
}

void full_apply(double* const* u, double* const* sigma, size_t d, const double* const* t, const double* alpha,
                const double* beta, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { apply_tile<8>(u, sigma, d, t, alpha, beta, i); },
        [&](size_t i) { apply_tile<1>(u, sigma, d, t, alpha, beta, i); });
}
