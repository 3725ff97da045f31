#include "learners/window_members.hpp"

#include <algorithm>
#include <cmath>

#include "engine/build.hpp"
#include "engine/kept_parameters.hpp"
#include "engine/lookup.hpp"
#include "engine/math.hpp"
#include "engine/random.hpp"
#include "kernels/kernels.hpp"

namespace onlineboost {

namespace {
constexpr double kSure = 1e-9;           // an output below this says nothing: it may be rounding
constexpr double kLargestLoss = 1e20;    // of a row; the smallest is its inverse
constexpr double kLargestMargin = 46.0;  // about its logarithm
constexpr double kLargestLesson = 10.0;

double within(double loss) { return std::clamp(loss, 1.0 / kLargestLoss, kLargestLoss); }

// The learner's parameters with seeds of their own for the member of this number.
std::shared_ptr<KeptParameters> reseeded(const KeptParameters& from, std::uint64_t shift) {
    auto made = std::make_shared<KeptParameters>(from);
    for (auto& [name, value] : made->values) {
        if (auto* inner = std::get_if<KeptParameters::Nested>(&value)) {
            *inner = reseeded(**inner, shift);
        } else if (auto* parts = std::get_if<std::vector<std::pair<std::size_t, KeptParameters::Nested>>>(&value)) {
            for (auto& [learners, part] : *parts) part = reseeded(*part, shift);
        } else if (auto* seed = std::get_if<std::uint64_t>(&value); seed && name == "seed") {
            *seed += shift;
        }
    }
    return made;
}
}  // namespace

struct WindowMembersBank::Own final : Scratch {
    Own(Layout layout, const Bank& bank) : Scratch(layout), inner(bank.make_scratch()), says(layout.learners) {
        inner->row = &own;
    }
    std::unique_ptr<Scratch> inner;
    Row own;  // with the slots of one member after the other
    std::vector<int> says;
    double margin = 0.0;  // F
};

std::unique_ptr<Scratch> WindowMembersBank::make_scratch() const { return std::make_unique<Own>(layout, *pattern_); }

WindowMembersBank::WindowMembersBank(std::size_t members, Options options, std::shared_ptr<const Parameters> learner)
    : Bank(members), options_(options), learner_(std::move(learner)), pattern_(build_bank(*learner_, 1)) {}

std::unique_ptr<WindowMembersBank::Pupil> WindowMembersBank::fresh(std::uint64_t number) const {
    auto made = std::make_unique<Pupil>();
    made->member = std::make_unique<Member>();
    made->member->number = number;
    const auto& kept = dynamic_cast<const KeptParameters&>(*learner_);
    made->member->bank = build_bank(*reseeded(kept, hash64(0, Purpose::kMember, number, 0)), 1);
    made->scratch = made->member->bank->make_scratch();
    return made;
}

int WindowMembersBank::says(const Member& member, Row& row, Scratch& scratch) {
    find_slots(member.features, row);
    scratch.row = &row;
    member.bank->score(scratch);
    return scratch.h[0] > kSure ? 1 : scratch.h[0] < -kSure ? -1 : 0;
}

void WindowMembersBank::score(Scratch& outer) const {
    auto& scratch = static_cast<Own&>(outer);
    scratch.own.ids = scratch.row->ids;
    scratch.own.raw = scratch.row->raw;
    scratch.own.gaps = scratch.row->gaps;
    double total = 0.0;
    scratch.margin = 0.0;
    for (std::size_t j = 0; j < members_.size(); ++j) {
        const int said = says(*members_[j], scratch.own, *scratch.inner);
        const double vote = members_[j]->vote;
        scratch.says[j] = said;
        scratch.h[j] = vote * said;
        scratch.margin += vote * said;
        total += std::abs(vote);
    }
    for (std::size_t j = 0; j < members_.size(); ++j) scratch.h[j] = total > kSure ? scratch.h[j] / total : 0.0;
}

void WindowMembersBank::teach(Pupil& pupil, Kept& kept, double weight) {
    auto& [member, scratch, taught, asked, unused] = pupil;
    Row& row = kept.row;
    says(*member, row, *scratch);
    std::vector<FeatureId> added;
    list_fresh(row, added);
    member->features.make_room(added);
    member->bank->make_room(*scratch, added);
    const std::size_t met = member->features.ids().size();
    add_slots(member->features, row);
    member->bank->meet(*scratch, member->features.ids(), met);
    member->bank->update(*scratch, kept.y, &weight);
}

// The part of the pupil's lessons that falls to this example. In the first half of its time it is taught the rows it
// began with, in the second it is asked about those that its vote will be about.
void WindowMembersBank::work(Scratch& outer) {
    if (!pupil_) return;
    auto& scratch = static_cast<Own&>(outer);
    const std::uint64_t rows = begun_with(), all = span(), now = learned_ + 1 - began_, first = first_of(began_);
    const auto share = [&](std::uint64_t part) { return (rows * part + all - 1) / all; };
    std::vector<std::int8_t>& agrees = pupil_->member->agrees;
    const std::uint64_t lessons = share(std::min(2 * now, all));
    for (; pupil_->taught < lessons; ++pupil_->taught) {
        const std::size_t at = place(first + pupil_->taught);
        teach(*pupil_, rows_[at], lesson_[at]);
    }
    if (2 * now < all) return;
    const std::uint64_t until =
        now == all ? learned_ : std::min(learned_, first_of(began_ + all) + share(2 * now - all));
    for (pupil_->asked = std::max(pupil_->asked, first_of(began_ + all)); pupil_->asked < until; ++pupil_->asked) {
        const std::size_t at = place(pupil_->asked);
        agrees[at] = static_cast<std::int8_t>(says(*pupil_->member, rows_[at].row, *pupil_->scratch) *
                                              (rows_[at].y > 0.0 ? 1 : -1));
    }
    if (now == all) pupil_->says = says(*pupil_->member, scratch.own, *pupil_->scratch);
}

void WindowMembersBank::make_room(Scratch& scratch, std::span<const FeatureId>) {
    const Row& row = *scratch.row;
    next_.row.ids = row.ids;
    next_.row.raw = row.raw;
    next_.row.gaps = row.gaps;
    const std::size_t rows = std::min<std::size_t>(rows_.size() + 1, most_rows());
    onlineboost::make_room(rows_, rows);
    for (auto* numbers : {&weights_, &losses_, &lesson_}) onlineboost::make_room(*numbers, rows);
    for (const auto& member : members_) onlineboost::make_room(member->agrees, rows);
    if (pupil_) {
        onlineboost::make_room(pupil_->member->agrees, rows);
        pupil_->member->agrees.resize(rows_.size());
    }
    onlineboost::make_room(members_, std::min(members_.size() + 1, layout.learners));
    work(scratch);
    const bool due = pupil_ ? learned_ + 1 == began_ + span() : learned_ + 1 == kFirst;
    if (due && !spare_) spare_ = fresh(born_);
}

void WindowMembersBank::update(Scratch& outer, double y, const double* w) {
    auto& scratch = static_cast<Own&>(outer);
    const std::size_t at = place(learned_);
    if (at == rows_.size()) {
        rows_.emplace_back();
        for (auto* numbers : {&weights_, &losses_, &lesson_}) numbers->push_back(0.0);
        for (const auto& member : members_) member->agrees.push_back(0);
        if (pupil_) pupil_->member->agrees.push_back(0);
    }
    std::swap(rows_[at], next_);
    rows_[at].y = y;
    weights_[at] = std::max(w[0], 0.0);
    losses_[at] = within(math::exp_fixed(-std::clamp(y * scratch.margin, -kLargestMargin, kLargestMargin)));
    lesson_[at] = 0.0;
    const int sign = y > 0.0 ? 1 : -1;
    for (std::size_t j = 0; j < members_.size(); ++j)
        members_[j]->agrees[at] = static_cast<std::int8_t>(scratch.says[j] * sign);
    ++learned_;
    if (pupil_ && learned_ == began_ + span()) {
        pupil_->member->agrees[at] = static_cast<std::int8_t>(pupil_->says * sign);
        if (members_.size() == layout.learners) leave(least_useful());
        join();
        begin();
    } else if (!pupil_ && learned_ == kFirst) {
        begin();
    }
    if (!members_.empty()) adjust(*members_[static_cast<std::size_t>(learned_ % members_.size())]);
}

double WindowMembersBank::step(Scratch& scratch, std::size_t i, double y, double w, unsigned times) {
    const double weight = w * times;
    if (i == 0 && weight > 0.0) update(scratch, y, &weight);
    return scratch.h[i];
}

// The places of the window's rows, oldest first.
template <class F>
void WindowMembersBank::each_place(F f) const {
    const std::size_t from = place(first_of(learned_)), rows = static_cast<std::size_t>(learned_ - first_of(learned_));
    const std::size_t before_end = std::min(rows, static_cast<std::size_t>(most_rows()) - from);
    for (std::size_t at = from; at < from + before_end; ++at) f(at);
    for (std::size_t at = 0; at < rows - before_end; ++at) f(at);
}

// The next pupil is given the rows of the window, by what they have lost: weights of mean 1, at most kLargestLesson.
void WindowMembersBank::begin() {
    began_ = learned_;
    ++born_;
    pupil_ = std::move(spare_);
    double sum = 0.0;
    each_place([&](std::size_t at) { sum += weights_[at] * losses_[at]; });
    const double scale = static_cast<double>(begun_with()) / sum;
    each_place([&](std::size_t at) {
        const double lesson = std::min(weights_[at] * losses_[at] * scale, kLargestLesson);
        lesson_[at] = lesson >= kNegligible ? lesson : 0.0;
    });
}

void WindowMembersBank::join() {
    members_.push_back(std::move(pupil_->member));
    pupil_.reset();
    adjust(*members_.back());
}

void WindowMembersBank::leave(std::size_t j) {
    move(*members_[j], -members_[j]->vote);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(j));
}

// The one without which the loss is least; of equal ones the oldest.
std::size_t WindowMembersBank::least_useful() const {
    std::size_t least = 0;
    double rises = 0.0;
    for (std::size_t j = 0; j < members_.size(); ++j) {
        const Sides of = sides(*members_[j]);
        const double up = math::exp_fixed(members_[j]->vote);
        const double without = of.right * (up - 1.0) + of.wrong * (1.0 / up - 1.0);
        if (j > 0 && without >= rises) continue;
        least = j;
        rises = without;
    }
    return least;
}

WindowMembersBank::Sides WindowMembersBank::sides(const Member& member) const {
    Sides found;
    each_place([&](std::size_t at) {
        const double weight = weights_[at] * losses_[at];
        found.right += member.agrees[at] > 0 ? weight : 0.0;
        found.wrong += member.agrees[at] < 0 ? weight : 0.0;
    });
    return found;
}

// The member's vote has grown by so much: rows it has right lose less, others more.
void WindowMembersBank::move(const Member& member, double by) {
    const double factors[] = {math::exp_fixed(by), 1.0, math::exp_fixed(-by)};
    each_place([&](std::size_t at) { losses_[at] = within(losses_[at] * factors[member.agrees[at] + 1]); });
}

// Each member has one more row right and one wrong, of the window's mean weight, that no other member sees.
void WindowMembersBank::adjust(Member& member) {
    double sum = 0.0;
    each_place([&](std::size_t at) { sum += weights_[at]; });
    const double own = sum / static_cast<double>(learned_ - first_of(learned_));
    const Sides of = sides(member);
    const double up = math::exp_fixed(member.vote);
    const double by = 0.5 * math::log_fixed((of.right + own / up) / (of.wrong + own * up));
    member.vote += by;
    move(member, by);
}

std::unique_ptr<Bank> WindowMembersBank::build(const Parameters& p, std::size_t learners) {
    return std::make_unique<WindowMembersBank>(learners, Options{p.count("window"), p.count("every")},
                                               p.inside("inner")->kept());
}

}  // namespace onlineboost
