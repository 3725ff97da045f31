// The state of window trees, of two classes and of many.
#include <algorithm>

#include "learners/window_trees.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestFirst = 100.0;
}

// `classes` is 0 for two.
void WindowTreesBank::serialise_trees(Archive& archive, std::size_t features, std::size_t classes) {
    std::vector<std::int64_t> sizes, tests, lefts, gaps_left;
    std::vector<double> thresholds, values;
    const auto each = [&](auto f) {
        for (WindowTree& tree : trees_) f(tree);
        f(dropped_);
    };
    each([&](WindowTree& tree) {
        sizes.push_back(static_cast<std::int64_t>(tree.nodes.size()));
        for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
            const WindowTree::Node& node = tree.nodes[k];
            if (!node.leaf() && tree.gaps_left[k] != 0) gaps_left.push_back(static_cast<std::int64_t>(tests.size()));
            tests.push_back(node.leaf() ? -1 : static_cast<std::int64_t>(node.feature()));
            lefts.push_back(node.leaf() ? 0 : static_cast<std::int64_t>(node.left()));
            thresholds.push_back(node.leaf() ? 0.0 : static_cast<double>(node.threshold));
            values.push_back(node.leaf() && classes == 0 ? tree.values[tree.numbers[k]] : 0.0);
        }
    });
    archive.integers("window_tree_sizes", sizes);
    archive.integers("window_tests", tests);
    archive.integers("window_lefts", lefts);
    if (options_.sides) archive.integers("window_gaps_left", gaps_left);
    const std::size_t n = tests.size();
    thresholds.resize(n);
    values.resize(n);
    archive.numbers("window_thresholds", thresholds.data(), n, -1e31, 1e31);
    if (classes == 0) archive.numbers("window_steps", values.data(), n, -1.0, 1.0);
    if (!archive.loading()) {
        if (classes > 0) serialise_steps(archive, classes);
        return;
    }
    Archive::check(sizes.size() == trees_.size() + 1 && lefts.size() == n, "window_tree_sizes");
    std::size_t at = 0, k = 0;
    auto gap_left = gaps_left.begin();
    each([&](WindowTree& tree) {
        const std::int64_t size = sizes[k++];
        Archive::check(size >= 0 && static_cast<std::uint64_t>(size) <= std::min(n - at, 2 * options_.grower.leaves) &&
                           features <= WindowTree::kMostFeatures,
                       "window_tree_sizes");
        tree.clear();
        tree.values.clear();
        for (std::int64_t j = 0; j < size; ++j, ++at) {
            const bool leaf = tests[at] == -1;
            Archive::check(leaf || (tests[at] >= 0 && static_cast<std::uint64_t>(tests[at]) < features),
                           "window_tests");
            Archive::check(leaf ? lefts[at] == 0 : lefts[at] > j && lefts[at] + 1 < size, "window_lefts");
            tree.grow();
            if (leaf) {
                tree.values.push_back(values[at]);
                continue;
            }
            tree.nodes.back().test(static_cast<std::size_t>(tests[at]), static_cast<std::size_t>(lefts[at]),
                                   static_cast<float>(thresholds[at]));
            const bool left = gap_left != gaps_left.end() && *gap_left == static_cast<std::int64_t>(at);
            tree.gaps_left.back() = left ? 1 : 0;
            gap_left += left ? 1 : 0;
        }
        tree.number_leaves();
        Archive::check(tree.values.size() == tree.leaves(), "window_tests");  // each test has two nodes of its own
    });
    Archive::check(at == n, "window_tree_sizes");
    Archive::check(gap_left == gaps_left.end(), "window_gaps_left");
    if (classes > 0) serialise_steps(archive, classes);
}

// Of many classes: for each class a step per leaf of all trees, in the order of their nodes; 0 in a tree that is older
// than the class.
void WindowTreesBank::serialise_steps(Archive& archive, std::size_t classes) {
    std::vector<WindowTree*> all;
    for (WindowTree& tree : trees_) all.push_back(&tree);
    all.push_back(&dropped_);
    std::vector<std::int64_t> known;
    std::size_t leaves = 0;
    for (WindowTree* tree : all) {
        known.push_back(static_cast<std::int64_t>(tree->classes));
        leaves += tree->leaves();
    }
    archive.integers("window_tree_classes", known);
    Archive::check(known.size() == all.size(), "window_tree_classes");
    std::vector<std::vector<double>> steps;
    for (std::size_t c = 0; c < classes; ++c) {
        std::vector<double>& own = steps.emplace_back();
        own.reserve(leaves);
        if (!archive.loading())
            for (const WindowTree* tree : all)
                for (std::size_t l = 0; l < tree->leaves(); ++l)
                    own.push_back(c < tree->classes ? tree->steps[l * tree->classes + c] : 0.0);
        own.resize(leaves);
        PrefixedArchive named(archive, "class" + std::to_string(c) + ".");
        static_cast<Archive&>(named).numbers("window_steps", own.data(), leaves, -1.0, 1.0);
        if (!archive.loading()) own = {};
    }
    if (!archive.loading()) return;
    std::size_t at = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        WindowTree& tree = *all[i];
        Archive::check(known[i] >= 0 && static_cast<std::uint64_t>(known[i]) <= classes, "window_tree_classes");
        Archive::check((known[i] > 0) == !tree.nodes.empty(), "window_tree_classes");
        tree.classes = static_cast<std::size_t>(known[i]);
        tree.steps.clear();
        for (std::size_t l = 0; l < tree.leaves(); ++l, ++at)
            for (std::size_t c = 0; c < tree.classes; ++c) tree.steps.push_back(steps[c][at]);
    }
}

// A tree that is half grown is not saved: it is grown again, from the same rows, and is due at the same example.
void WindowTreesBank::save(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    settle();
    archive.counter("window_learned", learned_);
    archive.counter("window_admitted", admitted_);
    archive.counter("window_due", due_);
    archive.counter("window_binned", binned_);
    archive.counter("window_trees_grown", grown_);
    std::uint64_t new_bins = new_bins_ ? 1 : 0;
    archive.counter("window_new_bins", new_bins);
    if (classes > 0) {
        archive.counter("window_present_classes", tree_classes_);
        Archive::check(tree_classes_ <= classes, "window_present_classes");
        first_.resize(classes);
        archive.numbers("window_first_scores", first_.data(), classes, -kLargestFirst, 0.0);
    }
    window_.serialise(archive, ids.size(), new_bins == 0, classes);
    serialise_trees(archive, ids.size(), classes);
    if (!archive.loading()) return;
    Archive::check(admitted_ <= learned_ && window_.size() <= std::min<std::uint64_t>(admitted_, options_.window) &&
                       (window_.size() > 0) == (admitted_ > 0) && window_.waiting() == learned_ - admitted_,
                   "window_admitted");
    Archive::check(due_ > learned_ && due_ <= learned_ + 2 * Archive::kLargestCount / 4, "window_due");
    Archive::check(binned_ <= admitted_, "window_binned");
    for (std::size_t r = 0; classes > 0 && r < window_.size(); ++r)
        Archive::check(window_.label(r) < static_cast<double>(tree_classes_), "window_labels");
    new_bins_ = new_bins != 0;
    go_on(ids.size());
}

void WindowTreesBank::go_on(std::size_t features) {
    expected_ = 0.0;
    leaf_table_.forget(window_.waiting());
    if (admitted_ == 0) return;
    make_room_for(features, first_.size(), 0);
    leaf_table_.make_room_to_wait(window_.waiting());
    begin();
    expected_ = 100.0 * static_cast<double>(window_.size());
}

void WindowTreesBank::serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) {
    save(archive, ids, classes);
}

// Half of a step in log-odds is that of the first class, and less that half the second's: they say what they said.
void WindowTreesBank::adopt(Archive& archive, const std::vector<FeatureId>& ids) {
    save(archive, ids, 0);
    window_.widen();
    first_.assign(2, 0.0);
    const auto widen = [](WindowTree& tree) {
        tree.classes = tree.nodes.empty() ? 0 : 2;
        tree.steps.clear();
        for (const double value : tree.values) tree.steps.insert(tree.steps.end(), {0.5 * value, -0.5 * value});
        tree.values.clear();
    };
    for (WindowTree& tree : trees_) widen(tree);
    widen(dropped_);
    if (admitted_ > 0) tree_classes_ = 2;
    go_on(ids.size());
}

}  // namespace onlineboost
