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
    p_.resize(round_up(classes_));
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

// p_ are scores, and become probabilities.
void TreeGrower::take_softmax() {
    const double most = *std::max_element(p_.data(), p_.data() + classes_);
    kernels().expert_weights(p_.data(), -1.0, most, p_.data(), classes_);
    double total = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) total += p_[k];
    for (std::size_t k = 0; k < classes_; ++k) p_[k] /= total;
}

TreeGrower::Sums TreeGrower::gradient_along(std::size_t r) {
    take_softmax();
    double mean = 0.0, square = 0.0;
    for (std::size_t k = 0; k < classes_; ++k) mean += p_[k] * direction_[k];
    for (std::size_t k = 0; k < classes_; ++k) square += p_[k] * ((direction_[k] - mean) * (direction_[k] - mean));
    const double w = window_->weight(r) / mean_weight_;
    return {w * (direction_[static_cast<std::size_t>(window_->label(r))] - mean), w * square};
}

// The tests are chosen: rows know their leaves, and these add up what each class lacks.
void TreeGrower::take_steps() {
    sums_.assign(grown_ * classes_, {});
    stage_ = Stage::kSums;
    cursor_ = 0;
}

std::size_t TreeGrower::sum_leaves() {
    std::size_t cost = 0;
    for (; cursor_ < window_->size() && cost < kCostPerPiece; ++cursor_) {
        for (std::size_t k = 0; k < classes_; ++k) p_[k] = class_scores_[k][cursor_];
        take_softmax();
        const double w = window_->weight(cursor_) / mean_weight_;
        Sums* own = sums_.data() + aside_[cursor_] * classes_;
        for (std::size_t k = 0; k < classes_; ++k) {
            own[k].g -= w * p_[k];
            own[k].h += w * (p_[k] * (1.0 - p_[k]));
        }
        own[static_cast<std::size_t>(window_->label(cursor_))].g += w;
        cost += 20 + kClassCost * classes_;
    }
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
    std::size_t cost = 0;
    for (; cursor_ < window_->size() && cost < kCostPerPiece; ++cursor_) {
        const double* own = tree_.steps.data() + aside_[cursor_] * classes_;
        for (std::size_t k = 0; k < classes_; ++k) class_scores_[k][cursor_] += own[k];
        cost += 5 + classes_;
    }
    if (cursor_ == window_->size()) stage_ = Stage::kDone;
    return cost;
}

}  // namespace onlineboost
