// The registers of one instruction set. Learners are taken eight at a time on every set, as kParts registers, so that
// what is skipped and in which order is added never depends on the vector width.
//
// Included once per instruction set, inside that set's namespace.

constexpr size_t kLanes = ONLINEBOOST_LANES;
constexpr size_t kParts = 8 / kLanes;
typedef double Vec __attribute__((vector_size(ONLINEBOOST_LANES * 8)));
typedef double VecMem __attribute__((vector_size(ONLINEBOOST_LANES * 8), aligned(8), may_alias));

inline Vec load(const double* p) { return *reinterpret_cast<const VecMem*>(p); }
inline void store(double* p, Vec v) { *reinterpret_cast<VecMem*>(p) = v; }

inline bool any_nonzero(Vec v) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NEQ_UQ) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_NEQ_UQ)) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_pd(_mm_cmpneq_pd(v, _mm_setzero_pd())) != 0;
#else
    for (size_t j = 0; j < kLanes; ++j)
        if (v[j] != 0.0) return true;
    return false;
#endif
}

// The greater and the lesser of each pair.
inline Vec larger(Vec a, Vec b) {
#if defined(__AVX512F__)
    return _mm512_mask_max_pd(a, 0xff, a, b);
#elif defined(__AVX2__)
    return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
    return _mm_max_pd(a, b);
#else
    return a > b ? a : b;
#endif
}
inline Vec smaller(Vec a, Vec b) {
#if defined(__AVX512F__)
    return _mm512_mask_min_pd(a, 0xff, a, b);
#elif defined(__AVX2__)
    return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
    return _mm_min_pd(a, b);
#else
    return a < b ? a : b;
#endif
}

// The last K lanes of a, then the first of b.
template <size_t K>
inline Vec slide(Vec a, Vec b) {
#if ONLINEBOOST_LANES == 8
    return __builtin_shufflevector(a, b, 8 - K, 9 - K, 10 - K, 11 - K, 12 - K, 13 - K, 14 - K, 15 - K);
#elif ONLINEBOOST_LANES == 4
    return __builtin_shufflevector(a, b, 4 - K, 5 - K, 6 - K, 7 - K);
#else
    return __builtin_shufflevector(a, b, 2 - K, 3 - K);
#endif
}

// Of pairs that lie side by side in a and then b, the first numbers and the second.
inline Vec first_of_pairs(Vec a, Vec b) {
#if ONLINEBOOST_LANES == 8
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
#elif ONLINEBOOST_LANES == 4
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
#else
    return __builtin_shufflevector(a, b, 0, 2);
#endif
}
inline Vec second_of_pairs(Vec a, Vec b) {
#if ONLINEBOOST_LANES == 8
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#elif ONLINEBOOST_LANES == 4
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
#else
    return __builtin_shufflevector(a, b, 1, 3);
#endif
}

inline Vec last_lane(Vec v) {
#if ONLINEBOOST_LANES == 8
    return __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7);
#elif ONLINEBOOST_LANES == 4
    return __builtin_shufflevector(v, v, 3, 3, 3, 3);
#else
    return __builtin_shufflevector(v, v, 1, 1);
#endif
}

// Adds to each of eight numbers the one that is K before it.
template <size_t K>
inline void add_earlier(Vec* p) {
    if constexpr (K >= kLanes) {
        for (size_t r = kParts; r-- > K / kLanes;) p[r] += p[r - K / kLanes];
    } else {
        for (size_t r = kParts; r-- > 1;) p[r] += slide<K>(p[r - 1], p[r]);
        p[0] += slide<K>(Vec{}, p[0]);
    }
}

// Eight numbers become their prefix sums after those before, whose sum is in every lane of `before` and grows: three
// additions deep, and the next eight wait for one addition only. Each sum depends on what is before it, not on what
// follows.
inline void prefix_eight(Vec* p, Vec& before) {
    add_earlier<1>(p);
    add_earlier<2>(p);
    add_earlier<4>(p);
    const Vec total = last_lane(p[kParts - 1]);
    for (size_t r = 0; r < kParts; ++r) p[r] += before;
    before += total;
}

// Eight partial sums become one, in one order.
inline double fold(const Vec* v) {
    double p[8];
    for (size_t r = 0; r < kParts; ++r) store(p + r * kLanes, v[r]);
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}
