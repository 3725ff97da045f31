// AdaBoost.OL. Included once per instruction set, inside that set's namespace.

void prefix_products(const double* a, const double* h, double* out, size_t n) {
    Vec before = {};
    for (size_t i = 0; i < n; i += 8) {
        Vec p[kParts];
        for (size_t r = 0; r < kParts; ++r) p[r] = load(a + i + r * kLanes) * load(h + i + r * kLanes);
        prefix_eight(p, before);
        for (size_t r = 0; r < kParts; ++r) store(out + i + r * kLanes, p[r]);
    }
}

double balanced_sum(const double* signs, const double* v, size_t n) {
    const Vec none = {};
    Vec p[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) {
            const Vec value = load(v + i + r * kLanes), sign = load(signs + i + r * kLanes);
            p[r] += sign > 0.0 ? value : (sign < 0.0 ? -value : none);
        }
    return fold(p);
}

void logistic_step(const double* h, const double* prefix, double y, double s, double step, double most, double* alpha,
                   double* scaled, double* mass, double* edge, size_t n) {
    const Vec none = {}, one = splat<Vec>(1.0), top = splat<Vec>(most);
    Vec last = splat<Vec>(0.5);  // its last lane is the weight that the next learner gets
    for (size_t i = 0; i < n; i += kLanes) {
        const Vec z = load(h + i) * y;
        const Vec next = one / (exp_fixed(load(prefix + i) * y) + 1.0);
        const Vec weight = slide<1>(last, next) * s;
        last = next;
        store(alpha + i, larger(smaller(load(alpha + i) + z * next * step, top), -top));
        store(scaled + i, weight < kNegligible ? none : weight);
        store(mass + i, load(mass + i) + weight);
        store(edge + i, load(edge + i) + weight * z);
    }
    for (size_t i = n; i % 8 != 0; ++i) scaled[i] = 0.0;
}

// mix64 of engine/random.hpp in every lane.
inline Words<Vec> mix_words(Words<Vec> x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// The upper 53 bits over 2^53: 52 of them behind the point of a number from 1 to 2, and the last one added. Exact.
inline Vec uniform_words(Words<Vec> x) {
    const Vec most = __builtin_bit_cast(Vec, (x >> 12) | __builtin_bit_cast(unsigned long long, 1.0)) - 1.0;
    const Words<Vec> last = -((x >> 11) & 1) & __builtin_bit_cast(unsigned long long, 0x1p-53);
    return most + __builtin_bit_cast(Vec, last);
}

void draw_examples(const std::uint64_t* keys, std::uint64_t turn, double s, double* scaled, size_t n) {
    const Vec none = {}, whole = splat<Vec>(s);
    for (size_t i = 0; i < n; i += kLanes) {
        Words<Vec> key;
        __builtin_memcpy(&key, keys + i, sizeof key);
        const Vec u = uniform_words(mix_words(key + turn));
        store(scaled + i, u * s < load(scaled + i) ? whole : none);
    }
}
