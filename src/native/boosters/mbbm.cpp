#include "boosters/mbbm.hpp"

namespace onlineboost {

// 1 for a class that has all votes, -1 for one that has none.
std::vector<double> MBBM::margins(const std::vector<std::size_t>& labels, std::size_t classes) const {
    std::vector<double> found(classes, 0.0);
    for (const std::size_t label : labels) found[label] += 1.0;
    for (double& f : found) f = 2.0 * (f / static_cast<double>(learners_)) - 1.0;
    return found;
}

void MBBM::decide(const std::vector<ClassEnsemble>&, const Scratches& heard, const double*, double* decisions,
                  double* probabilities) const {
    const auto found = margins(said(heard), heard.size());
    for (std::size_t k = 0; k < heard.size(); ++k) {
        decisions[k] = found[k];
        probabilities[k] = probability(k, *heard[k], found[k]);
    }
    normalise(probabilities, heard.size());
}

void MBBM::make_room(const Scratches& heard, std::size_t label) {
    say(heard, labels_);
    margins_ = margins(labels_, heard.size());
    shares_.assign(learners_, 0.0);
    std::vector<int> leads(std::max<std::size_t>(heard.size(), 2) - 1,
                           0);  // beside a single class, one that nobody votes for
    const auto rival = [label](std::size_t k) { return k < label ? k : k - 1; };
    for (std::size_t i = 0; i < learners_; ++i) {
        shares_[i] = potential_.weight(learners_ - 1 - i, leads);
        if (labels_[i] == label)
            for (int& lead : leads) ++lead;
        else
            --leads[rival(labels_[i])];
    }
}

void MBBM::learn(std::vector<ClassEnsemble>& classes, const Scratches& heard, const double*, std::size_t label,
                 double s) {
    for (std::size_t k = 0; k < heard.size(); ++k) calibrate(k, *heard[k], margins_[k], k == label ? 1.0 : -1.0, s);
    for (std::size_t i = 0; i < learners_; ++i) set_weight(i, s * shares_[i]);
    teach(classes, heard, label);
}

std::unique_ptr<ClassBooster> MBBM::build(const Parameters& p, std::size_t learners) {
    if (learners > Potential::kMostVotes) throw std::invalid_argument("OnlineMBBM takes fewer learners");
    return std::make_unique<MBBM>(learners, p.number("gamma"));
}

}  // namespace onlineboost
