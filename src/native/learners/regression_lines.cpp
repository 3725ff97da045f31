// Linear models in the leaves of regression trees: the mean, plus a slope for each feature.
//
// A line holds by how much its squared error is above that of the mean, then slope and sum of w z^2 of each feature by
// slot. z is the value minus the feature's mean over all rows; a row without the feature is on the mean.
#include <algorithm>
#include <cmath>

#include "learners/regression_tree.hpp"

namespace onlineboost {

namespace {

constexpr std::size_t kMoments = 3;
constexpr double kRounding = 1e-9;       // a variance below this share of the squares comes from rounding
constexpr double kLeastSquare = 1e-200;  // values that differ by less are taken as equal
constexpr double kLeastPrior = 1e-6;     // examples

std::size_t place_of(std::int32_t slot) { return 1 + 2 * static_cast<std::size_t>(slot); }

}  // namespace

// z of each value of the row, 0 where it says nothing, and what a slope's sum of squares begins with.
void RegressionTreeBank::standardise(TreeScratch& scratch) const {
    const Row& row = *scratch.row;
    const auto rounds = static_cast<double>(rounds_);
    scratch.z.assign(row.size(), 0.0);
    scratch.prior.assign(row.size(), 0.0);
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (row.slots[k] == Features::kUnseen) continue;
        const std::size_t at = kMoments * static_cast<std::size_t>(row.slots[k]);
        if (at >= moments_.size() || !(moments_[at] > 0.0)) continue;
        const double mean = moments_[at + 1] / rounds, count = moments_[at];
        const double square = (moments_[at + 2] - mean * (2.0 * moments_[at + 1] - mean * count)) / count;
        if (!(square > kRounding * (moments_[at + 2] / count)) || square < kLeastSquare) continue;
        scratch.z[k] = row.raw[k] - mean;
        scratch.prior[k] = std::max(options_.lambda, kLeastPrior) * square;
    }
    for (const std::uint32_t k : row.gaps) scratch.z[k] = 0.0;
}

double RegressionTreeBank::along(const Tree::Leaf& leaf, const TreeScratch& scratch) const {
    const Row& row = *scratch.row;
    double sum = 0.0;
    for (std::size_t k = 0; k < row.size(); ++k)
        if (scratch.z[k] != 0.0 && place_of(row.slots[k]) < leaf.line.size())
            sum += leaf.line[place_of(row.slots[k])] * scratch.z[k];
    return sum;
}

// One step of recursive least squares with a diagonal matrix.
void RegressionTreeBank::learn_line(Tree::Leaf& leaf, const TreeScratch& scratch, double g, double w) {
    const Row& row = *scratch.row;
    const std::size_t size = 1 + 2 * slots(), more = Tree::Leaf::line_bytes(size - leaf.line.size());
    if (size > leaf.line.size() && spares(more)) {
        leaf.line.resize(size, 0.0);
        line_bytes_ += more;
    }
    if (leaf.line.empty()) return;
    const double level = mean(leaf), line = level + along(leaf, scratch);
    const double flat = std::clamp(level, -1.0, 1.0), bent = std::clamp(line, -1.0, 1.0);
    leaf.line[0] += (flat - bent) * (2.0 * g - w * (flat + bent));
    double spread = 0.0;
    const auto each = [&](auto&& visit) {
        for (std::size_t k = 0; k < row.size(); ++k)
            if (const double z = scratch.z[k]; z != 0.0 && place_of(row.slots[k]) < leaf.line.size())
                visit(z, &leaf.line[place_of(row.slots[k])], scratch.prior[k]);
    };
    each([&](double z, const double* of, double prior) { spread += z * (z / (prior + of[1])); });
    const double step = (g - w * line) / (1.0 + w * spread);
    each([&](double z, double* of, double prior) {
        of[0] += step * (z / (prior + of[1]));
        of[1] += w * (z * z);
    });
}

// Both leaves go on with it; each has its share of the evidence.
void RegressionTreeBank::divide_line(std::size_t i, std::uint32_t place, std::vector<double> line, double share) {
    Tree::Leaf &left = trees_[i].leaves[place], &right = trees_[i].leaves.back();
    right.line.swap(spare_[i]);
    right.line.assign(line.begin(), line.end());
    left.line = std::move(line);
    line_bytes_ += Tree::Leaf::line_bytes(right.line.size());
    for (std::size_t k = 0; k < right.line.size(); k += 2) {
        left.line[k] *= share;
        right.line[k] *= 1.0 - share;
    }
}

void RegressionTreeBank::make_room(Scratch& shared, std::span<const FeatureId> fresh) {
    TreeBank::make_room(shared, fresh);
    if (!options_.lines) return;
    const TreeScratch& scratch = own(shared);
    const std::size_t size = 1 + 2 * (slots() + fresh.size());
    onlineboost::make_room(moments_, kMoments * (slots() + fresh.size()));
    for (std::size_t i = 0; i < layout.learners; ++i) {
        Tree::Leaf& leaf = trees_[i].leaves[scratch.places[i]];
        if (size > leaf.line.size() && spares(Tree::Leaf::line_bytes(size - leaf.line.size())))
            onlineboost::make_room(leaf.line, size);
        onlineboost::make_room(spare_[i], size);
    }
}

void RegressionTreeBank::finish(Scratch& shared) {
    const Row& row = *own(shared).row;
    if (options_.lines) {
        moments_.resize(kMoments * slots(), 0.0);
        auto gap = row.gaps.begin();
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (gap != row.gaps.end() && *gap == k) {
                ++gap;
                continue;
            }
            double* of = &moments_[kMoments * static_cast<std::size_t>(row.slots[k])];
            of[0] += 1.0;
            of[1] += row.raw[k];
            of[2] += row.raw[k] * row.raw[k];
        }
    }
    end_round();
}

void RegressionTreeBank::serialise_lines(Archive& archive, const std::vector<Tree::Leaf*>& leaves) {
    std::vector<std::int64_t> sizes;
    std::vector<double> numbers;
    for (const Tree::Leaf* leaf : leaves) {
        sizes.push_back(static_cast<std::int64_t>(leaf->line.size()));
        numbers.insert(numbers.end(), leaf->line.begin(), leaf->line.end());
    }
    archive.integers("line_sizes", sizes);
    if (archive.loading()) {
        require(sizes.size() == leaves.size(), "line_sizes");
        std::size_t all = 0;
        for (const std::int64_t size : sizes) {
            require(size == 0 || (size > 0 && size % 2 == 1 && static_cast<std::size_t>(size) <= 1 + 2 * slots()),
                    "line_sizes");
            all += static_cast<std::size_t>(size);
        }
        numbers.resize(all);
    }
    moments_.resize(kMoments * slots(), 0.0);
    archive.numbers("leaf_lines", numbers.data(), numbers.size());
    archive.numbers("line_moments", moments_.data(), moments_.size());
    if (!archive.loading()) return;
    line_bytes_ = Tree::Leaf::line_bytes(numbers.size());
    const double* from = numbers.data();
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        std::vector<double>& line = leaves[k]->line;
        line.assign(from, from + sizes[k]);
        from += sizes[k];
        for (std::size_t j = 1; j < line.size(); j += 2)
            require(std::abs(line[j]) <= Archive::kLargestCoordinate && line[j + 1] >= 0.0, "leaf_lines");
    }
    for (std::size_t k = 0; k < moments_.size(); k += kMoments) {
        const double count = moments_[k];
        require(count >= 0.0 && count <= static_cast<double>(rounds_) &&
                    std::abs(moments_[k + 1]) <= 2.0 * kLargestInput * count && moments_[k + 2] >= 0.0 &&
                    moments_[k + 2] <= 2.0 * kLargestInput * kLargestInput * count,
                "line_moments");
    }
}

}  // namespace onlineboost
