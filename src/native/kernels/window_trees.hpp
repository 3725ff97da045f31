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

// left^2 / l + right^2 / r > least, times l r, for eight tests: what the left is more by, or 0. With slack, nothing
// that is greater is missed for rounding.
template <bool kSlack>
inline bool eight_better(const double* g, const double* h, const SplitRule& rule, double least, double* better) {
    Vec any{};
    for (size_t k = 0; k < 8; k += kLanes) {
        const Vec left_g = load(g + k), left_h = load(h + k), right_g = rule.g - left_g, right_h = rule.h - left_h;
        const Vec l = left_h + rule.lambda, r = right_h + rule.lambda;
        const Vec gains = (left_g * left_g) * r + (right_g * right_g) * l;
        const Vec d = (kSlack ? gains * (1.0 + 1e-9) : gains) - least * (l * r);
        const Vec found = (left_h >= rule.least) & (right_h >= rule.least) & (d > 0.0) ? d : Vec{};
        store(better + k, found);
        any += found;
    }
    return any_nonzero(any);
}

bool best_split(const double* cells, const uint8_t* filled, size_t first, size_t edges, size_t zero,
                const SplitRule& rule, double* gain, size_t* bin) {
    if (edges == 1) {  // of a feature that is 0 or not
        const double* other = cells + 2 * first + (zero == 0 ? 2 : 0);
        if (!(zero == 0 ? better_split(rule.g - other[0], rule.h - other[1], rule, gain)
                        : better_split(other[0], other[1], rule, gain)))
            return false;
        *bin = 0;
        return true;
    }
    // Eight cells that are 0 make no test that the one before them has not made.
    const auto skipped = [=](size_t k) {
        const size_t block = (first + k) / 8;
        return (filled[block] | filled[block + 1]) == 0 && k != edges / 8 * 8 && k != zero / 8 * 8;
    };
    double g[264], h[264];  // what is below each edge
    Vec before_g{}, before_h{};
    for (size_t k = 0; k <= edges; k += 8) {
        if (skipped(k)) continue;
        Vec sum_g[kParts], sum_h[kParts];
        for (size_t r = 0; r < kParts; ++r) {
            const double* own = cells + 2 * (first + k + r * kLanes);
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
    const double least = rule.before + (*gain * (1.0 + kTie) + kLeastGain);
    double higher = least, better[8], still[8];
    bool found = false;
    for (size_t k = 0; k < edges; k += 8) {
        if (skipped(k)) continue;
        for (size_t b = zero < k ? k : zero; b < k + 8; ++b) {
            g[b] += rest_g;
            h[b] += rest_h;
        }
        if (!eight_better<false>(g + k, h + k, rule, least, better)) continue;
        if (found && !eight_better<true>(g + k, h + k, rule, higher, still)) continue;
        for (size_t b = k; b < k + 8 && b < edges; ++b) {
            if (!(better[b - k] > 0.0 && better_split(g[b], h[b], rule, gain))) continue;
            *bin = b;
            found = true;
            higher = rule.before + (*gain * (1.0 + kTie) + kLeastGain);
        }
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
