// Averaged Perceptrons. Included once per instruction set, inside that set's namespace.

void averaged_output(const double* s, const double* t, const double* clock, const double* uu, const double* uv,
                     const double* vv, double* __restrict h, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double back = clock[i] > 0.0 ? 1.0 / clock[i] : 0.0;
        const double norm2 = uu[i] - back * (2.0 * uv[i] - back * vv[i]);
        const double value = (s[i] - t[i] * back) / __builtin_sqrt(larger(norm2, 1.0));
        h[i] = larger(smaller(value, 1.0), -1.0);
    }
}

void averaged_step(const double* s, const double* t, const double* w, double y, double xx, bool rounds,
                   double* __restrict clock, double* __restrict uu, double* __restrict uv, double* __restrict vv,
                   double* __restrict d, double* __restrict c, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
        const double step = y * s[i] <= 0.0 ? w[i] * y : 0.0;
        const double back = clock[i] * step;
        uv[i] += step * t[i] + back * s[i] + step * (back * xx);
        uu[i] += 2.0 * step * s[i] + step * (step * xx);
        vv[i] += 2.0 * back * t[i] + back * (back * xx);
        d[i] = step;
        c[i] = back;
        const double tick = w[i] > 0.0 ? 1.0 : 0.0;
        clock[i] += rounds ? tick : w[i];
    }
}
