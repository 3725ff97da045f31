// What a tree of many classes does beside one of two: a direction to look along, and a step per leaf and class.
#include <algorithm>

#include "engine/random.hpp"
#include "kernels/kernels.hpp"
#include "learners/tree_grower.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kCostPerPiece = 100'000, kClassCost = 10;
constexpr double kLargestStep = 1.0;
}  // namespace

// Every class gets 1/2 or -1/2, by chance; not all the same, unless there is one only, as in a young generation.
void TreeGrower::draw_direction(std::uint64_t seed, std::uint64_t number) {
    direction_.resize(classes_);
    for (std::size_t j = 0;; ++j) {
        bool any[2] = {false, false};
        for (std::size_t k = 0; k < classes_; ++k) {
            const bool up = (hash64(seed, Purpose::kSample, number, j * classes_ + k) >> 63) != 0;
            direction_[k] = up ? 0.5 : -0.5;
            any[up ? 1 : 0] = true;
        }
        if ((any[0] && any[1]) || classes_ < 2) return;
    }
}

// Where the kernels find the rows [begin, end), of one block, and their leaves in the dropped tree.
ClassRows TreeGrower::class_rows(std::size_t begin, std::size_t end) {
    old_columns_.resize(classes_);
    columns_.resize(classes_);
    for (std::size_t k = 0; k < classes_; ++k) {
        old_columns_[k] = window_->scores(k).data();
        columns_[k] = class_scores_[k].data();
    }
    ClassRows rows{old_columns_.data(), begin, end, classes_, nullptr, dropped_at_.data(), 0};
    if (dropped_->nodes.empty()) return rows;
    rows.dropped = dropped_->steps.data();
    rows.dropped_classes = std::min(dropped_->classes, classes_);
    for (std::size_t r = begin; r < end; ++r)
        dropped_at_[r - begin] = static_cast<std::uint32_t>(dropped_leaf(r) * dropped_->classes);
    return rows;
}

// Of the rows [begin, end), along the direction; their probabilities stay in class_scores_.
void TreeGrower::find_gradients(std::size_t begin, std::size_t end) {
    std::array<double, kBlock> mean, square;
    for (std::size_t from = begin; from < end;) {
        const std::size_t to = std::min(end, (from / kBlock + 1) * kBlock);
        const ClassRows rows = class_rows(from, to);
        kernels().class_gradients(&rows, columns_.data(), direction_.data(), mean.data(), square.data());
        for (std::size_t r = from; r < to; ++r) {
            const double w = window_->weight(r) / mean_weight_;
            const double own = direction_[static_cast<std::size_t>(window_->label(r))];
            gradients_[r] = {w * (own - mean[r - from]), w * square[r - from]};
        }
        from = to;
    }
}

// The tests are chosen: rows know their leaves, and these add up what each class lacks.
void TreeGrower::take_steps() {
    sums_.assign(grown_ * classes_, {});
    stage_ = Stage::kSums;
    cursor_ = 0;
}

std::size_t TreeGrower::sum_leaves() {
    const std::size_t begin = cursor_;
    const std::size_t end = std::min(window_->size(), begin + kCostPerPiece / (20 + kClassCost * classes_) + 1);
    std::array<double, kBlock> w;
    std::array<std::uint32_t, kBlock> labels, at;
    for (std::size_t to; cursor_ < end; cursor_ = to) {
        to = std::min(end, cursor_ + kBlock);
        for (std::size_t r = cursor_; r < to; ++r) {
            w[r - cursor_] = window_->weight(r) / mean_weight_;
            labels[r - cursor_] = static_cast<std::uint32_t>(window_->label(r));
            at[r - cursor_] = aside_[r] * static_cast<std::uint32_t>(classes_);
        }
        for (std::size_t k = 0; k < classes_; ++k) columns_[k] = class_scores_[k].data();
        kernels().class_lacks(columns_.data(), cursor_, to, classes_, w.data(), labels.data(), at.data(), &sums_[0].g);
    }
    const std::size_t cost = (20 + kClassCost * classes_) * (end - begin);
    if (cursor_ < window_->size()) return cost;
    const double rate = options_.rate * (1.0 - 1.0 / static_cast<double>(classes_));
    tree_.steps.resize(sums_.size());
    for (std::size_t j = 0; j < sums_.size(); ++j)
        tree_.steps[j] = std::clamp(rate * sums_[j].g / (sums_[j].h + options_.lambda), -kLargestStep, kLargestStep);
    stage_ = Stage::kSteps;
    cursor_ = 0;
    return cost + sums_.size();
}

std::size_t TreeGrower::add_steps() {
    const std::size_t begin = cursor_, end = std::min(window_->size(), begin + kCostPerPiece / (5 + classes_) + 1);
    std::array<std::uint32_t, kBlock> at;
    for (std::size_t to; cursor_ < end; cursor_ = to) {
        to = std::min(end, (cursor_ / kBlock + 1) * kBlock);
        for (std::size_t r = cursor_; r < to; ++r) at[r - cursor_] = aside_[r] * static_cast<std::uint32_t>(classes_);
        const ClassRows rows = class_rows(cursor_, to);
        kernels().class_steps(&rows, tree_.steps.data(), at.data(), columns_.data());
    }
    if (cursor_ == window_->size()) stage_ = Stage::kDone;
    return (5 + classes_) * (end - begin);
}

}  // namespace onlineboost
