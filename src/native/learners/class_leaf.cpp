#include "learners/class_leaf.hpp"

#include <algorithm>
#include <limits>

#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kNoBorder = std::numeric_limits<double>::infinity();
}

std::size_t ClassLeaf::add_class(std::uint32_t id, double before, double own) {
    if (padded(ids_.size() + 1) > width_) widen_classes(ids_.size() + 1);
    ids_.push_back(id);
    before_.push_back(before);
    own_.push_back(own);
    return ids_.size() - 1;
}

void ClassLeaf::widen_classes(std::size_t classes) {
    const std::size_t width = padded(classes);
    std::vector<float> wider;
    wider.reserve(std::max(weights_.capacity() / std::max<std::size_t>(width_, 1), cells_) * width);
    wider.resize(cells_ * width, 0.0f);
    for (std::size_t k = 0; k < cells_; ++k)
        std::copy_n(weights_.data() + k * width_, width_, wider.data() + k * width);
    weights_.swap(wider);
    width_ = width;
}

std::size_t ClassLeaf::majority() const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < ids_.size(); ++c)
        if (sum(c) > sum(best)) best = c;
    return best;
}

double ClassLeaf::total() const {
    double all = 0.0;
    for (const double w : own_) all += w;
    return all;
}

double ClassLeaf::weight() const {
    double all = 0.0;
    for (std::size_t c = 0; c < ids_.size(); ++c) all += sum(c);
    return all;
}

std::size_t ClassLeaf::rank_of(const Feature& feature, double v) const {
    const double* borders = borders_.data() + feature.start;
    const std::size_t below = kernels().count_at_most(borders, feature.room, v);
    std::size_t k = below > 0 ? below - 1 : 0;
    if (v > 0.0 && borders[k] < 0.0 && k + 1u < feature.cells) ++k;
    return k;
}

ClassLeaf::Target ClassLeaf::target(std::int32_t slot, double v, std::size_t bins, std::size_t guess) const {
    const bool guessed = guess < features_.size() && features_[guess].slot == slot;
    const std::int32_t found = guessed ? static_cast<std::int32_t>(guess) : find(slot);
    if (found < 0) return {kAbsent, kAbsent};
    const Feature& feature = features_[static_cast<std::size_t>(found)];
    const std::size_t k = rank_of(feature, v);
    const bool fits = feature.cells >= bins || border(feature, k) == v;
    const auto at = static_cast<std::int32_t>(cell(feature, k));
    return {found, fits ? at : -1 - at};
}

void ClassLeaf::rehash(std::size_t features) {
    std::size_t size = 8;
    while (size < 2 * features) size *= 2;
    if (size <= table_.size()) return;
    table_.assign(size, -1);
    shift_ = 32;
    for (std::size_t s = size; s > 1; s /= 2) --shift_;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        std::size_t at = place(features_[f].slot);
        while (table_[at] >= 0) at = (at + 1) & (size - 1);
        table_[at] = static_cast<std::int32_t>(f);
    }
}

void ClassLeaf::make_room(std::size_t classes) {
    onlineboost::make_room(ids_, classes);
    onlineboost::make_room(before_, classes);
    onlineboost::make_room(own_, classes);
}

void ClassLeaf::make_room(bool fresh_class, std::size_t features, std::size_t widened, std::size_t bins) {
    if (fresh_class) {
        const std::size_t classes = ids_.size() + 1;
        make_room(classes);
        if (padded(classes) > width_) widen_classes(classes);
    }
    if (features + widened == 0) return;
    const std::size_t cells = cells_ + features + bins * widened;
    onlineboost::make_room(features_, features_.size() + features);
    onlineboost::make_room(borders_, cells);
    onlineboost::make_room(ranks_, cells);
    onlineboost::make_room(weights_, cells * width_);
    rehash(features_.size() + features);
}

ClassLeaf::Feature& ClassLeaf::add(std::int32_t slot) {
    rehash(features_.size() + 1);
    std::size_t at = place(slot);
    while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<std::int32_t>(features_.size());
    features_.push_back({slot, static_cast<std::uint32_t>(cells_), 0, 1});
    borders_.resize(++cells_, kNoBorder);
    ranks_.resize(cells_, 0);
    weights_.resize(cells_ * width_, 0.0f);
    return features_.back();
}

// A second value asks for room for all bins at once; the place of the first cell stays unused.
void ClassLeaf::widen(Feature& feature, std::size_t bins) {
    const std::size_t old = feature.start;
    feature.start = static_cast<std::uint32_t>(cells_);
    feature.room = static_cast<std::uint16_t>(bins);
    cells_ += bins;
    borders_.resize(cells_, kNoBorder);
    ranks_.resize(cells_, 0);
    weights_.resize(cells_ * width_, 0.0f);
    borders_[feature.start] = borders_[old];
    std::copy_n(weights_.data() + old * width_, width_, weights_.data() + feature.start * width_);
}

bool ClassLeaf::learn(const Target& target, std::int32_t slot, double v, std::size_t c, double w, std::size_t bins,
                      std::size_t left) {
    const auto affordable = [&](std::size_t features, std::size_t cells) {
        return bytes_of(ids_.size(), features_.size() + features, cells_ + cells) - bytes() <= left;
    };
    if (target.feature < 0) {
        if (!affordable(1, 1)) return false;
        Feature& feature = add(slot);
        feature.cells = 1;
        borders_[feature.start] = v;
        learn_known(static_cast<std::int32_t>(feature.start), c, w);
        return true;
    }
    Feature& feature = features_[static_cast<std::size_t>(target.feature)];
    if (feature.cells == feature.room) {
        if (!affordable(0, bins)) {
            learn_known(static_cast<std::int32_t>(target.counting()), c, w);
            return false;
        }
        widen(feature, bins);
    }
    double* borders = borders_.data() + feature.start;
    std::uint16_t* ranks = ranks_.data() + feature.start;
    const std::uint16_t count = feature.cells++;
    std::size_t k = count;
    for (; k > 0 && borders[k - 1] > v; --k) {
        borders[k] = borders[k - 1];
        ranks[k] = ranks[k - 1];
    }
    borders[k] = v;
    ranks[k] = count;
    learn_known(static_cast<std::int32_t>(feature.start + count), c, w);
    return true;
}

bool ClassLeaf::restore(std::int32_t slot, const double* borders, const double* weights, std::size_t cells,
                        std::size_t bins) {
    if (find(slot) >= 0) return false;
    Feature& feature = add(slot);
    if (cells > 1) widen(feature, bins);
    feature.cells = static_cast<std::uint16_t>(cells);
    std::copy_n(borders, cells, borders_.data() + feature.start);
    for (std::size_t k = 0; k < cells; ++k) {
        ranks_[feature.start + k] = static_cast<std::uint16_t>(k);
        for (std::size_t c = 0; c < ids_.size(); ++c)
            weights_[(feature.start + k) * width_ + c] = static_cast<float>(weights[k * ids_.size() + c]);
    }
    return true;
}

void ClassLeaf::clear_statistics() {
    for (std::size_t c = 0; c < ids_.size(); ++c) {
        before_[c] += own_[c];
        own_[c] = 0.0;
    }
    features_ = {};
    borders_ = {};
    ranks_ = {};
    weights_ = {};
    table_ = {};
    cells_ = 0;
    shift_ = 32;
}

}  // namespace onlineboost
