#include "learners/class_tree_bank.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {

constexpr std::uint64_t kReviewEvery = 4096;  // rounds, once memory has been short
constexpr std::size_t kNodeBytes = 2 * (sizeof(Tree::Node) + 200);
constexpr std::size_t kAhead = 3;  // trees
constexpr std::size_t kWalks = 8;  // trees

}  // namespace

ClassTreeBank::ClassTreeBank(std::size_t learners, TreeBank::Growth growth, HoeffdingTreeBank::Options options)
    : ClassBank(learners), growth_(growth), options_(options), trees_(learners), cut_(~std::uint64_t{0}),
      nodes_(learners) {
    if (growth_.share < 1.0) cut_ = static_cast<std::uint64_t>(growth_.share * 0x1p64);
    if (options_.resample > 0.0) {
        double p = math::exp_fixed(-options_.resample), cumulated = p;
        for (unsigned k = 1; k <= 1000; ++k) {
            poisson_.push_back(cumulated);
            p *= options_.resample / k;
            cumulated += p;
        }
    }
    for (std::size_t cells = 0; cells <= growth_.bins; ++cells) pseudo_.push_back(1.0 / static_cast<double>(cells + 1));
    for (std::size_t i = 0; i < learners; ++i) {
        trees_[i].nodes.emplace_back();
        begin(i, trees_[i].leaves.emplace_back(), 0, 0);
    }
}

std::unique_ptr<Bank> ClassTreeBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<ClassTreeBank>(learners, TreeBank::Growth::from(p), HoeffdingTreeBank::Options::from(p));
}

std::unique_ptr<Scratch> ClassTreeBank::make_scratch() const { return std::make_unique<Own>(layout); }

void ClassTreeBank::begin(std::size_t i, Leaf& leaf, std::uint32_t node, std::uint32_t depth) const {
    leaf.node = node;
    leaf.depth = depth;
    leaf.key = hash64(growth_.seed, Purpose::kFeatures, i, growth_.per_tree ? 0 : node);
}

// ---- what a row says ---------------------------------------------------------------------------------------------

void ClassTreeBank::locate(Own& own) const {
    const Row& row = *own.row;
    for (const std::int32_t t : own.tested) own.spread[static_cast<std::size_t>(t)] = 0.0;
    own.tested.clear();
    own.tested.reserve(row.size());
    if (own.spread.size() < tests_.size()) own.spread.resize(tests_.size(), 0.0);
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (row.slots[k] == Features::kUnseen) continue;
        const std::int32_t t = test_of_slot_[static_cast<std::size_t>(row.slots[k])];
        if (t < 0) continue;
        own.spread[static_cast<std::size_t>(t)] = row.raw[k];
        own.tested.push_back(t);
    }
    for (const std::int32_t slot : own.placed) own.row_places[static_cast<std::size_t>(slot)] = -1;
    own.placed.clear();
    own.placed.reserve(row.size());
    if (own.row_places.size() < test_of_slot_.size()) own.row_places.resize(test_of_slot_.size(), -1);
    own.in_order = true;
    for (std::size_t k = 0; k < row.size(); ++k) {
        if (row.slots[k] == Features::kUnseen) continue;
        own.in_order &= own.placed.empty() || own.placed.back() < row.slots[k];
        own.row_places[static_cast<std::size_t>(row.slots[k])] = static_cast<std::int32_t>(k);
        own.placed.push_back(row.slots[k]);
    }
    own.places.resize(layout.learners);
    own.bayes.resize(layout.learners);
    own.cells.resize(layout.learners);
    own.found.resize(layout.learners * row.size());
    // Several trees at a time: while one walk waits for memory the others go on.
    const onlineboost::Tree::Node* at[kWalks];
    for (std::size_t from = 0; from < layout.learners; from += kWalks) {
        const std::size_t walks = std::min(kWalks, layout.learners - from);
        for (std::size_t k = 0; k < walks; ++k) at[k] = trees_[from + k].nodes.data();
        for (bool inside = true; inside;) {
            inside = false;
            for (std::size_t k = 0; k < walks; ++k) {
                const onlineboost::Tree::Node& node = *at[k];
                if (node.test < 0) continue;
                const bool left = own.spread[static_cast<std::size_t>(node.test)] < node.threshold;
                at[k] = trees_[from + k].nodes.data() + node.left + (left ? 0 : 1);
                inside = true;
            }
        }
        for (std::size_t k = 0; k < walks; ++k) {
            own.places[from + k] = static_cast<std::uint32_t>(-1 - at[k]->test);
            const auto* leaf = reinterpret_cast<const char*>(&trees_[from + k].leaves[own.places[from + k]]);
            for (std::size_t byte = 0; byte < sizeof(Leaf); byte += 64) __builtin_prefetch(leaf + byte);
        }
    }
}

void ClassTreeBank::score_classes(Scratch& scratch) const {
    auto& own = static_cast<Own&>(scratch);
    locate(own);
    scratch.clear_shares(classes_);
    // Leaves lie anywhere in memory, which is asked for a few trees ahead.
    const auto leaf_of = [&](std::size_t i) -> const Leaf& { return trees_[i].leaves[own.places[i]]; };
    const bool cells = options_.leaf != LeafRule::kMajority;
    for (std::size_t i = 0; i < layout.learners + 2 * kAhead; ++i) {
        if (i < layout.learners) leaf_of(i).seen.fetch(own.row->size());
        if (cells && i >= kAhead && i - kAhead < layout.learners) find_cells(leaf_of(i - kAhead), own, i - kAhead);
        if (i >= 2 * kAhead) judge(leaf_of(i - 2 * kAhead), own, i - 2 * kAhead);
    }
}

void ClassTreeBank::find_cells(const Leaf& leaf, Own& own, std::size_t i) const {
    const Row& row = *own.row;
    own.cells[i] = {0, true};
    if (leaf.active)
        own.cells[i] = leaf.seen.find_targets(std::span(row.slots.data(), row.size()), row.raw.data(),
                                              own.in_order ? own.row_places.data() : nullptr, growth_.bins,
                                              own.found.data() + i * row.size());
}

void ClassTreeBank::judge(const Leaf& leaf, Own& own, std::size_t i) const {
    const ClassLeaf& seen = leaf.seen;
    const double weight = seen.weight();
    if (!(weight > 0.0)) {
        own.bayes[i] = ~std::uint32_t{0};
        for (Vector& shares : own.shares) shares[i] = 1.0 / static_cast<double>(classes_);
        return;
    }
    bool bayes = options_.leaf != LeafRule::kMajority && leaf.active && naive_bayes(seen, own, i);
    if (bayes) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < seen.classes(); ++c)
            if (own.p[c] > own.p[best]) best = c;
        own.bayes[i] = seen.id(best);
        bayes = options_.leaf == LeafRule::kNaiveBayes || leaf.right[1] > leaf.right[0];
    } else {
        own.bayes[i] = seen.id(seen.majority());
    }
    for (std::size_t c = 0; c < seen.classes(); ++c)
        own.shares[seen.id(c)][i] = bayes ? own.p[c] : seen.sum(c) / weight;
}

// Over the features that the row has; see HoeffdingTreeBank::naive_bayes. False where the leaf has seen one class.
bool ClassTreeBank::naive_bayes(const ClassLeaf& seen, Own& own, std::size_t i) const {
    const std::size_t classes = seen.classes(), wide = ClassLeaf::padded(classes);
    if (classes < 2) return false;
    own.p.assign(2 * wide, 0.0);
    double *products = own.p.data(), *shrink = products + wide;
    for (std::size_t c = 0; c < classes; ++c) {
        products[c] = seen.sum(c);
        shrink[c] = 1.0 / (seen.own(c) + 1.0);
    }
    own.rows.resize(own.row->size());
    own.pseudo.resize(own.row->size());
    if (own.made.size() < own.row->size() * wide) own.made.resize(own.row->size() * wide);
    std::size_t count = 0;
    for (const ClassLeaf::Target& target : own.targets(i)) {
        const ClassLeaf::Feature& feature = seen.features()[static_cast<std::size_t>(target.feature)];
        own.pseudo[count] = pseudo_[feature.cells];
        if (feature.has_rows()) {
            own.rows[count++] = seen.row(feature, target.counting());
            continue;
        }
        float* made = own.made.data() + count * wide;
        const ClassLeaf::One& one = seen.one(feature, target.counting());
        std::fill_n(made, wide, 0.0f);
        made[one.c] = one.weight;
        own.rows[count++] = made;
    }
    kernels().class_products(own.rows.data(), own.pseudo.data(), count, shrink, products, wide);
    double total = 0.0;
    for (std::size_t c = 0; c < classes; ++c) total += products[c];
    for (std::size_t c = 0; c < classes; ++c) products[c] /= total;
    return true;
}

// ---- learning ----------------------------------------------------------------------------------------------------

void ClassTreeBank::make_room(Scratch& scratch, std::span<const FeatureId> fresh) {
    auto& own = static_cast<Own&>(scratch);
    const Row& row = *own.row;
    onlineboost::make_room(test_of_slot_, test_of_slot_.size() + fresh.size());
    onlineboost::make_room(tests_, tests_.size() + trees_.size());
    onlineboost::make_room(own.spread, tests_.size() + trees_.size());
    onlineboost::make_room(candidates_, nodes_ / 2 + 2 * trees_.size());
    own.make_room(std::max(classes_, own.label + 1), growth_.bins);
    if (kind_ids_ != row.ids) {
        kind_ids_ = row.ids;
        ++kind_;
    }
    const auto label = static_cast<std::uint32_t>(own.label);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
        Tree& tree = trees_[i];
        if (tree.leaves.size() < growth_.max_leaves) {
            onlineboost::make_room(tree.nodes, tree.nodes.size() + 2);
            onlineboost::make_room(tree.leaves, tree.leaves.size() + 1);
        }
        Leaf& leaf = tree.leaves[own.places[i]];
        if (tree.spare_classes <= leaf.seen.classes()) {
            tree.spare_classes = leaf.seen.classes() + 4;
            for (ClassLeaf& one : tree.spare) one.make_room(tree.spare_classes);
        }
        if (options_.leaf == LeafRule::kMajority) find_cells(leaf, own, i);
        const std::size_t c = leaf.seen.find_class(label);
        const bool absent = leaf.active && leaf.met != kind_ && own.cells[i].count < row.size();
        const bool grows = absent && add_absent(leaf, own, i);
        if (grows || !own.cells[i].settled || c == leaf.seen.classes())
            leaf.seen.make_room(own.targets(i), c, growth_.bins);
    }
}

// Puts the values whose features the leaf is yet to get among the targets. False where there are none.
bool ClassTreeBank::add_absent(Leaf& leaf, Own& own, std::size_t i) const {
    const Row& row = *own.row;
    const auto targets = own.targets(i);
    own.all.clear();
    own.all.reserve(row.size());
    std::size_t next = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        const auto value = static_cast<std::int32_t>(k);
        if (next < targets.size() && targets[next].value == value)
            own.all.push_back(targets[next++]);
        else if (mix64(leaf.key + kGolden * (std::uint64_t{row.ids[k]} + 1)) <= cut_)
            own.all.push_back({ClassLeaf::kAbsent, ClassLeaf::kAbsent, value});
    }
    if (own.all.size() == targets.size()) {
        leaf.met = kind_;
        return false;
    }
    own.cells[i].count = own.all.size();
    std::copy(own.all.begin(), own.all.end(), own.targets(i).begin());
    return true;
}

void ClassTreeBank::meet(Scratch&, const std::vector<FeatureId>& ids, std::size_t) {
    test_of_slot_.resize(ids.size(), -1);
}

unsigned ClassTreeBank::draw(std::size_t i) const {
    if (poisson_.empty()) return 1;
    const double u = uniform(hash64(growth_.seed, Purpose::kResample, i, rounds_));
    unsigned k = 0;
    while (k < poisson_.size() && u > poisson_[k]) ++k;
    return k;
}

void ClassTreeBank::forget(std::size_t i) {
    Tree& tree = trees_[i];
    for (const Leaf& leaf : tree.leaves) statistics_bytes_ -= leaf.seen.bytes();
    nodes_ -= tree.nodes.size() - 1;
    tree.nodes.resize(1);
    tree.nodes[0] = {};
    tree.leaves.resize(1);
    tree.leaves[0] = {};
    begin(i, tree.leaves[0], 0, 0);
}

void ClassTreeBank::update_class(Scratch& scratch, const double* w) {
    auto& own = static_cast<Own&>(scratch);
    classes_ = std::max(classes_, own.label + 1);
    for (std::size_t i = 0; i < layout.learners; ++i)
        if (w[i] > 0.0) learn(own, i, w[i] * draw(i));
    end_round();
}

void ClassTreeBank::learn(Own& own, std::size_t i, double w) {
    if (!(w > 0.0)) return;
    const auto label = static_cast<std::uint32_t>(own.label);
    const std::uint32_t place = own.places[i];
    Leaf& leaf = trees_[i].leaves[place];
    ClassLeaf& seen = leaf.seen;
    if (options_.leaf == LeafRule::kAdaptive && seen.classes() > 0) {
        if (seen.id(seen.majority()) == label) leaf.right[0] += w;
        if (own.bayes[i] == label) leaf.right[1] += w;
    }
    const std::size_t bytes = seen.bytes();
    std::size_t c = seen.find_class(label);
    if (c == seen.classes()) c = seen.add_class(label);
    if (!leaf.active) {
        seen.add_before(c, w);
        statistics_bytes_ += seen.bytes() - bytes;
        return;
    }
    statistics_bytes_ += seen.bytes() - bytes;
    seen.add_own(c, w);
    observe(leaf, *own.row, own.targets(i), c, w);
    if (seen.total() - leaf.tried >= growth_.grace) attempt(own, i, place);
}

void ClassTreeBank::observe(Leaf& leaf, const Row& row, std::span<const ClassLeaf::Target> targets, std::size_t c,
                            double w) {
    ClassLeaf& seen = leaf.seen;
    const std::size_t before = seen.bytes(), rest = fixed_bytes() + statistics_bytes_ - before;
    for (const ClassLeaf::Target& target : targets) {
        if (target.cell >= 0) {
            seen.learn_known(target, c, w);
            continue;
        }
        const std::size_t used = rest + seen.bytes(), left = growth_.max_bytes > used ? growth_.max_bytes - used : 0;
        const auto k = static_cast<std::size_t>(target.value);
        if (!seen.learn(target, row.slots[k], row.raw[k], c, w, growth_.bins, left)) overflow_ = true;
    }
    statistics_bytes_ += seen.bytes() - before;
    if (fixed_bytes() + statistics_bytes_ > growth_.max_bytes) overflow_ = true;
}

// ---- memory ------------------------------------------------------------------------------------------------------

std::size_t ClassTreeBank::fixed_bytes() const { return nodes_ * kNodeBytes; }

bool ClassTreeBank::can_split(const Tree& tree, const Leaf& leaf) const {
    return leaf.depth < growth_.max_depth && tree.leaves.size() < growth_.max_leaves &&
           fixed_bytes() + 2 * kNodeBytes <= growth_.max_bytes / 2;
}

bool ClassTreeBank::wants_statistics(const Tree& tree, const Leaf& leaf) const {
    return options_.leaf != LeafRule::kMajority || can_split(tree, leaf);
}

void ClassTreeBank::drop(Leaf& leaf) {
    statistics_bytes_ -= leaf.seen.bytes();
    leaf.seen.clear_statistics();
    leaf.met = 0;
    statistics_bytes_ += leaf.seen.bytes();
    leaf.tried = 0.0;
    leaf.active = false;
}

void ClassTreeBank::end_round() {
    ++rounds_;
    if (!overflow_ && !(short_ && rounds_ % kReviewEvery == 0)) return;
    overflow_ = false;
    short_ = true;
    review();
}

// As in tree_bank_memory.cpp: statistics go to the leaves with the most weight outside of their majority.
void ClassTreeBank::review() {
    candidates_.clear();
    std::size_t active = 0, statistics = 0;
    for (std::size_t i = 0; i < trees_.size(); ++i)
        for (std::size_t k = 0; k < trees_[i].leaves.size(); ++k) {
            Leaf& leaf = trees_[i].leaves[k];
            const ClassLeaf& seen = leaf.seen;
            if (!wants_statistics(trees_[i], leaf)) {
                if (leaf.active) drop(leaf);
                continue;
            }
            const double most = seen.classes() > 0 ? seen.sum(seen.majority()) : 0.0;
            candidates_.push_back({seen.weight() - most, i, k});
            if (leaf.active) ++active, statistics += seen.bytes();
        }
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(-a.promise, a.tree, a.leaf) < std::tuple(-b.promise, b.tree, b.leaf);
    });
    const std::size_t usual = active > 0 ? statistics / active : 0;
    const std::size_t budget = (growth_.max_bytes - std::min(fixed_bytes(), growth_.max_bytes)) / 2;
    std::size_t used = 0;
    for (const Candidate& candidate : candidates_) {
        Leaf& leaf = trees_[candidate.tree].leaves[candidate.leaf];
        const std::size_t cost = leaf.active ? leaf.seen.bytes() : usual;
        const bool keep = used + cost <= budget;
        if (keep) used += cost;
        if (leaf.active && !keep) drop(leaf);
        if (!leaf.active && keep) leaf.active = true;
    }
}

}  // namespace onlineboost
