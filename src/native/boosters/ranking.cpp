#include "boosters/ranking.hpp"

#include <string>

#include "learners/wrapper.hpp"

namespace onlineboost {

void Ranking::share(const LabelScratches& heard, std::vector<double>& shares) const {
    const std::size_t places = heard.size();
    shares.assign(learners_ * places, 0.0);
    if (places == 1) return;
    for (std::size_t i = 0; i < learners_; ++i) {
        double *of = shares.data() + i * places, total = 0.0;
        for (std::size_t k = 0; k < places; ++k) {
            of[k] = 1.0 + heard[k]->h[i];
            if (k > 0) total += of[k];
        }
        for (std::size_t k = 0; k < places; ++k)
            of[k] = total > 0.0 ? of[k] / total : 1.0 / static_cast<double>(places - 1);
    }
}

// Scores less their mean over the labels.
void Ranking::tell(const std::vector<double>& shares, std::size_t places, double* scores) const {
    score(shares, places, scores);
    double mean = 0.0;
    for (std::size_t k = 1; k < places; ++k) mean += scores[k];
    mean /= static_cast<double>(std::max<std::size_t>(places, 2) - 1);
    for (std::size_t k = 0; k < places; ++k) scores[k] -= mean;
}

void Ranking::decide(const Places& places, const LabelScratches& heard, const double*, double* decisions,
                     double* probabilities) const {
    std::vector<double> shares;
    share(LabelScratches(heard.begin(), heard.begin() + static_cast<std::ptrdiff_t>(places.size())), shares);
    tell(shares, places.size(), decisions);
    for (std::size_t k = 0; k < places.size(); ++k)
        probabilities[k] = calibrations_[k].probability(calibrations_[k].place(decisions[k]));
}

void Ranking::make_room(const LabelScratches& heard, const Present& present) {
    onlineboost::make_room(calibrations_, heard.size());
    share(heard, shares_);
    scores_.assign(heard.size(), 0.0);
    sums_.assign(heard.size(), 0.0);
    pulls_.assign(heard.size(), 0.0);
    has_.clear();
    lacks_.clear();
    for (std::size_t k = 1; k < present.size(); ++k) (present[k] ? has_ : lacks_).push_back(k);
}

void Ranking::begin(std::size_t places) {
    while (calibrations_.size() < places) calibrations_.push_back(calibrations_[0]);
}

void Ranking::learn(Places& places, const LabelScratches& heard, const double*, const Present& present, double s) {
    tell(shares_, places.size(), scores_.data());
    for (std::size_t k = 0; k < places.size(); ++k)
        calibrations_[k].learn(calibrations_[k].place(scores_[k]), scores_[k], present[k] ? 1.0 : -1.0, s);
    if (has_.empty() || lacks_.empty()) return;
    learn_pairs(heard, s);
    for (std::size_t k = 0; k < places.size(); ++k)
        places[k].ensemble.bank().update(*heard[k], present[k] ? 1.0 : -1.0, heard[k]->weights.data());
}

void Ranking::serialise(Archive& archive, std::size_t places) {
    if (archive.loading()) calibrations_.assign(places, Calibration(intercept_));
    for (std::size_t k = 0; k < places; ++k) {
        PrefixedArchive named(archive, "label" + std::to_string(k) + ".");
        calibrations_[k].serialise(named);
    }
}

}  // namespace onlineboost
