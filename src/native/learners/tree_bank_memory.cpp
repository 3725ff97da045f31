// How a bank of trees keeps within its bytes: the least promising leaves go without statistics.
#include <algorithm>
#include <tuple>

#include "learners/tree_bank.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kReviewEvery = 4096;  // rounds, once memory has been short
}  // namespace

void TreeBank::end_round() {
    ++rounds_;
    if (!overflow_ && !(short_ && rounds_ % kReviewEvery == 0)) return;
    overflow_ = false;
    short_ = true;
    review();
}

void TreeBank::drop(Tree::Leaf& leaf) {
    statistics_bytes_ -= leaf.statistics.bytes();
    restart(leaf, false);
}

void TreeBank::restart(Tree::Leaf& leaf, bool keep) const {
    for (int c = 0; c < 2; ++c) {
        leaf.before[c] += leaf.own[c];
        leaf.own[c] = 0.0;
    }
    leaf.tried = 0.0;
    leaf.active = keep;
    leaf.statistics.clear();
}

// Statistics go to the leaves of most promise, as long as half of the free bytes last; what a leaf without
// statistics would take is guessed from those that have some.
void TreeBank::review() {
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
                candidates.push_back({promise(leaf), i, k});
                if (leaf.active) ++active;
            } else if (leaf.active) {
                drop(leaf);
            }
        }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(-a.promise, a.tree, a.leaf) < std::tuple(-b.promise, b.tree, b.leaf);
    });
    const std::size_t usual = active > 0 ? statistics_bytes_ / active : 0;
    const std::size_t budget = (growth_.max_bytes - std::min(fixed_bytes(), growth_.max_bytes)) / 2;
    std::size_t used = 0;
    for (const Candidate& candidate : candidates) {
        Tree::Leaf& leaf = trees_[candidate.tree].leaves[candidate.leaf];
        const std::size_t cost = leaf.active ? leaf.statistics.bytes() : usual;
        const bool keep = used + cost <= budget;
        if (keep) used += cost;
        if (leaf.active && !keep) drop(leaf);
        if (!leaf.active && keep) restart(leaf, true);
    }
}

}  // namespace onlineboost
