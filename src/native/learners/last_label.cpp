#include "learners/last_label.hpp"

namespace onlineboost {

LastLabelBank::LastLabelBank(std::size_t learners) : Bank(learners), counts_(layout.stride) {
    while (counts_.rows() < kRows) counts_.append();
}

// Krichevsky and Trofimov's estimate of the probability that the label stays.
double LastLabelBank::output(std::size_t i) const {
    const double last = counts_.row(kLast)[i];
    const std::size_t side = last > 0.0 ? 1 : 0;
    const double p = (counts_.row(kStayed + side)[i] + 0.5) / (counts_.row(kFollowed + side)[i] + 1.0);
    return last * (2.0 * p - 1.0);
}

void LastLabelBank::count(std::size_t i, double y, double w) {
    const double last = counts_.row(kLast)[i];
    const std::size_t side = last > 0.0 ? 1 : 0;
    if (last != 0.0) counts_.row(kFollowed + side)[i] += w;
    if (last == y) counts_.row(kStayed + side)[i] += w;
}

void LastLabelBank::score(Scratch& scratch) const {
    for (std::size_t i = 0; i < layout.learners; ++i) scratch.h[i] = output(i);
}

// One that rests counts nothing, but it goes on hearing the labels.
void LastLabelBank::update(Scratch& scratch, double y, const double* w) {
    for (std::size_t i = 0; i < layout.learners; ++i) {
        if (w[i] > 0.0) count(i, y, w[i]);
        if (w[i] > 0.0 || scratch.rests) counts_.row(kLast)[i] = y;
    }
}

double LastLabelBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    if (times == 0 || !(w > 0.0)) return scratch.h[i];
    count(i, y, w * times);
    const double after = output(i);
    counts_.row(kLast)[i] = y;
    return after;
}

void LastLabelBank::serialise(Archive& archive, const std::vector<FeatureId>&) {
    archive.table("label_counts", counts_, layout.learners, kRows);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < layout.learners; ++i) {
        const double last = counts_.row(kLast)[i];
        Archive::check(last == 0.0 || last == 1.0 || last == -1.0, "label_counts");
        for (const std::size_t side : {0, 1}) {
            const double stayed = counts_.row(kStayed + side)[i];
            Archive::check(stayed >= 0.0 && stayed <= counts_.row(kFollowed + side)[i], "label_counts");
        }
    }
}

std::unique_ptr<Bank> LastLabelBank::build(const Parameters&, std::size_t learners) {
    return std::make_unique<LastLabelBank>(learners);
}

}  // namespace onlineboost
