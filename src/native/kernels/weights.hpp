// What OSBoost and its votes do with the outputs of the learners. Included once per instruction set, inside that set's
// namespace. All of these work on whole groups of eight: arrays reach up to the next multiple of eight.

double sum(const double* a, size_t n) {
    Vec p[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) p[r] += load(a + i + r * kLanes);
    return fold(p);
}

double dot(const double* a, const double* b, size_t n) {
    Vec p[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) p[r] += load(a + i + r * kLanes) * load(b + i + r * kLanes);
    return fold(p);
}

// ---- the smooth weights ------------------------------------------------------------------------------------------

// One register of learners: margins m = y h, their prefix sums p, z, and the weights w times s.
inline void add_to_sums(const Sums& sums, double s, Vec m, Vec p, Vec z, Vec weight, size_t at) {
    const auto add = [&sums, at](double* to, Vec what) { store(to + at, load(to + at) * sums.keep + what); };
    const Vec some = splat<Vec>(s), none = {};
    add(sums.mass, weight);
    store(sums.squares + at, load(sums.squares + at) * (sums.keep * sums.keep) + weight * weight);
    add(sums.edge, weight * m);
    add(sums.shortfall, (z <= 0.0 ? -z : none) * s);
    add(sums.thin, z <= 0.0 ? some : none);
    add(sums.wrong, p <= 0.0 ? some : none);
}

template <size_t Count>
inline void smooth_sweep(const double* h, double y, double s, const double* aim, double beta, double* scaled,
                         const Sums* given, size_t n) {
    Sums sums[Count];  // a copy, which no store below can change
    for (size_t k = 0; k < Count; ++k) sums[k] = given[k];
    const Vec one = splat<Vec>(1.0);
    Vec before = {};  // the sum of all margins up to here
    Vec last = one;   // its last lane is the weight that the next learner gets
    for (size_t i = 0; i < n; i += 8) {
        Vec m[kParts], p[kParts];
        for (size_t r = 0; r < kParts; ++r) p[r] = m[r] = load(h + i + r * kLanes) * y;
        prefix_eight(p, before);
        for (size_t r = 0; r < kParts; ++r) {
            const size_t at = i + r * kLanes;
            const Vec z = p[r] - load(aim + at);
            const Vec next = z <= 0.0 ? one : exp_fixed(z * -beta);
            const Vec weight = slide<1>(last, next) * s;
            last = next;
            store(scaled + at, weight < kNegligible ? Vec{} : weight);
            for (size_t k = 0; k < Count; ++k) add_to_sums(sums[k], s, m[r], p[r], z, weight, at);
        }
    }
    // The weight that a learner after the last would get has its place in the padding, unless there is none.
    if (n % 8 == 0)
        for (size_t k = 0; k < Count; ++k) sums[k].mass[n] = sums[k].mass[n] * sums[k].keep + last[kLanes - 1] * s;
    for (size_t i = n; i % 8 != 0; ++i) scaled[i] = 0.0;
}

void smooth_step(const double* h, double y, double s, const double* aim, double beta, double* scaled, const Sums* sums,
                 size_t count, size_t n) {
    if (count == 1)
        smooth_sweep<1>(h, y, s, aim, beta, scaled, sums, n);
    else
        smooth_sweep<2>(h, y, s, aim, beta, scaled, sums, n);
}

// ---- OzaBoost ----------------------------------------------------------------------------------------------------

double adaboost_votes(const double* correct, const double* wrong, double smallest, double* votes, size_t n) {
    const Vec one = splat<Vec>(1.0), none = {};
    for (size_t i = 0; i < n; i += kLanes) {
        const Vec bad = load(wrong + i), total = load(correct + i) + bad;
        const Vec share = bad / (total > 0.0 ? total : one);
        const Vec error = smaller(larger(share, splat<Vec>(smallest)), splat<Vec>(1.0 - smallest));
        const Vec vote = log_fixed((1.0 - error) / error);
        store(votes + i, (total > 0.0) & (error < 0.5) ? vote : none);
    }
    return sum(votes, n);
}

// ---- online convex programming -----------------------------------------------------------------------------------

// The projection does not change under a shift. With the maximum at 0, the values that matter are between -1 and 0, and
// the sums below are as exact for a huge step as for a small one.
void simplex_step(double* alpha, const double* h, double step, double* v, size_t n) {
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r)
            store(v + i + r * kLanes, load(alpha + i + r * kLanes) + load(h + i + r * kLanes) * step);
    for (size_t i = n; i % 8 != 0; ++i) v[i] = -__builtin_huge_val();
    Vec most = load(v);
    for (size_t i = 0; i < n; i += kLanes) most = larger(most, load(v + i));
    double top = most[0];
    for (size_t j = 1; j < kLanes; ++j) top = larger(top, most[j]);

    // Any set S gives a threshold (sum over S - 1) / |S| that is not above the right one; the set of what exceeds a
    // threshold gives a better one, until nothing more falls out. The learners that had a weight are a good first set.
    double members = 0.0;
    const auto threshold = [&members](const Vec* total, const Vec* number) {
        members = fold(number);
        return (fold(total) - 1.0) / members;
    };
    const Vec one = splat<Vec>(1.0), none = {};
    Vec total[kParts] = {}, number[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) {
            const size_t at = i + r * kLanes;
            const Vec shifted = load(v + at) - top;
            const Vec had = load(alpha + at);
            store(v + at, shifted);
            total[r] += had > 0.0 ? shifted : none;
            number[r] += had > 0.0 ? one : none;
        }
    double tau = threshold(total, number);
    for (double before = __builtin_huge_val();; before = members) {
        for (size_t r = 0; r < kParts; ++r) total[r] = number[r] = none;
        for (size_t i = 0; i < n; i += 8)
            for (size_t r = 0; r < kParts; ++r) {
                const Vec value = load(v + i + r * kLanes);
                total[r] += value > tau ? value : none;
                number[r] += value > tau ? one : none;
            }
        const double better = threshold(total, number);
        if (!(members < before)) break;
        tau = better;
    }
    for (size_t i = 0; i < n; i += kLanes) {
        store(alpha + i, larger(load(v + i) - tau, none));
    }
}

// ---- prefix experts ----------------------------------------------------------------------------------------------

void prefix_sums(const double* h, double* out, size_t n) {
    Vec before = {};
    for (size_t i = 0; i < n; i += 8) {
        Vec p[kParts];
        for (size_t r = 0; r < kParts; ++r) p[r] = load(h + i + r * kLanes);
        prefix_eight(p, before);
        for (size_t r = 0; r < kParts; ++r) store(out + i + r * kLanes, p[r]);
    }
}

double signed_sum(const double* signs, const double* v, size_t n) {
    Vec p[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) {
            const Vec value = load(v + i + r * kLanes);
            p[r] += load(signs + i + r * kLanes) > 0.0 ? value : -value;
        }
    return fold(p);
}

double wrong_weight(const double* prefix, double y, const double* v, size_t n) {
    Vec p[kParts] = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) {
            const size_t at = i + r * kLanes;
            p[r] += load(prefix + at) * y <= 0.0 ? load(v + at) : Vec{};
        }
    return fold(p);
}

bool expert_losses(const double* prefix, double y, double s, const double* v, double* loss, double* right,
                   double* wrong, size_t n) {
    const Vec none = {};
    Vec good[kParts] = {}, bad[kParts] = {}, any = {};
    for (size_t i = 0; i < n; i += 8)
        for (size_t r = 0; r < kParts; ++r) {
            const size_t at = i + r * kLanes;
            const Vec margin = load(prefix + at) * y;
            const Vec value = load(v + at);
            const Vec lost = margin <= 0.0 ? splat<Vec>(s) : none;
            good[r] += margin <= 0.0 ? none : value;
            bad[r] += margin <= 0.0 ? value : none;
            store(loss + at, load(loss + at) + lost);
            any += lost;
        }
    *right = fold(good);
    *wrong = fold(bad);
    return any_nonzero(any);
}

double least(const double* a, size_t n) {
    Vec low = load(a);
    for (size_t i = 0; i < n; i += kLanes) low = smaller(low, load(a + i));
    double found = low[0];
    for (size_t j = 1; j < kLanes; ++j) found = smaller(found, low[j]);
    return found;
}

double expert_weights(const double* loss, double eta, double base, double* v, size_t n) {
    for (size_t i = 0; i < n; i += kLanes) store(v + i, exp_fixed((load(loss + i) - base) * -eta));
    for (size_t i = n; i % 8 != 0; ++i) v[i] = 0.0;
    return sum(v, n);
}

// ---- prediction sets ---------------------------------------------------------------------------------------------

void threshold_step(double* q, const double* alpha, double miss, double step, size_t n) {
    const Vec up = splat<Vec>(step), none = {};
    for (size_t k = 0; k < n; k += kLanes) {
        const Vec at = load(q + k);
        store(q + k, at + ((miss > at ? up : none) - load(alpha + k) * step));
    }
}
