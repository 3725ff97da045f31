#include "learners/window_trees.hpp"

#include <algorithm>

#include "engine/math.hpp"
#include "kernels/kernels.hpp"
#include "learners/tree_walk.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kFirst = 16;   // examples before the first tree
constexpr std::uint64_t kDoubt = 4;    // 1 to so many against a class that begins
constexpr double kCaution = 1.2;       // on the cost of the tree before
constexpr double kWorthAThread = 1e5;  // of it: handing a tree over takes some microseconds
}  // namespace

struct WindowTreesBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<float> x;
    std::vector<std::uint8_t> leaves;  // of each tree, if they are kept
    double score = 0.0;
    std::vector<double> scores;        // of many classes,
    std::vector<const double*> steps;  // and of the leaves
};

std::unique_ptr<Scratch> WindowTreesBank::make_scratch() const { return std::make_unique<Own>(layout); }

WindowTreesBank::WindowTreesBank(std::size_t trees, Options options)
    : Bank(options.many ? 1 : trees), options_(options), leaf_table_(trees, options.grower.leaves, options.window),
      window_(options.window, options.bytes, options.grower.bins, leaf_table_.bytes_per_row(), options.sides),
      grower_(options.grower), trees_(trees), due_(kFirst) {
    for (WindowTree& tree : trees_) tree.reserve(options.grower.leaves);
    dropped_.reserve(options.grower.leaves);
}

// Calls f with the number and the leaf of every tree, in their order.
template <class F>
void WindowTreesBank::each_leaf(Own& scratch, F f) const {
    const Row& row = *scratch.row;
    if (scratch.x.size() <= window_.features()) scratch.x.resize(window_.features() + 1);
    const auto put = [&](std::size_t k, float value) {
        if (row.slots[k] != Features::kUnseen && static_cast<std::size_t>(row.slots[k]) < window_.features())
            scratch.x[static_cast<std::size_t>(row.slots[k])] = value;
    };
    for (std::size_t k = 0; k < row.size(); ++k) put(k, Window::stored(row.raw[k]));
    if (row.gaps.empty() || !window_.sides()) {
        walk<false>(scratch, f);
    } else {
        for (const std::uint32_t k : row.gaps) put(k, std::numeric_limits<float>::quiet_NaN());
        walk<true>(scratch, f);
    }
    for (std::size_t k = 0; k < row.size(); ++k) put(k, 0.0f);
}

template <bool kGaps, class F>
void WindowTreesBank::walk(Own& scratch, F f) const {
    scratch.leaves.resize(trees_.size());
    static constexpr WindowTree::Node kNone{};
    static constexpr std::uint8_t kStays = 1;
    WalkedRows x;
    x.fill(scratch.x.data());
    for (std::size_t i = 0; i < trees_.size(); i += kWalks) {
        Walks roots;
        GapSides gaps_left;
        for (std::size_t k = 0; k < kWalks; ++k) {
            const bool is_there = i + k < trees_.size() && !trees_[i + k].nodes.empty();
            roots[k] = is_there ? trees_[i + k].nodes.data() : &kNone;
            gaps_left[k] = is_there ? trees_[i + k].gaps_left.data() : &kStays;
        }
        const auto nodes = leaves_of<kGaps>(roots, x, gaps_left);
        for (std::size_t k = 0; k < std::min(kWalks, trees_.size() - i); ++k) {
            if (roots[k] == &kNone) continue;
            const std::size_t leaf = trees_[i + k].numbers[nodes[k]];
            scratch.leaves[i + k] = static_cast<std::uint8_t>(leaf);
            f(i + k, leaf);
        }
    }
}

void WindowTreesBank::score(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    scratch.score = 0.0;
    std::fill_n(scratch.h.begin(), trees_.size(), 0.0);
    each_leaf(scratch, [&](std::size_t i, std::size_t leaf) {
        scratch.h[i] = trees_[i].values[leaf];
        scratch.score += scratch.h[i];
    });
}

void WindowTreesBank::score_classes(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    scratch.scores = first_;
    scratch.steps.clear();
    scratch.steps.reserve(trees_.size());
    std::size_t classes = 0;  // of the trees in `steps`
    const auto add = [&] {
        kernels().add_leaves(scratch.steps.data(), scratch.steps.size(), scratch.scores.data(), classes);
        scratch.steps.clear();
    };
    // Leaves lie anywhere in memory: all are asked for before the first is needed.
    each_leaf(scratch, [&](std::size_t i, std::size_t leaf) {
        if (trees_[i].classes != classes) add();
        classes = trees_[i].classes;
        scratch.steps.push_back(trees_[i].steps.data() + leaf * classes);
        for (std::size_t k = 0; k < classes; k += 8) __builtin_prefetch(scratch.steps.back() + k);
    });
    add();
    scratch.clear_shares(first_.size());
    const double most = first_.empty() ? 0.0 : *std::max_element(scratch.scores.begin(), scratch.scores.end());
    double total = 0.0;
    for (std::size_t k = 0; k < first_.size(); ++k)
        total += scratch.shares[k][0] = math::exp_fixed(std::max(scratch.scores[k] - most, -700.0));
    for (std::size_t k = 0; k < first_.size(); ++k) scratch.shares[k][0] /= total;
}

void WindowTreesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    const std::size_t features = window_.features() + fresh.size();
    const std::size_t classes = options_.many ? std::max(first_.size(), scratch.label + 1) : 0;
    const std::size_t count = scratch.row->size();
    if (!window_.has_room(features, classes, count)) make_room_for(features, classes, count);
    window_.make_room_to_wait(classes, count);
    leaf_table_.make_room_to_wait(window_.waiting() + 1);
    if (options_.many) static_cast<Own&>(scratch).scores.reserve(classes);
}

void WindowTreesBank::make_room_for(std::size_t features, std::size_t classes, std::size_t count) {
    settle();
    const std::size_t room = window_.room_to_make();
    grower_.make_room(room, features, classes);
    leaf_table_.make_room(room);
    onlineboost::make_room(first_, classes);
    window_.make_room(features, classes, count);
}

void WindowTreesBank::meet(Scratch&, const std::vector<FeatureId>& ids, std::size_t) {
    if (ids.size() == window_.features()) return;
    settle();
    window_.meet(ids.size());
}

// A row that is met and not taught, as by a generation that rests, is not kept.
void WindowTreesBank::update(Scratch& scratch, double y, const double* w) {
    auto& own = static_cast<Own&>(scratch);
    window_.wait(*scratch.row, own.score);
    leaf_table_.wait(own.leaves.data());
    WaitingRow& row = window_.last();
    row.y = y;
    row.weight = std::max(w[0], 0.0);
    ++learned_;
    work(std::max(scratch.threads - 1, scratch.beside));
}

void WindowTreesBank::update_class(Scratch& outer, const double* w) {
    auto& scratch = static_cast<Own&>(outer);
    if (scratch.label == first_.size()) {
        const auto known = static_cast<double>(std::min(learned_ + 1, kDoubt));
        first_.push_back(first_.size() < 2 ? 0.0 : -math::log_fixed(known));
        window_.begin_class(first_.back());
        scratch.scores.push_back(first_.back());
    }
    window_.wait(*scratch.row, scratch.scores);
    leaf_table_.wait(scratch.leaves.data());
    window_.last().y = static_cast<double>(scratch.label);
    window_.last().weight = std::max(w[0], 0.0);
    ++learned_;
    work(std::max(scratch.threads - 1, scratch.beside));
}

double WindowTreesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    const double weight = w * times;
    if (i == 0 && weight > 0.0) update(scratch, y, &weight);
    return scratch.h[i];
}

// The tree at work is the caller's: what a thread has begun of it, it has done. A forked child grows it again.
void WindowTreesBank::settle() {
    if (!task_.stop()) begin();
}

// The part of the tree's cost that falls to this example; all that is left when the tree is due. Or a thread does it.
void WindowTreesBank::work(std::size_t beside) {
    if (learned_ < due_ && beside > 0 && expected_ + extra_ > kWorthAThread) {
        if (task_.rests() && !grower_.done()) {
            const auto piece = [](void* bank) {
                auto& own = *static_cast<WindowTreesBank*>(bank);
                own.do_piece();
                return !own.grower_.done();
            };
            task_.start(beside, piece, this);
        }
        return;
    }
    settle();
    if (learned_ < due_) {
        const double share = (kCaution * (expected_ + extra_) - spent_) / static_cast<double>(due_ - learned_ + 1);
        for (const double enough = spent_ + share; spent_ < enough && !grower_.done();) do_piece();
        return;
    }
    if (learned_ > kFirst) {
        while (!grower_.done()) do_piece();
        expected_ = std::max(spent_ - extra_, 0.0);
        take_tree();
    }
    const auto places = window_.admit(options_.seed, admitted_);
    leaf_table_.admit(places, window_.size());
    new_bins_ = admitted_ - binned_ >= std::min<std::uint64_t>(binned_, options_.window);
    if (new_bins_) binned_ = admitted_;
    tree_classes_ = first_.size();
    due_ =
        learned_ + (options_.every > 0 ? options_.every : std::max<std::uint64_t>(1, window_.size() / options_.visits));
    begin();
}

// The tree is grown: it takes the place of the oldest, which the next begins without.
void WindowTreesBank::take_tree() {
    WindowTree& place = trees_[static_cast<std::size_t>(grown_ % trees_.size())];
    if (options_.many)
        for (std::size_t c = 0; c < tree_classes_; ++c) window_.scores(c).swap(grower_.scores(c));
    else
        std::copy_n(grower_.scores(), window_.size(), window_.scores().begin());
    leaf_table_.take(static_cast<std::size_t>(grown_ % trees_.size()), grower_.leaves());
    for (std::size_t k = 0; k < window_.waiting(); ++k) {
        WaitingRow& row = window_.waiting(k);
        const std::size_t leaf = grower_.leaf(row.numbers);
        leaf_table_.take_waiting(k, leaf);
        if (options_.many)
            grower_.tree().add(leaf, row.scores.data());
        else
            row.score += grower_.tree().values[leaf];
    }
    dropped_.swap(place);
    place.swap(grower_.tree());
    ++grown_;
}

void WindowTreesBank::begin() {
    grower_.begin(window_, &dropped_, leaf_table_, new_bins_, static_cast<std::size_t>(tree_classes_), options_.seed,
                  grown_);
    extra_ = new_bins_ ? grower_.cost_of_bins() : 0.0;
    spent_ = 0.0;
}

std::string WindowTreesBank::limit() const {
    return "a window of " + std::to_string(options_.window) + " rows takes at most " + std::to_string(most_features()) +
           " features, and these rows bring more: take a smaller window";
}

std::unique_ptr<Bank> WindowTreesBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<WindowTreesBank>(
        learners, Options{p.count("window"),
                          p.count("max_bytes"),
                          p.whole("every"),
                          p.whole("visits"),
                          p.whole("seed"),
                          {p.count("max_leaves"), p.number("learning_rate"), p.number("regularization"),
                           p.number("least_curvature"), p.count("max_bins"), p.has("crowd") ? p.count("crowd") : 0},
                          p.flag("sides"),
                          p.many_classes()});
}

}  // namespace onlineboost
