// Nearest neighbours: distances to all rows of a memory, and the least of them. Included once per instruction set,
// inside that set's namespace.

// Four features at a time, so that a distance is read and written a quarter as often; subtracted in their order.
void squared_distances(const float* const* columns, const double* x, size_t count, const double* norms, double xx,
                       double* __restrict d, size_t n) {
    for (size_t r = 0; r < n; ++r) d[r] = norms[r] + xx;
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const float *a = columns[k], *b = columns[k + 1], *c = columns[k + 2], *e = columns[k + 3];
        const double p = 2.0 * x[k], q = 2.0 * x[k + 1], s = 2.0 * x[k + 2], t = 2.0 * x[k + 3];
        for (size_t r = 0; r < n; ++r)
            d[r] = (((d[r] - p * static_cast<double>(a[r])) - q * static_cast<double>(b[r])) -
                    s * static_cast<double>(c[r])) -
                   t * static_cast<double>(e[r]);
    }
    for (; k < count; ++k) {
        const float* a = columns[k];
        const double p = 2.0 * x[k];
        for (size_t r = 0; r < n; ++r) d[r] -= p * static_cast<double>(a[r]);
    }
}

// The positions of the `most` least of n numbers in ascending order, of equal ones the first; returns how many.
size_t least_of(const double* d, size_t n, size_t most, std::uint32_t* at) {
    size_t found = 0;
    double worst = 0.0;  // of those found, once there are `most`
    const auto consider = [&](size_t r) {
        if (found == most && !(d[r] < worst)) return;
        size_t place = found < most ? found++ : most - 1;
        for (; place > 0 && d[r] < d[at[place - 1]]; --place) at[place] = at[place - 1];
        at[place] = static_cast<std::uint32_t>(r);
        worst = d[at[found - 1]];
    };
    size_t r = 0;
    for (; r < n && found < most; ++r) consider(r);
    for (; r + 16 <= n; r += 16) {
        int below = 0;
        for (size_t j = 0; j < 16; ++j) below |= d[r + j] < worst ? 1 : 0;
        if (below == 0) continue;
        for (size_t j = 0; j < 16; ++j) consider(r + j);
    }
    for (; r < n; ++r) consider(r);
    return found;
}
