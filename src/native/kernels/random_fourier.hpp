// Random Fourier features. Included once per instruction set, inside that set's namespace.

void waves(const double* turns, const double* phase, double* __restrict z, size_t n) {
    for (size_t j = 0; j < n; ++j) z[j] = 1.4142135623730951 * cosine_of_turns(turns[j] + phase[j]);
}
