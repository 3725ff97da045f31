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
