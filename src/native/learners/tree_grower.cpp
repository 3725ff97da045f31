#include "learners/tree_grower.hpp"

#include <algorithm>

#include "engine/implicit_step.hpp"
#include "kernels/kernels.hpp"
#include "learners/tree_walk.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kNumbersPerPiece = 20'000, kClassCost = 10;
constexpr std::size_t kAside = 16;  // rows that may be written past the last
constexpr double kLargestStep = 1.0;
constexpr float kAboveAll = 2e30f;  // numbers are below; rows that lack the feature are not
}  // namespace

void TreeGrower::make_room(std::size_t rows, std::size_t features, std::size_t classes) {
    gradients_.reserve(rows);
    order_.reserve(rows);
    aside_.reserve(rows + kAside);
    scores_.reserve(rows);
    if (classes > 0) {
        if (class_scores_.size() < classes) {
            onlineboost::make_room(class_scores_, classes);
            class_scores_.resize(classes);
            onlineboost::make_room(direction_, classes);
            onlineboost::make_room(old_columns_, classes);
            onlineboost::make_room(columns_, classes);
        }
        for (auto& one : class_scores_) one.reserve(rows);
        const std::size_t steps = most_leaves(classes) * classes;
        tree_.steps.reserve(std::max(kMostSteps, steps));
        sums_.reserve(std::max(kMostSteps, steps));
    }
    tree_.reserve(options_.leaves);
    if (leaves_.size() < options_.leaves) leaves_.resize(options_.leaves);
    spare_.reserve(options_.leaves);
    if (wide_ <= features) {
        const std::size_t size = std::max(features, 2 * x_.size());
        const std::size_t many =
            std::max({Window::kFineCells, std::min(Window::kCoarseBins * size, Window::kMostCells), 2 * size});
        const std::size_t cells = std::min(options_.bins * size, many);
        for (Leaf& leaf : leaves_) {
            leaf.cells.reserve(cells + size + 8);  // one more where there are gaps
            leaf.filled.reserve((cells + size) / 8 + 3);
        }
        x_.resize(size);
        wide_ = size + 1;
        lanes_.resize(kWalks * wide_);
    }
}

void TreeGrower::begin(Window& window, const WindowTree* dropped, const LeafTable& leaves_of_rows, bool new_bins,
                       std::size_t classes, std::uint64_t seed, std::uint64_t number) {
    classes_ = classes;
    std::fill(lanes_.begin(), lanes_.end(), 0.0f);  // a tree that was lost half grown leaves numbers there
    gradients_.resize(window.size());
    order_.resize(window.size());
    aside_.resize(window.size() + kAside);
    scores_.resize(window.size());
    for (std::size_t k = 0; k < classes; ++k) class_scores_[k].resize(window.size());
    if (classes > 0) draw_direction(seed, number);
    window_ = &window;
    dropped_ = dropped;
    leaves_of_rows_ = &leaves_of_rows;
    new_bins_ = new_bins;
    stage_ = Stage::kWeights;
    cursor_ = 0;
    mean_weight_ = 0.0;
}

std::size_t TreeGrower::weigh_rows() {
    const Window& window = *window_;
    const std::size_t end = std::min(window.size(), cursor_ + kNumbersPerPiece / 2);
    for (; cursor_ < end; ++cursor_) mean_weight_ += window.weight(cursor_);
    if (cursor_ == window.size()) {
        mean_weight_ = mean_weight_ > 0.0 ? mean_weight_ / static_cast<double>(window.size()) : 1.0;
        stage_ = new_bins_ ? Stage::kSample : Stage::kScores;
        cursor_ = 0;
    }
    return kNumbersPerPiece;
}

double TreeGrower::cost_of_bins() const {
    const std::size_t edges = (window_->features() + 1) * kNumbersPerPiece;
    return static_cast<double>(edges + 10 * (window_->numbers() + window_->size()));
}

std::size_t TreeGrower::piece() {
    Window& window = *window_;
    switch (stage_) {
        case Stage::kWeights:
            return weigh_rows();
        case Stage::kSample:
            window.sample(crowded() ? Window::kCrowdBins : options_.bins);
            stage_ = Stage::kEdges;
            return kNumbersPerPiece;
        case Stage::kEdges:
            if (cursor_ < window.sampled_features()) {
                window.choose_edges(cursor_++);
                return kNumbersPerPiece;
            }
            window.number_cells();
            stage_ = Stage::kBins;
            cursor_ = 0;
            return window.features();
        case Stage::kBins: {
            std::size_t cost = 0;
            for (; cursor_ < window.size() && cost < 10 * kNumbersPerPiece; ++cursor_) {
                window.bin(cursor_);
                cost += 10 * (1 + window.row(cursor_).size());
            }
            if (cursor_ == window.size()) {
                stage_ = Stage::kScores;
                cursor_ = 0;
            }
            return cost;
        }
        case Stage::kScores:
            return score_rows();
        case Stage::kHistogram:
            return add_rows();
        case Stage::kSearch:
            return search();
        case Stage::kSums:
            return sum_leaves();
        case Stage::kSteps:
            return add_steps();
        case Stage::kDone:
            break;
    }
    return 0;
}

std::size_t TreeGrower::leaf(const WindowRow& row) {
    for (const WindowNumber& number : row) x_[static_cast<std::size_t>(number.slot)] = number.value;
    const std::size_t leaf = leaf_of(tree_, x_.data());
    for (const WindowNumber& number : row) x_[static_cast<std::size_t>(number.slot)] = 0.0f;
    return leaf;
}

// The leaf of the dropped tree, which has some, that row r is in; it comes after the last. Where that is not known,
// eight rows walk down together.
std::size_t TreeGrower::dropped_leaf(std::size_t r) {
    if (const std::uint8_t* known = leaves_of_rows_->dropped()) return known[r];
    const std::size_t lane = r % kWalks;
    if (lane == 0) {
        const std::size_t count = std::min(kWalks, window_->size() - r);
        WalkedRows x;
        Walks roots;
        GapSides gaps_left;
        roots.fill(dropped_->nodes.data());
        gaps_left.fill(dropped_->gaps_left.data());
        for (std::size_t k = 0; k < kWalks; ++k) {
            float* own = lanes_.data() + k * wide_;
            x[k] = own;
            if (k >= count) continue;
            for (const WindowNumber& number : window_->row(r + k))
                own[static_cast<std::size_t>(number.slot)] = number.value;
        }
        dropped_nodes_ =
            window_->any_gap() ? leaves_of<true>(roots, x, gaps_left) : leaves_of<false>(roots, x, gaps_left);
        for (std::size_t k = 0; k < count; ++k)
            for (const WindowNumber& number : window_->row(r + k))
                lanes_[k * wide_ + static_cast<std::size_t>(number.slot)] = 0.0f;
    }
    return dropped_->numbers[dropped_nodes_[lane]];
}

std::size_t TreeGrower::score_rows() {
    const Window& window = *window_;
    const bool drops = !dropped_->nodes.empty();
    const std::size_t each = (leaves_of_rows_->dropped() ? 20 : 40) + kClassCost * classes_;
    const std::size_t begin = cursor_, end = std::min(window.size(), cursor_ + 5 * kNumbersPerPiece / each + 1);
    if (classes_ > 0) find_gradients(begin, end);
    for (; cursor_ < end; ++cursor_) {
        order_[cursor_] = static_cast<std::uint32_t>(cursor_);
        if (classes_ > 0) continue;
        const double score = window.scores()[cursor_] - (drops ? dropped_->values[dropped_leaf(cursor_)] : 0.0);
        const double p = sigmoid(score), w = window.weight(cursor_) / mean_weight_;
        scores_[cursor_] = score;
        gradients_[cursor_] = {w * ((window.label(cursor_) > 0.0 ? 1.0 : 0.0) - p), w * (p * (1.0 - p))};
    }
    const std::size_t cost = each * (end - begin);
    if (cursor_ < window.size()) return cost;
    tree_.clear();
    tree_.grow();
    tree_.classes = classes_;
    grown_ = 1;
    small_ = large_ = 0;
    spare_.clear();
    Leaf& root = leaves_[0];
    root.node = root.begin = 0;
    root.end = window.size();
    root.total = {};
    root.clear(window.cells());
    stage_ = Stage::kHistogram;
    cursor_ = 0;
    return cost;
}

void TreeGrower::Leaf::clear(std::size_t count) {
    if (cells.size() != count + 8) {
        cells.assign(count + 8, {});
        filled.assign(count / 8 + 3, 0);
        return;
    }
    for (std::size_t b = 0; b <= count / 8; ++b) {
        if (filled[b] == 0) continue;
        std::fill_n(cells.begin() + static_cast<std::ptrdiff_t>(8 * b), 8, Sums{});
        filled[b] = 0;
    }
}

std::size_t TreeGrower::add_rows() {
    Leaf& leaf = leaves_[small_];
    Sums* cells = leaf.cells.data();
    std::uint8_t* filled = leaf.filled.data();
    std::size_t cost = 0;
    for (; cursor_ < leaf.end && cost < kNumbersPerPiece; ++cursor_) {
        const std::size_t r = order_[cursor_];
        if (cursor_ + 8 < leaf.end) {  // rows of a leaf are far apart
            window_->prefetch_place(order_[cursor_ + 8]);
            window_->prefetch_cells(order_[cursor_ + 4]);
        }
        const Sums add = gradients_[r];
        leaf.total += add;
        const auto own = window_->cells_of(r);
        for (const std::uint32_t cell : own) {
            cells[cell] += add;
            filled[cell / 8] = 1;
        }
        cost += 8 + own.size();
    }
    if (cursor_ == leaf.end) stage_ = Stage::kSearch;
    return cost;
}

std::size_t TreeGrower::search() {
    Leaf &small = leaves_[small_], &large = leaves_[large_];
    const std::size_t all = window_->cells();
    std::size_t cost = 1000 + 4 * all;
    find(small);
    if (small_ != large_) {
        for (std::size_t b = 0; b <= all / 8; ++b) {
            if (small.filled[b] == 0) continue;
            for (std::size_t c = 8 * b; c < 8 * b + 8; ++c) large.cells[c] -= small.cells[c];
        }
        large.total -= small.total;
        find(large);
        cost *= 2;
    }
    // A leaf that is not divided needs its cells no more, and they are at hand.
    if (!(large.gain > 0.0) && small_ != large_) spare_.push_back(large_);
    if (!(small.gain > 0.0)) spare_.push_back(small_);
    cost += large.rows();
    next();
    return cost;
}

void TreeGrower::find(Leaf& leaf) const {
    leaf.gain = 0.0;
    const double g = leaf.total.g, h = leaf.total.h;
    if (h < 2.0 * options_.least_curvature) return;
    const SplitRule rule{g, h, options_.lambda, options_.least_curvature, g * g / (h + options_.lambda)};
    const auto best_split = kernels().best_split;
    for (std::size_t f = 0; f < window_->features(); ++f) {
        const Window::Feature& feature = window_->feature(f);
        const std::size_t edges = feature.edges.size();
        if (feature.has_gap_cell()) {
            find_beside_gaps(leaf, f, rule);
        } else if (edges > 0 && best_split(&leaf.cells[0].g, leaf.filled.data(), feature.offset, edges, feature.zero,
                                           rule, &leaf.gain, &leaf.bin)) {
            leaf.feature = f;
            leaf.gaps = Gaps::kUnknown;
        }
    }
}

// Rows that lack the feature are tried right of every test, left of it, and alone. The cells of a side are those of its
// outermost bin, unless that is the bin of 0, which gets what the others leave.
void TreeGrower::find_beside_gaps(Leaf& leaf, std::size_t f, const SplitRule& rule) const {
    const Window::Feature& feature = window_->feature(f);
    const std::size_t edges = feature.edges.size();
    const Sums gap = leaf.cells[feature.gap_cell];
    const auto best_split = kernels().best_split;
    const auto take = [&](const Sums* cells, std::size_t first, std::size_t count, std::size_t zero, Gaps gaps) {
        if (!best_split(&cells->g, leaf.filled.data(), first, count, zero, rule, &leaf.gain, &leaf.bin)) return false;
        leaf.feature = f;
        leaf.gaps = gaps;
        return true;
    };
    Sums* cells = leaf.cells.data();
    const bool any = gap.h > kTie * rule.h;
    if (edges > 0 && !any) take(cells, feature.offset, edges, feature.zero, Gaps::kUnknown);
    if (!any) return;
    for (const Gaps side : {Gaps::kRight, Gaps::kLeft}) {
        if (edges == 0) break;
        const std::size_t outermost = side == Gaps::kRight ? edges : 0, own = feature.offset + outermost;
        const Sums before = cells[own];
        if (outermost != feature.zero) {
            cells[own] += gap;
            leaf.filled[own / 8] = 1;
        }
        take(cells, feature.offset, edges, feature.zero, side);
        cells[own] = before;
    }
    const std::array<Sums, 2> alone{Sums{}, gap};
    if (take(alone.data(), 0, 1, 0, Gaps::kRight)) leaf.bin = edges;
}

// Puts the rows of a leaf that its test sends left before the others; gives their number.
std::size_t TreeGrower::part(const Leaf& leaf) {
    const Window::Feature& feature = window_->feature(leaf.feature);
    std::uint32_t* own = order_.data() + leaf.begin;
    std::size_t left =
        kernels().part_rows(feature.bins.data(), static_cast<std::uint8_t>(leaf.bin), own, leaf.rows(), aside_.data());
    std::size_t right = leaf.rows() - left;
    if (leaf.gaps == Gaps::kLeft) {  // they were sent right: their bin is above all others
        const std::size_t all = right;
        right = 0;
        for (std::size_t k = 0; k < all; ++k) {
            const std::uint32_t r = aside_[k];
            if (feature.bins[r] == feature.gap_bin())
                own[left++] = r;
            else
                aside_[right++] = r;
        }
    }
    std::copy_n(aside_.begin(), right, own + left);
    return left;
}

// Splits the leaf of most gain, or ends the tree.
void TreeGrower::next() {
    std::size_t best = 0;
    for (std::size_t k = 1; k < grown_; ++k)
        if (leaves_[k].gain > leaves_[best].gain * (1.0 + kTie)) best = k;
    Leaf& leaf = leaves_[best];
    if (!(leaf.gain > 0.0) || grown_ == most_leaves(classes_)) {
        finish();
        return;
    }
    const Window::Feature& feature = window_->feature(leaf.feature);
    const std::size_t left = leaf.begin + part(leaf);
    const std::size_t child = tree_.nodes.size();
    tree_.nodes[leaf.node].test(leaf.feature, child,
                                leaf.bin < feature.edges.size() ? feature.edges[leaf.bin] : kAboveAll);
    const bool left_is_larger = left - leaf.begin > leaf.end - left && !feature.gaps_share();
    const bool gaps_left = leaf.gaps == Gaps::kUnknown ? left_is_larger : leaf.gaps == Gaps::kLeft;
    tree_.gaps_left[leaf.node] = gaps_left ? 1 : 0;
    tree_.grow();
    tree_.grow();
    // The child of fewer rows is summed up; the other, which keeps the cells, is what remains.
    Leaf& fresh = leaves_[grown_];
    if (!spare_.empty()) {
        fresh.swap_cells(leaves_[spare_.back()]);
        spare_.pop_back();
    }
    const bool first_is_small = left - leaf.begin <= leaf.end - left;
    const std::size_t middle = left, end = leaf.end, begin = leaf.begin, at = child;
    fresh.node = first_is_small ? at : at + 1;
    fresh.begin = first_is_small ? begin : middle;
    fresh.end = first_is_small ? middle : end;
    leaf.node = first_is_small ? at + 1 : at;
    leaf.begin = first_is_small ? middle : begin;
    leaf.end = first_is_small ? end : middle;
    fresh.total = {};
    fresh.clear(window_->cells());
    small_ = grown_++;
    large_ = best;
    cursor_ = fresh.begin;
    stage_ = Stage::kHistogram;
}

// Leaves get their numbers and rows know them; of two classes, steps as well.
void TreeGrower::finish() {
    tree_.number_leaves();
    tree_.values.resize(classes_ > 0 ? 0 : grown_);
    for (std::size_t l = 0; l < grown_; ++l) {
        const Leaf& leaf = leaves_[l];
        const std::uint32_t number = tree_.numbers[leaf.node];
        for (std::size_t j = leaf.begin; j < leaf.end; ++j) aside_[order_[j]] = number;
        if (classes_ > 0) continue;
        const double value =
            std::clamp(options_.rate * leaf.total.g / (leaf.total.h + options_.lambda), -kLargestStep, kLargestStep);
        tree_.values[number] = value;
        for (std::size_t j = leaf.begin; j < leaf.end; ++j) scores_[order_[j]] += value;
    }
    if (classes_ > 0)
        take_steps();
    else
        stage_ = Stage::kDone;
}

}  // namespace onlineboost
