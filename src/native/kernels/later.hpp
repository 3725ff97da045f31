// What the boosters after the paper do with the outputs of the learners. Included once per instruction set, inside that set's namespace.

// ---- Online BBM --------------------------------------------------------------------------------------------------

// The greatest whole number that is not above x, for |x| < 2^51.
inline Vec floor_fixed(Vec x) {
    const Vec near = (x + kShift) - kShift;
    return near > x ? near - 1.0 : near;
}

// +1 where the margin is positive, else -1; or the margin itself.
inline Vec as_counted(Vec margin, bool sign) {
    const Vec one = splat<Vec>(1.0);
    return sign ? (margin > 0.0 ? one : -one) : margin;
}

// In blocks of three sweeps, for the lookups in between are one learner at a time: a register that is put together from numbers just
// stored would wait for them.
double bbm_step(const double* h, double y, double s, const Binomial* b, bool sign, double* scaled, double* mass, double* edge, size_t n) {
    constexpr size_t kBlock = 64;
    const Vec none = {};
    Vec before = none;  // the sum of all margins up to here
    Vec last = none;    // its last lane is the sum before the next learner
    Vec left[kParts];   // how many learners come after each
    for (size_t r = 0; r < kParts; ++r)
        for (size_t j = 0; j < kLanes; ++j) left[r][j] = static_cast<double>(n) - 1.0 - static_cast<double>(r * kLanes + j);
    double total = 0.0;
    double wanted[kBlock], hits[kBlock], logs[kBlock] = {};
    for (size_t first = 0; first < n; first += kBlock) {
        const size_t size = n - first < kBlock ? n - first : kBlock;
        for (size_t i = 0; i < size; i += 8) {
            Vec p[kParts];
            for (size_t r = 0; r < kParts; ++r) p[r] = as_counted(load(h + first + i + r * kLanes) * y, sign);
            prefix_eight(p, before);
            for (size_t r = 0; r < kParts; ++r) {
                const size_t at = i + r * kLanes;
                const Vec sum = slide<1>(last, p[r]);
                last = p[r];
                const Vec k = floor_fixed((left[r] - sum + 1.0) * 0.5 + kBinomialTie);
                store(wanted + at, k);
                store(hits + at, smaller(larger(k, none), larger(left[r], none)));
                if (at < size && size <= at + kLanes) total = p[r][size - 1 - at];
                left[r] -= 8.0;
            }
        }
        for (size_t i = 0; i < size; ++i) {
            const auto a = static_cast<size_t>(static_cast<std::int32_t>(hits[i]));
            logs[i] = b->log_factorial[a] + b->log_factorial[n - 1 - first - i - a];
        }
        for (size_t i = 0; i < size; i += kLanes) {
            const size_t at = first + i;
            const Vec inside = load(hits + i), m = as_counted(load(h + at) * y, sign);
            const Vec power = inside * b->logit + (load(b->scale + at) - load(logs + i));
            const Vec weight = load(wanted + i) == inside ? exp_fixed(smaller(power, none)) * s : none;
            store(scaled + at, weight < kNegligible ? none : weight);
            store(mass + at, load(mass + at) + weight);
            store(edge + at, load(edge + at) + weight * m);
        }
    }
    for (size_t i = n; i % 8 != 0; ++i) scaled[i] = mass[i] = edge[i] = 0.0;
    return total;
}

// ---- AdaBoost.OL -------------------------------------------------------------------------------------------------

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

void logistic_step(const double* h, const double* prefix, double y, double s, double step, double most, double* alpha, double* scaled,
                   double* mass, double* edge, size_t n) {
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
