// Window trees of many classes: rows lie in lanes, each row's classes are summed in their order. Included once per
// instruction set, inside that set's namespace, after bayes.hpp: V is Vec, or double for a row on its own.

template <class V>
inline V step_of(const double* steps, const uint32_t* at) {
    if constexpr (sizeof(V) == sizeof(double)) {
        return steps[at[0]];
    } else {
        V found;
        for (size_t j = 0; j < kLanes; ++j) found[j] = steps[at[j]];
        return found;
    }
}

// A column's numbers are asked for some rows ahead: there are more columns than the processor would follow.
inline void ask_ahead(const double* column) { __builtin_prefetch(column + 64); }

// Calls f<V>(first row) for all rows.
template <class F>
inline void each_row(size_t from, size_t to, F f) {
    size_t r = from;
    for (; r + kLanes <= to; r += kLanes) f(r, Vec{});
    for (; r < to; ++r) f(r, 0.0);
}

template <class V>
inline V old_score(const ClassRows& rows, size_t r, size_t k) {
    ask_ahead(rows.scores[k] + r);
    const V score = get<V>(rows.scores[k] + r);
    return k < rows.dropped_classes ? score - step_of<V>(rows.dropped + k, rows.dropped_at + (r - rows.from)) : score;
}

void class_gradients(const ClassRows* given, double* const* shares, const double* direction, double* mean,
                     double* square) {
    const ClassRows rows = *given;
    each_row(rows.from, rows.to, [=]<class V>(size_t r, V none) {
        V most = splat<V>(-__builtin_huge_val()), total = none, m = none, s = none;
        for (size_t k = 0; k < rows.classes; ++k) {
            const V score = old_score<V>(rows, r, k);
            ask_ahead(shares[k] + r);
            put(shares[k] + r, score);
            most = larger(most, score);
        }
        for (size_t k = 0; k < rows.classes; ++k) {
            const V e = exp_fixed(get<V>(shares[k] + r) - most);
            put(shares[k] + r, e);
            total += e;
        }
        for (size_t k = 0; k < rows.classes; ++k) {
            const V p = get<V>(shares[k] + r) / total;
            put(shares[k] + r, p);
            m += p * direction[k];
        }
        for (size_t k = 0; k < rows.classes; ++k) {
            const V off = direction[k] - m;
            s += get<V>(shares[k] + r) * (off * off);
        }
        put(mean + (r - rows.from), m);
        put(square + (r - rows.from), s);
    });
}

typedef double TwoDoubles __attribute__((vector_size(16)));
typedef double TwoDoublesMem __attribute__((vector_size(16), aligned(8), may_alias));

void class_lacks(const double* const* shares, size_t from, size_t to, size_t classes, const double* w,
                 const uint32_t* labels, const uint32_t* at, double* sums) {
    each_row(from, to, [=]<class V>(size_t r, V) {
        constexpr size_t lanes = sizeof(V) / sizeof(double);
        const V weight = get<V>(w + (r - from));
        for (size_t k = 0; k < classes; ++k) {
            ask_ahead(shares[k] + r);
            const V p = get<V>(shares[k] + r);
            double g[lanes], h[lanes];
            put(g, -(weight * p));
            put(h, weight * (p * (1.0 - p)));
            for (size_t j = 0; j < lanes; ++j) {
                const size_t row = r - from + j;
                double* own = sums + 2 * (at[row] + k);
                auto& pair = *reinterpret_cast<TwoDoublesMem*>(own);
                pair = pair + TwoDoubles{g[j], h[j]};
                if (labels[row] == k) own[0] += w[row];
            }
        }
    });
}

void class_steps(const ClassRows* given, const double* steps, const uint32_t* at, double* const* scores) {
    const ClassRows rows = *given;
    each_row(rows.from, rows.to, [=]<class V>(size_t r, V) {
        for (size_t k = 0; k < rows.classes; ++k) {
            ask_ahead(scores[k] + r);
            put(scores[k] + r, old_score<V>(rows, r, k) + step_of<V>(steps + k, at + (r - rows.from)));
        }
    });
}

void add_leaves(const double* const* rows, size_t count, double* scores, size_t classes) {
    size_t k = 0;
    for (; k + 8 <= classes; k += 8) {
        Vec sum[kParts];
        for (size_t r = 0; r < kParts; ++r) sum[r] = load(scores + k + r * kLanes);
        for (size_t i = 0; i < count; ++i)
            for (size_t r = 0; r < kParts; ++r) sum[r] += load(rows[i] + k + r * kLanes);
        for (size_t r = 0; r < kParts; ++r) store(scores + k + r * kLanes, sum[r]);
    }
    for (; k < classes; ++k)
        for (size_t i = 0; i < count; ++i) scores[k] += rows[i][k];
}
