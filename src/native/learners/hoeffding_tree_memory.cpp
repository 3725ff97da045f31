// How a bank of trees keeps within its bytes: the least promising leaves go without statistics.
#include <algorithm>
#include <tuple>

#include "learners/hoeffding_tree.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kReviewEvery = 4096;  // rounds, once memory has been short
}  // namespace

void HoeffdingTreeBank::end_round() {
    ++rounds_;
    if (!overflow_ && !(short_ && rounds_ % kReviewEvery == 0)) return;
    overflow_ = false;
    short_ = true;
    review();
}

void HoeffdingTreeBank::drop(Tree::Leaf& leaf) {
    statistics_bytes_ -= leaf.statistics.bytes();
    leaf.restart(false);
}

// Statistics go to the leaves with most weight of their lesser class, as long as half of the free bytes last; what a leaf without
// statistics would take is guessed from those that have some.
void HoeffdingTreeBank::review() {
    struct Candidate {
        double promise;
        std::size_t tree, leaf;
    };
    std::vector<Candidate> candidates;
    std::size_t active = 0;
    for (std::size_t i = 0; i < trees_.size(); ++i)
        for (std::size_t k = 0; k < trees_[i].leaves.size(); ++k) {
            Tree::Leaf& leaf = trees_[i].leaves[k];
            if (wants_statistics(trees_[i], leaf)) {
                candidates.push_back({std::min(leaf.weight(0), leaf.weight(1)), i, k});
                if (leaf.active) ++active;
            } else if (leaf.active) {
                drop(leaf);
            }
        }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(-a.promise, a.tree, a.leaf) < std::tuple(-b.promise, b.tree, b.leaf);
    });
    const std::size_t usual = active > 0 ? statistics_bytes_ / active : 0;
    const std::size_t budget = (options_.max_bytes - std::min(fixed_bytes(), options_.max_bytes)) / 2;
    std::size_t used = 0;
    for (const Candidate& candidate : candidates) {
        Tree::Leaf& leaf = trees_[candidate.tree].leaves[candidate.leaf];
        const std::size_t cost = leaf.active ? leaf.statistics.bytes() : usual;
        const bool keep = used + cost <= budget;
        if (keep) used += cost;
        if (leaf.active && !keep) drop(leaf);
        if (!leaf.active && keep) leaf.restart(true);
    }
}

}  // namespace onlineboost
