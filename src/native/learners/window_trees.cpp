#include "learners/window_trees.hpp"

#include <algorithm>

#include "learners/tree_walk.hpp"

namespace onlineboost {

namespace {
constexpr std::uint64_t kFirst = 16;  // examples before the first tree
constexpr double kCaution = 1.2;      // on the cost of the tree before
}  // namespace

struct WindowTreesBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<float> x;
    double score = 0.0;
};

std::unique_ptr<Scratch> WindowTreesBank::make_scratch() const { return std::make_unique<Own>(layout); }

WindowTreesBank::WindowTreesBank(std::size_t trees, Options options)
    : Bank(trees), options_(options), window_(options.window, options.bytes), grower_(options.grower), trees_(trees),
      due_(kFirst) {
    for (WindowTree& tree : trees_) tree.nodes.reserve(2 * options.grower.leaves);
    dropped_.nodes.reserve(2 * options.grower.leaves);
}

void WindowTreesBank::score(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    const Row& row = *scratch.row;
    if (scratch.x.size() <= window_.features()) scratch.x.resize(window_.features() + 1);
    const auto each = [&](auto f) {
        for (std::size_t k = 0; k < row.size(); ++k)
            if (row.slots[k] != Features::kUnseen && static_cast<std::size_t>(row.slots[k]) < window_.features())
                scratch.x[static_cast<std::size_t>(row.slots[k])] = f(row.raw[k]);
    };
    each([](double value) { return Window::stored(value); });
    scratch.score = 0.0;
    static constexpr WindowTree::Node kNone{};
    std::array<const float*, kWalks> x;
    x.fill(scratch.x.data());
    for (std::size_t i = 0; i < layout.learners; i += kWalks) {
        std::array<const WindowTree::Node*, kWalks> roots;
        for (std::size_t k = 0; k < kWalks; ++k) {
            const bool is_there = i + k < layout.learners && !trees_[i + k].nodes.empty();
            roots[k] = is_there ? trees_[i + k].nodes.data() : &kNone;
        }
        const auto leaves = leaves_of(roots, x);
        for (std::size_t k = 0; k < std::min(kWalks, layout.learners - i); ++k) {
            scratch.h[i + k] = leaves[k]->value;
            scratch.score += leaves[k]->value;
        }
    }
    each([](double) { return 0.0f; });
}

void WindowTreesBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    const std::size_t rows = std::min(window_.size() + window_.waiting() + 1, options_.window);
    const std::size_t features = window_.features() + fresh.size();
    window_.make_room(rows, features, scratch.row->size());
    grower_.make_room(rows, features);
}

void WindowTreesBank::meet(Scratch&, const std::vector<FeatureId>& ids, std::size_t) { window_.meet(ids.size()); }

// A row that is met and not taught, as by a generation that rests, is not kept.
void WindowTreesBank::update(Scratch& scratch, double y, const double* w) {
    window_.wait(*scratch.row, static_cast<Own&>(scratch).score);
    WindowRow& row = window_.last();
    row.y = y;
    row.weight = std::max(w[0], 0.0);
    ++learned_;
    work();
}

double WindowTreesBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    const double weight = w * times;
    if (i == 0 && weight > 0.0) update(scratch, y, &weight);
    return scratch.h[i];
}

// The part of the tree's cost that falls to this example; all that is left when the tree is due.
void WindowTreesBank::work() {
    if (learned_ < due_) {
        const double share = (kCaution * (expected_ + extra_) - spent_) / static_cast<double>(due_ - learned_ + 1);
        double done = 0.0;
        while (done < share && !grower_.done()) done += static_cast<double>(grower_.piece());
        spent_ += done;
        return;
    }
    if (learned_ > kFirst) {
        while (!grower_.done()) spent_ += static_cast<double>(grower_.piece());
        expected_ = std::max(spent_ - extra_, 0.0);
        std::copy_n(grower_.scores(), window_.size(), window_.scores().begin());
        WindowTree& place = trees_[static_cast<std::size_t>(grown_ % trees_.size())];
        for (std::size_t k = 0; k < window_.waiting(); ++k)
            window_.waiting(k).score += grower_.value(window_.waiting(k));
        std::swap(dropped_.nodes, place.nodes);
        place.nodes.assign(grower_.tree().nodes.begin(), grower_.tree().nodes.end());
        ++grown_;
    }
    window_.admit(options_.seed, admitted_);
    new_bins_ = admitted_ - binned_ >= std::min<std::uint64_t>(binned_, options_.window);
    if (new_bins_) binned_ = admitted_;
    due_ =
        learned_ + (options_.every > 0 ? options_.every : std::max<std::uint64_t>(1, window_.size() / options_.visits));
    begin();
}

void WindowTreesBank::begin() {
    grower_.begin(window_, &dropped_, new_bins_);
    extra_ = new_bins_ ? grower_.cost_of_bins() : 0.0;
    spent_ = 0.0;
}

void WindowTreesBank::serialise_trees(Archive& archive, std::size_t features) {
    std::vector<std::int64_t> sizes, tests, lefts;
    std::vector<double> thresholds, values;
    const auto each = [&](auto f) {
        for (WindowTree& tree : trees_) f(tree);
        f(dropped_);
    };
    each([&](WindowTree& tree) {
        sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
        for (const WindowTree::Node& node : tree.nodes) {
            tests.push_back(node.feature);
            lefts.push_back(node.left);
            thresholds.push_back(static_cast<double>(node.threshold));
            values.push_back(node.value);
        }
    });
    archive.integers("window_tree_sizes", sizes);
    archive.integers("window_tests", tests);
    archive.integers("window_lefts", lefts);
    const std::size_t n = tests.size();
    thresholds.resize(n);
    values.resize(n);
    archive.numbers("window_thresholds", thresholds.data(), n, -1e31, 1e31);
    archive.numbers("window_steps", values.data(), n, -1.0, 1.0);
    if (!archive.loading()) return;
    Archive::check(sizes.size() == trees_.size() + 1 && lefts.size() == n, "window_tree_sizes");
    std::size_t at = 0, k = 0;
    each([&](WindowTree& tree) {
        const std::int64_t size = sizes[k++];
        Archive::check(size >= 0 && static_cast<std::uint64_t>(size) <= std::min(n - at, 2 * options_.grower.leaves),
                       "window_tree_sizes");
        tree.nodes.clear();
        for (std::int64_t j = 0; j < size; ++j, ++at) {
            const bool leaf = tests[at] == -1;
            Archive::check(leaf || (tests[at] >= 0 && static_cast<std::uint64_t>(tests[at]) < features),
                           "window_tests");
            Archive::check(leaf ? lefts[at] == 0 : lefts[at] > j && lefts[at] + 1 < size, "window_lefts");
            tree.nodes.push_back({static_cast<std::int32_t>(tests[at]), static_cast<std::int32_t>(lefts[at]),
                                  static_cast<float>(thresholds[at]), values[at]});
        }
    });
    Archive::check(at == n, "window_tree_sizes");
}

// A tree that is half grown is not saved: it is grown again, from the same rows, and is due at the same example.
void WindowTreesBank::serialise(Archive& archive, const std::vector<FeatureId>& ids) {
    archive.counter("window_learned", learned_);
    archive.counter("window_admitted", admitted_);
    archive.counter("window_due", due_);
    archive.counter("window_binned", binned_);
    archive.counter("window_trees_grown", grown_);
    std::uint64_t new_bins = new_bins_ ? 1 : 0;
    archive.counter("window_new_bins", new_bins);
    window_.serialise(archive, ids.size(), new_bins == 0);
    serialise_trees(archive, ids.size());
    if (!archive.loading()) return;
    Archive::check(admitted_ <= learned_ && window_.size() <= std::min<std::uint64_t>(admitted_, options_.window) &&
                       (window_.size() > 0) == (admitted_ > 0) && window_.waiting() == learned_ - admitted_,
                   "window_admitted");
    Archive::check(due_ > learned_ && due_ <= learned_ + 2 * Archive::kLargestCount / 4, "window_due");
    Archive::check(binned_ <= admitted_, "window_binned");
    new_bins_ = new_bins != 0;
    expected_ = 0.0;
    if (admitted_ == 0) return;
    window_.make_room(window_.size(), ids.size(), 0);
    grower_.make_room(window_.size(), ids.size());
    begin();
    expected_ = 100.0 * static_cast<double>(window_.size());
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
                           p.number("least_curvature")}});
}

}  // namespace onlineboost
