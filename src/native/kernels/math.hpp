// exp and log as fixed sequences of IEEE operations.
//
// Every step is one correctly rounded double operation or an integer operation, and nothing is contracted, so that a
// loop over these functions gives the same bits whatever vector width the compiler picks.
// Error: below 2 ulp on the ranges used (tests compare with the C library).
//
// Included once per instruction set, inside that set's namespace.

// exp(r) - 1 for |r| <= 0.35: Taylor to r^13, truncation error 4e-18.
inline double expm1_small(double r) {
    double p = 1.6059043836821613e-10;
    p = p * r + 2.0876756987868099e-9;
    p = p * r + 2.5052108385441719e-8;
    p = p * r + 2.7557319223985891e-7;
    p = p * r + 2.7557319223985893e-6;
    p = p * r + 2.4801587301587302e-5;
    p = p * r + 1.9841269841269841e-4;
    p = p * r + 1.3888888888888889e-3;
    p = p * r + 8.3333333333333332e-3;
    p = p * r + 4.1666666666666664e-2;
    p = p * r + 1.6666666666666666e-1;
    p = p * r + 0.5;
    return p * (r * r) + r;
}

// atanh(s) / s - 1 as a series in q = s^2, for q <= 0.0295.
inline double atanh_tail(double q) {
    double p = 1.0 / 23.0;
    p = p * q + 1.0 / 21.0;
    p = p * q + 1.0 / 19.0;
    p = p * q + 1.0 / 17.0;
    p = p * q + 1.0 / 15.0;
    p = p * q + 1.0 / 13.0;
    p = p * q + 1.0 / 11.0;
    p = p * q + 1.0 / 9.0;
    p = p * q + 1.0 / 7.0;
    p = p * q + 1.0 / 5.0;
    p = p * q + 1.0 / 3.0;
    return q * p;
}

inline double exp_fixed(double x) {
    // Clamped to the normal range: a weight may become tiny but never 0 (theory: weights are positive) nor infinite.
    x = x < -708.0 ? -708.0 : x;
    x = x > 709.0 ? 709.0 : x;
    const double shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    const double t = x * 1.4426950408889634 + shift;
    const double k = t - shift;
    const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;  // ln 2 in two parts
    const double p = expm1_small(r);
    const unsigned long long n =
        __builtin_bit_cast(unsigned long long, t) - __builtin_bit_cast(unsigned long long, shift) + 1023ULL;
    return (p + 1.0) * __builtin_bit_cast(double, n << 52);
}

// Splits a positive normal x into m * 2^k with m in [sqrt(1/2), sqrt(2)); k as a double.
inline double split_fixed(double x, double& k) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    const unsigned long long biased = (bits + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL)) >> 52;
    k = __builtin_bit_cast(double, biased | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
    return __builtin_bit_cast(double, bits - ((biased - 1023ULL) << 52));
}

// log of m * 2^k for m in [sqrt(1/2), sqrt(2)): 2 atanh(s), s = (m-1)/(m+1), as a series in s^2 <= 0.0295.
inline double log_split(double m, double k) {
    const double f = m - 1.0;
    const double s = f / (m + 1.0);
    const double tail = 2.0 * s * atanh_tail(s * s) + k * 0x1.cf79abc9e3b3ap-40;
    return k * 0x1.62e42fefa0000p-1 + (2.0 * s + tail);
}

inline double log_fixed(double x) {
    double k;
    const double m = split_fixed(x, k);
    return log_split(m, k);
}

// tanh(x / 2) without overflow.
inline double tanh_half(double x) {
    const double e = exp_fixed(x > 0.0 ? -x : x);
    const double t = (1.0 - e) / (1.0 + e);
    return x > 0.0 ? t : -t;
}

// exp(x) - 1 and log(1 + x), accurate near 0.
inline double expm1_fixed(double x) {
    return x > -0.3 && x < 0.3 ? expm1_small(x) : exp_fixed(x) - 1.0;
}

inline double log1p_fixed(double x) {
    if (!(x > -0.25 && x < 0.4)) return log_fixed(1.0 + x);
    const double s = x / (2.0 + x);
    return 2.0 * s + 2.0 * s * atanh_tail(s * s);
}

// cos(2 pi t): the whole turns are taken off exactly, then the Taylor series to the 22nd power on a quarter turn; absolute error below 4e-16.
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
