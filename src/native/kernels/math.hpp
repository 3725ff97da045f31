// exp and log as fixed sequences of IEEE operations, for one number or for a vector of numbers.
//
// Every step is one correctly rounded double operation or an integer operation, and nothing is contracted, so that the
// bits do not depend on the vector width. Error: below 2 ulp on the ranges used (tests compare with the C library).
//
// Included once per instruction set, inside that set's namespace, after what it needs of vectors; V is double or a
// vector of doubles.

// The unsigned integers beside V.
template <class V>
struct WordsOf {
    typedef unsigned long long type __attribute__((vector_size(sizeof(V))));
};
template <>
struct WordsOf<double> {
    typedef unsigned long long type;
};
template <class V>
using Words = typename WordsOf<V>::type;

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

template <class V>
inline V splat(double x) {
    return V{} + x;
}

// Polynomials are summed in pairs (Estrin's scheme), because a step that waits for the one before it costs more than
// its operations.

// exp(r) - 1 for |r| <= 0.35: Taylor to r^13, truncation error 4e-18.
template <class V>
inline V expm1_small(V r) {
    const V r2 = r * r, r4 = r2 * r2;
    const V a = (r * 1.6666666666666666e-1 + 0.5) + (r * 8.3333333333333332e-3 + 4.1666666666666664e-2) * r2;
    const V b =
        (r * 1.9841269841269841e-4 + 1.3888888888888889e-3) + (r * 2.7557319223985893e-6 + 2.4801587301587302e-5) * r2;
    const V c =
        (r * 2.5052108385441719e-8 + 2.7557319223985891e-7) + (r * 1.6059043836821613e-10 + 2.0876756987868099e-9) * r2;
    return (a + (b + c * r4) * r4) * r2 + r;
}

// atanh(s) / s - 1 as a series in q = s^2, for q <= 0.0295.
template <class V>
inline V atanh_tail(V q) {
    const V q2 = q * q, q4 = q2 * q2;
    const V a = (q * (1.0 / 5.0) + 1.0 / 3.0) + (q * (1.0 / 9.0) + 1.0 / 7.0) * q2;
    const V b = (q * (1.0 / 13.0) + 1.0 / 11.0) + (q * (1.0 / 17.0) + 1.0 / 15.0) * q2;
    const V c = (q * (1.0 / 21.0) + 1.0 / 19.0) + q2 * (1.0 / 23.0);
    return q * (a + (b + c * q4) * q4);
}

constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer

// 2^k for a whole number k, -1022 <= k <= 1023.
template <class V>
inline V power_of_two(V k) {
    const Words<V> n =
        __builtin_bit_cast(Words<V>, k + kShift) - __builtin_bit_cast(unsigned long long, kShift) + 1023ULL;
    return __builtin_bit_cast(V, n << 52);
}

// exp(x) = m * 2^k with m near 1.
template <class V>
inline V exp_split(V x, V& k) {
    k = (x * 1.4426950408889634 + kShift) - kShift;
    const V r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;  // ln 2 in two parts
    return expm1_small(r) + 1.0;
}

template <class V>
inline V exp_fixed(V x) {
    // Clamped to the normal range: a weight may become tiny but never 0 (theory: weights are positive) nor infinite.
    V k;
    const V m = exp_split(smaller(larger(x, splat<V>(-708.0)), splat<V>(709.0)), k);
    return m * power_of_two(k);
}

// Splits a positive normal x into m * 2^k with m in [1, 2); `exponents` counts k + 1023.
template <class V>
inline V split_mantissa(V x, Words<V>& exponents) {
    const Words<V> bits = __builtin_bit_cast(Words<V>, x);
    exponents += bits >> 52;
    return __builtin_bit_cast(V, (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
}

// A count below 2^52 as a double.
template <class V>
inline V to_double(Words<V> count) {
    return __builtin_bit_cast(V, count | 0x4330000000000000ULL) - 4503599627370496.0;
}

// Splits a positive normal x into m * 2^k with m in [sqrt(1/2), sqrt(2)); k as a double.
template <class V>
inline V split_fixed(V x, V& k) {
    const Words<V> bits = __builtin_bit_cast(Words<V>, x);
    const Words<V> biased = (bits + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL)) >> 52;
    k = __builtin_bit_cast(V, biased | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
    return __builtin_bit_cast(V, bits - ((biased - 1023ULL) << 52));
}

// log of m * 2^k for m in [sqrt(1/2), sqrt(2)): 2 atanh(s), s = (m-1)/(m+1), as a series in s^2 <= 0.0295.
template <class V>
inline V log_split(V m, V k) {
    const V s = (m - 1.0) / (m + 1.0);
    const V tail = 2.0 * s * atanh_tail(s * s) + k * 0x1.cf79abc9e3b3ap-40;
    return k * 0x1.62e42fefa0000p-1 + (2.0 * s + tail);
}

template <class V>
inline V log_fixed(V x) {
    V k;
    const V m = split_fixed(x, k);
    return log_split(m, k);
}

// tanh(x / 2) without overflow.
inline double tanh_half(double x) {
    const double e = exp_fixed(x > 0.0 ? -x : x);
    const double t = (1.0 - e) / (1.0 + e);
    return x > 0.0 ? t : -t;
}

// exp(x) - 1 and log(1 + x), accurate near 0.
inline double expm1_fixed(double x) { return x > -0.3 && x < 0.3 ? expm1_small(x) : exp_fixed(x) - 1.0; }

inline double log1p_fixed(double x) {
    if (!(x > -0.25 && x < 0.4)) return log_fixed(1.0 + x);
    const double s = x / (2.0 + x);
    return 2.0 * s + 2.0 * s * atanh_tail(s * s);
}

// cos(2 pi t): the whole turns are taken off exactly, then the Taylor series to the 22nd power on a quarter turn;
// absolute error below 4e-16.
inline double cosine_of_turns(double t) {
    const double shift = 6755399441055744.0;
    double r = t - ((t + shift) - shift);
    r = r < 0.0 ? -r : r;
    r = r > 0.5 ? 0.5 : r;  // beyond 2^51 turns a double holds no fraction worth the name
    const bool far = r > 0.25;
    const double angle = 6.283185307179586 * (far ? 0.5 - r : r);
    const double q = angle * angle;
    double p = -8.8967913924505741e-22;
    p = p * q + 4.1103176233121648e-19;
    p = p * q - 1.5619206968586225e-16;
    p = p * q + 4.7794773323873853e-14;
    p = p * q - 1.1470745597729725e-11;
    p = p * q + 2.08767569878681e-9;
    p = p * q - 2.7557319223985888e-7;
    p = p * q + 2.4801587301587302e-5;
    p = p * q - 1.3888888888888889e-3;
    p = p * q + 4.1666666666666664e-2;
    p = p * q - 0.5;
    const double c = p * q + 1.0;
    return far ? -c : c;
}
