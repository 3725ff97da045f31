// Online BBM. Included once per instruction set, inside that set's namespace.

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

// In blocks of three sweeps, for the lookups in between are one learner at a time: a register that is put together from
// numbers just stored would wait for them.
double bbm_step(const double* h, double y, double s, const Binomial* b, bool sign, double* scaled, double* mass,
                double* edge, size_t n) {
    constexpr size_t kBlock = 64;
    const Vec none = {};
    Vec before = none;  // the sum of all margins up to here
    Vec last = none;    // its last lane is the sum before the next learner
    Vec left[kParts];   // how many learners come after each
    for (size_t r = 0; r < kParts; ++r)
        for (size_t j = 0; j < kLanes; ++j)
            left[r][j] = static_cast<double>(n) - 1.0 - static_cast<double>(r * kLanes + j);
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
