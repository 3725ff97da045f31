// Newton's steps for several learners at once. Included once per instruction set, inside that set's namespace.

constexpr size_t kTravel = 32;  // learners at a time

// Newton's steps next = step(i, delta) for the roots of n learners, from deltas[0] on; the roots go to q. Once all are
// what they were two steps before, the steps to come are known.
template <size_t kSteps, class Step>
inline void roots(double (*deltas)[kTravel], double* q, size_t n, Step step) {
    size_t last = kSteps % 3;
    for (size_t k = 0; k < kSteps; ++k) {
        const double *delta = deltas[k % 3], *before = deltas[(k + 2) % 3];
        double* next = deltas[(k + 1) % 3];
        for (size_t i = 0; i < n; ++i) next[i] = step(i, delta[i]);
        if (k == 0 || __builtin_memcmp(next, before, n * sizeof(double)) != 0) continue;
        last = (kSteps - k) % 2 == 1 ? (k + 1) % 3 : k % 3;
        break;
    }
    for (size_t i = 0; i < n; ++i) q[i] = larger(deltas[last][i], 0.0);
}
