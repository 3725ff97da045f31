// Bank of Hoeffding trees of many classes (Domingos & Hulten, KDD 2000): one tree for all of them.
//
// As hoeffding_tree.hpp, with the gain over all classes. "Evidence" asks more of a test than chance gives: with n the
// leaf's weight, L = ln(1 / delta) and C classes in the leaf,
//   gini     n gain > 2 a L + (G - a) + 2 sqrt((G - a) a L),  G = 1 - sum p^2 and a = min(G, max p): the gain of a
//            random test is at most a sum of squares of normals with trace G and largest variance a (Laurent & Massart,
//            2000, Lemma 1)
//   entropy  n gain > L + (C - 2) / 2 + sqrt((C - 2) L), in nats: half a chi-square of C - 1 degrees
// which of two classes are the thresholds there.
#pragma once
#include "learners/bank.hpp"
#include "learners/class_leaf.hpp"
#include "learners/hoeffding_tree.hpp"

namespace onlineboost {

class ClassTreeBank final : public ClassBank {
   public:
    using LeafRule = HoeffdingTreeBank::LeafRule;
    ClassTreeBank(std::size_t learners, TreeBank::Growth growth, HoeffdingTreeBank::Options options);
    static std::unique_ptr<Bank> build(const Parameters& p, std::size_t learners);

    std::unique_ptr<Scratch> make_scratch() const override;
    void score_classes(Scratch& scratch) const override;
    void make_room(Scratch& scratch, std::span<const FeatureId> fresh) override;
    void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) override;
    void update_class(Scratch& scratch, const double* w) override;
    void forget(std::size_t i) override;
    void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes) override;
    void adopt(Archive& archive, const std::vector<FeatureId>& ids) override;

   private:
    struct Leaf {
        ClassLeaf seen;
        double right[2] = {0.0, 0.0};  // weight that the majority, and that Naive Bayes, predicted correctly
        double tried = 0.0;            // weight when a split was last considered
        std::uint64_t key = 0;         // source of the random choice of features
        std::uint64_t met = 0;         // the last kind of row of which it has all features that take part
        std::uint32_t node = 0, depth = 0;
        bool active = true;  // keeps statistics
    };
    struct Tree {
        std::vector<onlineboost::Tree::Node> nodes;
        std::vector<Leaf> leaves;
        std::size_t spare_classes = 0;
        ClassLeaf spare[2];  // room for so many classes of two leaves that a split makes
    };
    struct Test {
        double gain = 0.0, second = 0.0;
        std::int32_t slot = -1;
        double threshold = 0.0;
    };
    struct Candidate {
        double promise;
        std::size_t tree, leaf;
    };
    struct Own;

    void locate(Own& own) const;
    void find_cells(const Leaf& leaf, Own& own, std::size_t i) const;
    bool add_absent(Leaf& leaf, Own& own, std::size_t i) const;
    void judge(const Leaf& leaf, Own& own, std::size_t i) const;
    bool naive_bayes(const ClassLeaf& seen, Own& own, std::size_t i) const;
    void learn(Own& own, std::size_t i, double w);
    void observe(Leaf& leaf, const Row& row, std::span<const ClassLeaf::Target> targets, std::size_t c, double w);
    void attempt(Own& own, std::size_t i, std::uint32_t place);
    void find_gains(Own& own, std::size_t classes, std::size_t tests, double n, double whole) const;
    std::size_t list_tests(const ClassLeaf& seen, const ClassLeaf::Feature& feature, Own& own) const;
    Test best_test(const Leaf& leaf, Own& own, double n, double whole) const;
    double impurity(const std::vector<double>& weights, std::size_t classes, double n) const;
    double least_gain(const std::vector<double>& weights, std::size_t classes, double n, double whole) const;
    void split(Own& own, std::size_t i, std::uint32_t place, const Test& test);
    unsigned draw(std::size_t i) const;
    void begin(std::size_t i, Leaf& leaf, std::uint32_t node, std::uint32_t depth) const;
    bool can_split(const Tree& tree, const Leaf& leaf) const;
    bool wants_statistics(const Tree& tree, const Leaf& leaf) const;
    void drop(Leaf& leaf);
    void end_round();
    void review();
    std::size_t fixed_bytes() const;
    void serialise_nodes(Archive& archive, std::size_t slots);
    std::vector<Leaf*> all_leaves();
    void serialise_leaves(Archive& archive, std::size_t slots);
    void serialise_cells(Archive& archive, std::size_t slots);

    TreeBank::Growth growth_;
    HoeffdingTreeBank::Options options_;
    std::vector<Tree> trees_;
    std::size_t classes_ = 0;  // that have begun
    std::uint64_t rounds_ = 0;
    std::uint64_t cut_;                // a feature takes part where its hash is at most this
    std::vector<double> poisson_;      // cumulated chances
    std::vector<double> pseudo_;       // 1 / (cells + 1)
    std::vector<std::int32_t> tests_;  // slot of each value that some node tests
    std::vector<std::int32_t> test_of_slot_;
    std::vector<Candidate> candidates_;
    std::size_t statistics_bytes_ = 0, nodes_ = 0;
    bool overflow_ = false, short_ = false;
    std::vector<FeatureId> kind_ids_;  // of the last row that was learned: rows of the same features are of one kind
    std::uint64_t kind_ = 0;
};

struct ClassTreeBank::Own final : Scratch {
    using Scratch::Scratch;
    std::vector<std::uint32_t> places;
    std::vector<double> spread;  // the values that nodes test, 0 but for those listed in `tested`
    std::vector<std::int32_t> tested;
    std::vector<std::int32_t> row_places;  // where the row has each slot, or -1, and whether they are in order
    std::vector<std::int32_t> placed;
    bool in_order = true;
    std::vector<ClassLeaf::Target> found;                   // for each tree, where the row's values belong in its leaf
    std::vector<ClassLeaf::Target> all;                     // of one tree, with those that have no feature
    std::vector<ClassLeaf::Found> cells;                    // and what that comes to
    std::vector<std::uint32_t> bayes;                       // the class that Naive Bayes said in each leaf
    std::vector<double> p;                                  // of the classes of a leaf
    std::vector<const float*> rows;                         // weights of the row's cells, a row over classes each
    std::vector<double> pseudo;                             // and what is added to each of them
    std::vector<float> made;                                // rows of cells that have none
    std::vector<double> own, left, zero, best_left, other;  // weights of the classes of a leaf, on the way to a split
    std::size_t stride = 0;                                 // tests that a feature may have
    std::vector<double> thresholds, gains, sums;            // of the tests on a feature
    std::vector<double> lefts;                              // what they send to the left, a row per class
    std::span<ClassLeaf::Target> targets(std::size_t i) { return {found.data() + i * row->size(), cells[i].count}; }
    void make_room(std::size_t classes, std::size_t bins) {
        if (own.size() >= classes) return;
        classes = ClassLeaf::padded(classes);
        stride = bins + 1;
        for (auto* one : {&thresholds, &gains}) one->resize(stride);
        sums.resize(4 * stride);
        lefts.resize(classes * stride);
        for (auto* one : {&left, &zero, &best_left, &other, &own}) one->resize(classes);
    }
};

}  // namespace onlineboost
