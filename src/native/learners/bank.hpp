// The one interface between boosters and weak learners: a bank holds N learners of a kind.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/archive.hpp"
#include "engine/parameters.hpp"
#include "engine/scratch.hpp"

namespace onlineboost {

// The output of a learner that says nothing.
constexpr double kSilent = 2.0;

class Bank {
   public:
    explicit Bank(std::size_t learners) : layout(learners) {}
    virtual ~Bank() = default;

    // What the methods below take: a scratch that this bank has made.
    virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(layout); }

    // Fills scratch.h with the outputs in [-1, 1] for scratch.row. Leaves the bank as it is.
    virtual void score(Scratch& scratch) const = 0;
    // After score, when the row is going to be learned: allocates what meet, update, step and finish need for this row,
    // so that they cannot run out of memory. `fresh` are the ids that meet is going to add, in their order. Nothing
    // that is saved changes.
    virtual void make_room(Scratch& scratch, std::span<const FeatureId> fresh) = 0;
    // After make_room: gives a place to the features in slots [from, ids.size()), which just
    // appeared. scratch.h stays as it was scored.
    virtual void meet(Scratch& scratch, const std::vector<FeatureId>& ids, std::size_t from) = 0;
    // After meet on the same row: learner i sees (x, y) with weight w[i] >= 0; weight 0 leaves it untouched.
    virtual void update(Scratch& scratch, double y, const double* w) = 0;
    // After meet on the same row: learner i sees the target y pull[i] / w[i] with weight w[i]. One that learns labels
    // sees y with weight pull[i].
    virtual void regress(Scratch& scratch, double y, const double* pull, const double* w) {
        (void)w;
        update(scratch, y, pull);
    }
    // After meet on the same row: `times` updates of learner i alone; returns its output afterwards, or scratch.h[i] if
    // nothing was taught.
    virtual double step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) = 0;
    // After the last step on a row.
    virtual void finish(Scratch& scratch) = 0;

    // After the last update or finish on a row: learner i is as at the start. What it shares with the others, such as
    // which features were seen, stays. Allocates nothing.
    virtual void forget(std::size_t i) {
        (void)i;
        throw std::logic_error("this bank cannot reset one learner");
    }

    // Of a bank of families alone: whether learner i is there; it is not asked or taught again, and from now on its
    // output is kSilent; it is asked for, and begins with the next row that is learned (what stood there is dropped).
    virtual bool at_work(std::size_t i) const {
        (void)i;
        return true;
    }
    virtual void retire(std::size_t i) { (void)i; }
    virtual void ask_for(std::size_t i) { (void)i; }
    // Of a bank of families alone: from the next row on learner i keeps what it knows as it is, or no longer does.
    virtual void rest(std::size_t i, bool rests) { (void)i, (void)rests; }
    // Of a bank of families alone: what learner i costs beside the others.
    virtual double cost(std::size_t i) const {
        (void)i;
        return 1.0;
    }

    // Of a bank of understudies alone (see BackgroundBank): that of learner i begins; it takes the place of learner i,
    // which begins anew if there is none.
    virtual void prepare(std::size_t i) { (void)i; }
    virtual void replace(std::size_t i) { forget(i); }
    // Whether what it says depends on the label before: then it is to see the labels of rows that are not taught, by an
    // update with weights of 0.
    virtual bool follows_labels() const { return false; }

    virtual void serialise(Archive& archive, const std::vector<FeatureId>& ids) = 0;

    // ---- many classes: every learner says a distribution over the classes that have begun ----
    // A bank of two classes has none of these; build_class_bank() makes one that has.

    // Fills scratch.shares for scratch.row. Leaves the bank as it is.
    virtual void score_classes(Scratch& scratch) const;
    // Before make_room: the class that the row is going to be learned with, at most the first that has not begun.
    virtual void expect(Scratch& scratch, std::size_t label) { scratch.label = label; }
    // After meet on the same row: learner i sees the class expected with weight w[i] >= 0. A new class begins.
    virtual void update_class(Scratch& scratch, const double* w);
    // The state, of so many classes that have begun.
    virtual void serialise_classes(Archive& archive, const std::vector<FeatureId>& ids, std::size_t classes);
    // Takes over what a bank of two classes has saved: +1 is the first class, -1 the second.
    virtual void adopt(Archive& archive, const std::vector<FeatureId>& ids);

    // ---- learners of several classes side by side, as lanes of one bank (see per_class.hpp) ----

    // Whether learners share nothing but the features: what each of them is depends on its own weights alone.
    virtual bool lanes_apart() const { return false; }
    // Only the first `lanes` are asked and taught from now on.
    virtual void use(std::size_t lanes) { (void)lanes; }
    // As update; w is 0 outside of [from, to), where `from` and, but for the last lane, `to` are multiples of eight.
    virtual void update_lanes(Scratch& scratch, double y, const double* w, std::size_t from, std::size_t to) {
        (void)from, (void)to;
        update(scratch, y, w);
    }

    // Whether learning runs code that may raise, as a bank in Python does.
    virtual bool may_raise() const { return false; }
    // Takes the row at hand back, after learning it has raised.
    virtual void undo() {}

    // How many features it can take. A batch that brings more is refused before any of its rows is learned, in these
    // words.
    virtual std::size_t most_features() const { return kAnyFeatures; }
    virtual std::string limit() const { return {}; }

    static constexpr std::size_t kAnyFeatures = ~std::size_t{0};

    const Layout layout;

   protected:
    [[noreturn]] static void cannot() { throw std::logic_error("this bank has another number of classes"); }
};

inline void Bank::score_classes(Scratch&) const { cannot(); }
inline void Bank::update_class(Scratch&, const double*) { cannot(); }
inline void Bank::serialise_classes(Archive&, const std::vector<FeatureId>&, std::size_t) { cannot(); }
inline void Bank::adopt(Archive&, const std::vector<FeatureId>&) { cannot(); }

// A bank that is of many classes only.
class ClassBank : public Bank {
   public:
    using Bank::Bank;
    void score(Scratch&) const final { cannot(); }
    void update(Scratch&, double, const double*) final { cannot(); }
    double step(Scratch&, std::size_t, double, double, unsigned) final { cannot(); }
    void finish(Scratch&) final { cannot(); }
    void serialise(Archive&, const std::vector<FeatureId>&) final { cannot(); }
};

// A bank whose scratch is an `Own`.
template <class Own>
class BankWith : public Bank {
   public:
    using Bank::Bank;
    std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Own>(layout); }

   protected:
    static Own& own(Scratch& scratch) { return static_cast<Own&>(scratch); }
};

}  // namespace onlineboost
