// Naive Bayes on categorical features. Included once per instruction set, inside that set's namespace.

// For one learner, V = double, or for those of `Parts` registers.
template <class V, size_t Parts>
inline void categorical_tile(const double* const* c1, const double* const* c0, const double* b, size_t count,
                             const double* n1, const double* n0, double alpha, double* ratio, size_t at) {
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

void categorical(const double* const* c1, const double* const* c0, const double* b, size_t count, const double* n1,
                 const double* n0, double alpha, double* ratio, size_t from, size_t to) {
    tiles(
        from, to, [&](size_t i) { categorical_tile<Vec, kParts>(c1, c0, b, count, n1, n0, alpha, ratio, i); },
        [&](size_t i) { categorical_tile<double, 1>(c1, c0, b, count, n1, n0, alpha, ratio, i); });
}
