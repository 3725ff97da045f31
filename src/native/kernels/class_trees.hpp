// Trees of many classes. Included once per instruction set, inside that set's namespace.

size_t count_at_most(const double* a, size_t n, double v) {
    size_t count = 0, k = 0;
    for (; k + 8 <= n; k += 8) {
#if defined(__AVX512F__)
        count +=
            static_cast<size_t>(__builtin_popcount(_mm512_cmp_pd_mask(load(a + k), _mm512_set1_pd(v), _CMP_LE_OQ)));
#else
        for (size_t j = 0; j < 8; ++j) count += a[k + j] <= v ? 1 : 0;
#endif
    }
    for (; k < n; ++k) count += a[k] <= v ? 1 : 0;
    return count;
}

void class_sums(const double* lefts, size_t stride, const double* own, size_t classes, double* __restrict l,
                double* __restrict l2, double* __restrict r, double* __restrict r2, size_t tests) {
    for (size_t t = 0; t < tests; ++t) l[t] = l2[t] = r[t] = r2[t] = 0.0;
    for (size_t c = 0; c < classes; ++c) {
        const double all = own[c];
        const double* left = lefts + c * stride;
        for (size_t t = 0; t < tests; ++t) {
            const double rest = all - left[t], right = rest > 0.0 ? rest : 0.0;
            l[t] += left[t];
            l2[t] += left[t] * left[t];
            r[t] += right;
            r2[t] += right * right;
        }
    }
}

// Four classes at a time on every instruction set.
typedef double FourDoubles __attribute__((vector_size(32)));
typedef double FourDoublesMem __attribute__((vector_size(32), aligned(8), may_alias));
typedef float FourFloats __attribute__((vector_size(16)));
typedef float FourFloatsMem __attribute__((vector_size(16), aligned(4), may_alias));

inline void scale_products(double* p, size_t classes) {
    constexpr double smallest = 1e-200;  // next to the largest
    double most = 0.0;
    for (size_t c = 0; c < classes; ++c) most = most < p[c] ? p[c] : most;
    for (size_t c = 0; c < classes; ++c) {
        const double scaled = p[c] / most;
        p[c] = scaled < smallest ? smallest : scaled;
    }
}

void class_products(const float* const* rows, const double* pseudo, size_t count, const double* shrink,
                    double* __restrict p, size_t classes) {
    constexpr size_t every = 4;  // rows, between two looks at the size of the products
    for (size_t from = 0; from < count; from += every) {
        const size_t to = from + every < count ? from + every : count;
        for (size_t c = 0; c < classes; c += 4) {
            const FourDoubles by = *reinterpret_cast<const FourDoublesMem*>(shrink + c);
            FourDoubles product = *reinterpret_cast<const FourDoublesMem*>(p + c);
            for (size_t k = from; k < to; ++k) {
                const FourFloats row = *reinterpret_cast<const FourFloatsMem*>(rows[k] + c);
                product *= (__builtin_convertvector(row, FourDoubles) + pseudo[k]) * by;
            }
            *reinterpret_cast<FourDoublesMem*>(p + c) = product;
        }
        if (to - from == every) scale_products(p, classes);
    }
    scale_products(p, classes);
}
