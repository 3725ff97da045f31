// Tests of window trees. Included once per instruction set, inside that set's namespace.

inline bool better_split(double left_g, double left_h, const SplitRule& rule, double* gain) {
    const double right_g = rule.g - left_g, right_h = rule.h - left_h;
    if (left_h < rule.least || right_h < rule.least) return false;
    const double value =
        left_g * left_g / (left_h + rule.lambda) + right_g * right_g / (right_h + rule.lambda) - rule.before;
    if (!(value > *gain * (1.0 + kTie) + kLeastGain)) return false;
    *gain = value;
    return true;
}

bool best_split(const double* cells, size_t edges, size_t zero, const SplitRule& rule, double* gain, size_t* bin) {
    if (edges == 1) {  // of a feature that is 0 or not
        const double* other = cells + (zero == 0 ? 2 : 0);
        if (!(zero == 0 ? better_split(rule.g - other[0], rule.h - other[1], rule, gain)
                        : better_split(other[0], other[1], rule, gain)))
            return false;
        *bin = 0;
        return true;
    }
    double g[264], h[264], better[264];  // what is below each edge
    Vec before_g{}, before_h{};
    for (size_t k = 0; k <= edges; k += 8) {
        Vec sum_g[kParts], sum_h[kParts];
        for (size_t r = 0; r < kParts; ++r) {
            const double* own = cells + 2 * (k + r * kLanes);
            const Vec front = load(own), back = load(own + kLanes);
            sum_g[r] = first_of_pairs(front, back);
            sum_h[r] = second_of_pairs(front, back);
        }
        prefix_eight(sum_g, before_g);
        prefix_eight(sum_h, before_h);
        for (size_t r = 0; r < kParts; ++r) {
            store(g + k + r * kLanes, sum_g[r]);
            store(h + k + r * kLanes, sum_h[r]);
        }
    }
    const double rest_g = rule.g - g[edges], rest_h = rule.h - h[edges];
    for (size_t b = zero; b < edges; ++b) g[b] += rest_g;
    for (size_t b = zero; b < edges; ++b) h[b] += rest_h;
    // left^2 / l + right^2 / r > least, times l r
    const double least = rule.before + (*gain * (1.0 + kTie) + kLeastGain);
    double most = 0.0;
    for (size_t b = 0; b < edges; ++b) {
        const double right_g = rule.g - g[b], right_h = rule.h - h[b];
        const double l = h[b] + rule.lambda, r = right_h + rule.lambda;
        const double d = (g[b] * g[b]) * r + (right_g * right_g) * l - least * (l * r);
        better[b] = h[b] >= rule.least && right_h >= rule.least ? d : 0.0;
    }
    for (size_t b = 0; b < edges; ++b) most = better[b] > most ? better[b] : most;
    if (!(most > 0.0)) return false;
    bool found = false;
    for (size_t b = 0; b < edges; ++b) {
        if (!(better[b] > 0.0 && better_split(g[b], h[b], rule, gain))) continue;
        *bin = b;
        found = true;
    }
    return found;
}

size_t part_rows(const uint8_t* bins, uint8_t limit, uint32_t* order, size_t n, uint32_t* aside) {
    size_t left = 0, right = 0, k = 0;
#if defined(__AVX512F__)
    const __m512i byte = _mm512_set1_epi32(0xff), most = _mm512_set1_epi32(limit);
    for (; k + 16 <= n; k += 16) {
        const __m512i rows = _mm512_loadu_si512(order + k);
        const __m512i found = _mm512_and_epi32(_mm512_mask_i32gather_epi32(byte, 0xffff, rows, bins, 1), byte);
        const __mmask16 stays = _mm512_cmple_epu32_mask(found, most);
        _mm512_storeu_si512(order + left, _mm512_maskz_compress_epi32(stays, rows));
        _mm512_storeu_si512(aside + right, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~stays), rows));
        const auto count = static_cast<size_t>(__builtin_popcount(stays));
        left += count;
        right += 16 - count;
    }
#endif
    for (; k < n; ++k) {
        const uint32_t r = order[k];
        const bool stays = bins[r] <= limit;  // no branch: nobody can foresee it
        order[left] = aside[right] = r;
        left += stays ? 1 : 0;
        right += stays ? 0 : 1;
    }
    return left;
}
