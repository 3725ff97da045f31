// Sweeps over the feature rows of linear learners. Included once per instruction set, inside that set's namespace.

// R registers of running sums stay in the processor while all rows of the example pass by.
template <size_t R>
inline void score_block(const double* const* rows, const double* x, size_t count, const double* scale, double* s,
                        double* h, size_t at) {
    Vec acc[R] = {};
    for (size_t k = 0; k < count; ++k) {
        const double* row = rows[k] + at;
        const double value = x[k];
        for (size_t r = 0; r < R; ++r) acc[r] += load(row + r * kLanes) * value;
    }
    for (size_t r = 0; r < R; ++r) {
        store(s + at + r * kLanes, acc[r]);
        store(h + at + r * kLanes, acc[r] * load(scale + at + r * kLanes));
    }
}

constexpr size_t kBlock = kLanes == 8 ? 16 : 12;  // half or three quarters of the registers

template <size_t R>
inline void score_rest(size_t left, const double* const* rows, const double* x, size_t count, const double* scale,
                       double* s, double* h, size_t at) {
    if constexpr (R > 0) {
        if (left == R)
            score_block<R>(rows, x, count, scale, s, h, at);
        else
            score_rest<R - 1>(left, rows, x, count, scale, s, h, at);
    }
}

void linear_score(const double* const* rows, const double* x, size_t count, const double* scale, double* s, double* h,
                  size_t from, size_t to) {
    size_t i = from;
    for (; i + kBlock * kLanes <= to; i += kBlock * kLanes) score_block<kBlock>(rows, x, count, scale, s, h, i);
    const size_t left = (to - i) / kLanes;
    score_rest<kBlock - 1>(left, rows, x, count, scale, s, h, i);
    for (i += left * kLanes; i < to; ++i) {
        double acc = 0.0;
        for (size_t k = 0; k < count; ++k) acc += rows[k][i] * x[k];
        s[i] = acc;
        h[i] = acc * scale[i];
    }
}

inline void add_eight(double* const* rows, const double* x, size_t count, const Vec* c, size_t at) {
    for (size_t k = 0; k < count; ++k) {
        double* row = rows[k] + at;
        const double value = x[k];
        for (size_t r = 0; r < kParts; ++r) store(row + r * kLanes, load(row + r * kLanes) + c[r] * value);
    }
}

inline bool any_of_eight(const Vec* c) {
    bool any = false;
    for (size_t r = 0; r < kParts; ++r) any |= any_nonzero(c[r]);
    return any;
}

void add_rows(double* const* rows, const double* x, size_t count, const double* c, size_t from, size_t to) {
    size_t i = from;
    for (; i + 8 <= to; i += 8) {
        Vec step[kParts];
        for (size_t r = 0; r < kParts; ++r) step[r] = load(c + i + r * kLanes);
        if (any_of_eight(step)) add_eight(rows, x, count, step, i);
    }
    for (; i < to; ++i)
        if (c[i] != 0.0)
            for (size_t k = 0; k < count; ++k) rows[k][i] += c[i] * x[k];
}

// The step, the squared norm after it and 1 / max(1, norm), of one learner or of a vector of them.
template <class V>
inline V mistaken(V s, V w, double y) {
    return y * s <= 0.0 ? w * y : V{};
}
template <class V>
inline V grown(V norm2, V c, V s, double xx) {
    return norm2 + (2.0 * c * s + c * c * xx);
}
inline Vec root(Vec v) {
    for (size_t j = 0; j < kLanes; ++j) v[j] = __builtin_sqrt(v[j]);
    return v;
}

void perceptron_update(double* const* rows, const double* x, size_t count, const double* s, const double* w, double y,
                       double xx, double* norm2, double* inv, size_t from, size_t to) {
    size_t i = from;
    for (; i + 8 <= to; i += 8) {
        Vec c[kParts];
        for (size_t r = 0; r < kParts; ++r) c[r] = mistaken(load(s + i + r * kLanes), load(w + i + r * kLanes), y);
        if (!any_of_eight(c)) continue;
        for (size_t r = 0; r < kParts; ++r) {
            const size_t at = i + r * kLanes;
            const Vec size = grown(load(norm2 + at), c[r], load(s + at), xx);
            store(norm2 + at, size);
            store(inv + at, 1.0 / root(larger(size, splat<Vec>(1.0))));
        }
        add_eight(rows, x, count, c, i);
    }
    for (; i < to; ++i) {
        const double c = mistaken(s[i], w[i], y);
        if (c == 0.0) continue;
        norm2[i] = grown(norm2[i], c, s[i], xx);
        inv[i] = 1.0 / __builtin_sqrt(norm2[i] > 1.0 ? norm2[i] : 1.0);
        for (size_t k = 0; k < count; ++k) rows[k][i] += c * x[k];
    }
}

void gradient_step(const double* s, const double* w, double y, double xx, double* __restrict sum_sq,
                   double* __restrict norm2, double* __restrict scale, double* __restrict c, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        sum_sq[i] += w[i] * w[i] * xx;
        const bool moves = sum_sq[i] > kSmallestSquare;
        const double step = moves ? __builtin_sqrt(2.0 / sum_sq[i]) * (w[i] * y) : 0.0;
        c[i] = step / scale[i];
        const double size = norm2[i] + 2.0 * step * s[i] + step * (step * xx);
        const bool outside = size > 1.0;
        scale[i] = outside ? scale[i] / __builtin_sqrt(size) : scale[i];
        norm2[i] = outside ? 1.0 : size;
    }
}
