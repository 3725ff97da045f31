// What the kernels of several learners use: walks that skip learners who stay as they are, and a sigmoid. Included once
// per instruction set, inside that set's namespace.

// Eight learners at a time, then one by one: what is skipped must not depend on the vector width.
template <class Eight, class One>
inline void tiles(size_t from, size_t to, Eight eight, One one) {
    size_t i = from;
    for (; i + 8 <= to; i += 8) eight(i);
    for (; i < to; ++i) one(i);
}

template <size_t N>
inline bool idle(const double* a, const double* b, size_t at) {
    bool moves = false;
    for (size_t i = at; i < at + N; ++i) moves |= (a[i] != 0.0) | (b[i] != 0.0);
    return !moves;
}

// 1 / (1 + exp(m)), to the last bits also where it is small.
inline double miss(double m) {
    const double e = exp_fixed(m > 0.0 ? -m : m);
    return (m > 0.0 ? e : 1.0) / (1.0 + e);
}
