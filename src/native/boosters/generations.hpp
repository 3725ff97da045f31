// Generations of families: how they come, lead, rest and leave, and what their experts weigh.
//
// A generation is a copy of every family with a stack of its own, which is one more expert. One generation leads: it
// learns, and most of the weight is its own. A young one is born when the error rises (ADWIN over the mixture's
// mistakes) and at counts of examples that double; it leaves if it does not come to lead. One that led before rests: it
// predicts but learns nothing, so that a concept that comes back finds it as it was. Weights decide who leads, and the
// tracker's bounds hold whatever is born and whenever it leaves. With no generations (0) there is one that is never
// replaced, and weights are Bayes' rule alone.
//
// A family that earns less than it costs is retired: at every look, of those whose share of the cost times the price is
// more than the share of the log-loss that the stack has saved by it, the worst. In older files it is every family that
// carries little, at counts that double.
//
// Place g K + k is family k of generation g, of K. Outcomes may be of two classes or of many; a Stack has reset(),
// drop(k), pull(k), saves(k), and serialise(archive, stacks) for several of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "boosters/expert_tracker.hpp"
#include "boosters/generation_options.hpp"
#include "drift/adwin.hpp"
#include "learners/bank.hpp"

namespace onlineboost {

template <class Stack>
class Generations {
   public:
    enum class Status : std::int64_t { kEmpty, kLearns, kRests, kAwaited };
    enum class Event : std::int64_t { kAlarm, kYoungLeads, kOldLeads, kRetired };

    Generations(std::size_t families, GenerationOptions options, const Stack& fresh)
        : families_(families), options_(options), all_(std::max<std::size_t>(options.generations, 1), {fresh}),
          present_(all_.size() * families), before_(experts()),
          tracker_(experts(), families + 1, options.generations > 0), alarm_(options.delta, options.clock) {
        all_[0].status = Status::kLearns;
        std::fill_n(present_.begin(), families, 1.0);
        events_.reserve(3 * kMostEvents);
    }

    std::size_t size() const { return all_.size(); }
    std::size_t leader() const { return leads_; }
    std::size_t experts() const { return all_.size() * (families_ + 1); }
    std::size_t stack_expert(std::size_t g) const { return g * (families_ + 1); }
    std::size_t expert(std::size_t place) const { return place + place / families_ + 1; }
    bool present(std::size_t place) const { return present_[place] > 0.0; }
    bool speaks(std::size_t g) const { return all_[g].status == Status::kLearns || all_[g].status == Status::kRests; }
    bool is_empty(std::size_t g) const { return all_[g].status == Status::kEmpty; }
    bool learns(std::size_t g) const { return all_[g].status == Status::kLearns; }
    Stack& stack(std::size_t g) { return all_[g].stack; }
    const Stack& stack(std::size_t g) const { return all_[g].stack; }
    ExpertTracker& tracker() { return tracker_; }
    const ExpertTracker& tracker() const { return tracker_; }

    void retire(Bank& bank, std::size_t place) {
        bank.retire(place);
        present_[place] = 0.0;
        all_[place / families_].stack.drop(place % families_);
        tracker_.drop(expert(place));
    }

    // Before the bank is taught an example of weight s: weights of the places.
    void weigh(Bank& bank, double* weights, double s) {
        weight_ += s;
        for (std::size_t g = 0; g < all_.size(); ++g)
            for (std::size_t i = g * families_; i < (g + 1) * families_; ++i) {
                if (present(i) && !bank.at_work(i)) retire(bank, i);  // it has met more features than it takes
                weights[i] = learns(g) || all_[g].status == Status::kAwaited ? s : 0.0;
            }
    }

    // After it was taught the example that comes after `rounds`, on which the mixture erred or not.
    void end_round(Bank& bank, std::uint64_t rounds, bool mistake) {
        rounds_ = rounds;
        if (options_.generations > 0) {
            join(bank);
            const bool alarm = alarms_ && alarm_.update(mistake ? 1.0 : 0.0) && alarm_.rose();
            if (all_.size() > 1) live(bank, alarm);
            for (std::size_t i = 0; i < present_.size(); ++i)
                bank.rest(i, all_[i / families_].status == Status::kRests);
        }
        for (std::size_t g = 0; g < all_.size(); ++g) look(bank, g);
    }

    // In two parts, with fields of the caller in between.
    void serialise_experts(Archive& archive) {
        std::vector<Stack*> stacks;
        for (Generation& one : all_) stacks.push_back(&one.stack);
        Stack::serialise(archive, stacks);
        archive.numbers("families_present", present_.data(), present_.size(), 0.0, 1.0);
        tracker_.serialise(archive);
        if (!archive.loading()) return;
        for (const double one : present_) Archive::check(one == 0.0 || one == 1.0, "families_present");
    }
    void serialise_lives(Archive& archive, std::uint64_t rounds);

    // Before a state is loaded that has one generation where more may be: no other is ever born.
    void keep_one() { *this = Generations(families_, one_of(options_), all_[0].stack); }

   private:
    struct Generation {
        Stack stack;
        Status status = Status::kEmpty;
        std::uint64_t born = 0, led = 0;  // examples learned before it began; when it led last
        double weight = 0.0;              // of the examples before it began
        double loss = 0.0;                // the mixture's, then
    };
    static constexpr std::size_t kMostEvents = 128;
    static constexpr std::uint64_t kTooYoung = 100;  // to be replaced because of another alarm
    static constexpr double kKeeps = 0.05;           // the weight with which a young generation gets more time

    static GenerationOptions one_of(GenerationOptions options) {
        options.generations = std::min<std::size_t>(options.generations, 1);
        return options;
    }
    double weight_of(std::size_t g) const {
        double sum = 0.0;
        for (std::size_t e = stack_expert(g); e < stack_expert(g + 1); ++e) sum += tracker_.weights()[e];
        return sum;
    }
    void live(Bank& bank, bool alarm);
    void lead();
    void be_born(Bank& bank, bool alarm);
    void join(Bank& bank);
    void leave(Bank& bank, std::size_t g);
    void look(Bank& bank, std::size_t g);
    void look_at_earnings(Bank& bank, std::size_t g);
    void note(Event event, std::size_t family);
    std::size_t heaviest() const;

    std::size_t families_;
    GenerationOptions options_;
    std::vector<Generation> all_;
    std::vector<double> present_;  // of each place, 1 or 0
    std::vector<double> before_;   // the experts' weights
    ExpertTracker tracker_;
    Adwin alarm_;
    bool alarms_ = true;  // an older state of many classes has none
    std::size_t leads_ = 0;
    double weight_ = 0.0;               // of the examples
    std::uint64_t rounds_ = 0;          // examples before the present one
    std::vector<std::int64_t> events_;  // the last ones: example, event, family
};

template <class Stack>
void Generations<Stack>::live(Bank& bank, bool alarm) {
    const std::uint64_t t = rounds_ + 1, first = options_.first_birth;
    if (alarm) note(Event::kAlarm, heaviest());
    lead();
    all_[leads_].led = t;
    for (std::size_t g = 0; g < all_.size(); ++g) {
        const auto& [stack, status, born, led, weight, loss] = all_[g];
        if (g == leads_) continue;
        const std::uint64_t age = t - born;
        const bool judged = status == Status::kLearns && age >= options_.trial && age % options_.trial == 0;
        if (judged && weight_of(g) < kKeeps) leave(bank, g);
        if (status == Status::kRests && t - led >= options_.rest) leave(bank, g);
    }
    const bool doubled = first > 0 && t >= first && t % first == 0 && ((t / first) & (t / first - 1)) == 0;
    if (alarm || doubled) be_born(bank, alarm);
}

// Whoever has nearly all weight leads; the leader before it rests.
template <class Stack>
void Generations<Stack>::lead() {
    for (std::size_t g = 0; g < all_.size(); ++g) {
        auto& [stack, status, born, led, weight, loss] = all_[g];
        if (g == leads_ || status == Status::kEmpty || status == Status::kAwaited) continue;
        if (weight_of(g) < options_.lead) continue;
        const bool rested = status == Status::kRests;
        status = Status::kLearns;
        all_[leads_].status = Status::kRests;
        leads_ = g;
        note(rested ? Event::kOldLeads : Event::kYoungLeads, heaviest());
        return;
    }
}

template <class Stack>
void Generations<Stack>::be_born(Bank& bank, bool alarm) {
    const std::size_t none = all_.size();
    std::size_t empty = none, least = none, rested = none;
    if (rounds_ + 1 - all_[leads_].born < kTooYoung) return;
    for (std::size_t g = 0; g < none; ++g) {
        const auto& [stack, status, born, led, weight, loss] = all_[g];
        if (g == leads_) continue;
        if (status == Status::kEmpty) {
            empty = std::min(empty, g);
        } else if (status == Status::kRests) {
            if (rested == none || led < all_[rested].led) rested = g;
        } else {  // one is young already
            if (!alarm || rounds_ + 1 - born < kTooYoung) return;
            if (least == none || weight_of(g) < weight_of(least)) least = g;
        }
    }
    const std::size_t place = empty < none ? empty : least < none ? least : rested;
    leave(bank, place);
    for (std::size_t k = 0; k < families_; ++k)
        if (alarm || options_.price <= 0.0 || present(leads_ * families_ + k)) bank.ask_for(place * families_ + k);
    all_[place].status = Status::kAwaited;
    all_[place].born = all_[place].led = rounds_ + 1;
}

// Those that were awaited and have learned their first example.
template <class Stack>
void Generations<Stack>::join(Bank& bank) {
    for (std::size_t g = 0; g < all_.size(); ++g) {
        if (all_[g].status != Status::kAwaited) continue;
        Generation& one = all_[g];
        one.status = Status::kLearns;
        one.weight = weight_;
        one.loss = tracker_.loss();
        one.stack.reset();
        tracker_.add(stack_expert(g));
        bool any = false;
        for (std::size_t k = 0; k < families_; ++k) {
            const std::size_t place = g * families_ + k;
            if (bank.at_work(place)) {
                present_[place] = 1.0;
                tracker_.add(expert(place));
                any = true;
            } else {
                one.stack.drop(k);
            }
        }
        if (!any) leave(bank, g);
    }
}

template <class Stack>
void Generations<Stack>::leave(Bank& bank, std::size_t g) {
    for (std::size_t k = 0; k < families_; ++k) {
        const std::size_t place = g * families_ + k;
        if (present(place)) retire(bank, place);
    }
    tracker_.drop(stack_expert(g));
    all_[g].status = Status::kEmpty;
    all_[g].stack.reset();
}

// The family that has earned least, for what it costs, retires if that is below the price.
template <class Stack>
void Generations<Stack>::look_at_earnings(Bank& bank, std::size_t g) {
    Generation& one = all_[g];
    const bool early = rounds_ + 1 - one.born < options_.slow_look;
    double costs = 0.0;
    std::size_t left = 0, worst = families_;
    for (std::size_t k = 0; k < families_; ++k) {
        if (!present(g * families_ + k)) continue;
        costs += bank.cost(k);
        ++left;
    }
    double least = options_.price * (tracker_.loss() - one.loss) / costs;
    for (std::size_t k = 0; k < families_ && left > 1; ++k) {
        if (!present(g * families_ + k) || ((options_.steady >> k) & 1) != 0) continue;
        if (early && ((options_.slow >> k) & 1) != 0) continue;
        const double earned = one.stack.saves(k) / bank.cost(k);
        if (earned >= least) continue;
        least = earned;
        worst = k;
    }
    if (worst == families_) return;
    retire(bank, g * families_ + worst);
    note(Event::kRetired, worst);
}

// At counts of examples that double, families that carry little retire.
template <class Stack>
void Generations<Stack>::look(Bank& bank, std::size_t g) {
    const auto& [stack, status, born, led, weight, loss] = all_[g];
    const std::uint64_t first = options_.first_look, t = rounds_ + 1 - born;
    if (status != Status::kLearns || first == 0 || t < first) return;
    if (options_.price > 0.0) {
        if (t % options_.every == 0) look_at_earnings(bank, g);
        return;
    }
    if (t % first != 0) return;
    if (((t / first) & (t / first - 1)) != 0) return;
    std::copy(tracker_.weights().begin(), tracker_.weights().end(), before_.begin());  // before the first retires
    const auto from = present_.begin() + static_cast<std::ptrdiff_t>(g * families_);
    const auto to = from + static_cast<std::ptrdiff_t>(families_);
    double all = 0.0;
    for (std::size_t k = 0; k < families_; ++k) all += present_[g * families_ + k] * stack.pull(k);
    for (std::size_t k = 0; k < families_; ++k) {
        const std::size_t place = g * families_ + k;
        if (!present(place) || std::count(from, to, 1.0) < 2 || ((options_.steady >> k) & 1) != 0) continue;
        if (before_[expert(place)] >= options_.least_weight || stack.pull(k) >= options_.least_share * all) continue;
        retire(bank, place);
        note(Event::kRetired, k);
    }
}

template <class Stack>
void Generations<Stack>::note(Event event, std::size_t family) {
    if (options_.generations == 0) return;
    if (events_.size() == 3 * kMostEvents) events_.erase(events_.begin(), events_.begin() + 3);
    events_.insert(events_.end(), {static_cast<std::int64_t>(rounds_ + 1), static_cast<std::int64_t>(event),
                                   static_cast<std::int64_t>(family)});
}

// The family of the leading generation that carries most.
template <class Stack>
std::size_t Generations<Stack>::heaviest() const {
    const Stack& stack = all_[leads_].stack;
    double all = 0.0;
    for (std::size_t k = 0; k < families_; ++k) all += stack.pull(k);
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t k = 0; k < families_; ++k) {
        const double share = all > 0.0 ? stack.pull(k) / all : 0.0;
        const double carries =
            tracker_.weights()[expert(leads_ * families_ + k)] + tracker_.weights()[stack_expert(leads_)] * share;
        if (carries > most) {
            most = carries;
            best = k;
        }
    }
    return best;
}

template <class Stack>
void Generations<Stack>::serialise_lives(Archive& archive, std::uint64_t rounds) {
    if (options_.generations == 0) {
        if (!archive.loading()) return;
        for (std::size_t k = 0; k < families_; ++k)
            if (!present(k)) tracker_.drop(expert(k));
        return;
    }
    alarms_ = alarms_ && archive.has("adwin_counts");
    if (alarms_) alarm_.serialise(archive);
    std::vector<std::int64_t> lives{static_cast<std::int64_t>(leads_)};
    std::vector<double> weights{weight_};
    for (const Generation& one : all_) {
        lives.insert(lives.end(), {static_cast<std::int64_t>(one.status), static_cast<std::int64_t>(one.born),
                                   static_cast<std::int64_t>(one.led)});
        weights.push_back(one.weight);
    }
    archive.integers("generations", lives);
    archive.sums("generation_weights", weights.data(), weights.size());
    archive.integers("events", events_);
    if (options_.price > 0.0) {
        std::vector<double> losses;
        for (const Generation& one : all_) losses.push_back(one.loss);
        archive.sums("generation_losses", losses.data(), losses.size());
        for (std::size_t g = 0; g < all_.size(); ++g) all_[g].loss = losses[g];
    }
    if (!archive.loading()) return;
    Archive::check(lives.size() == 3 * all_.size() + 1, "generations");
    for (const std::int64_t one : lives) Archive::check(one >= 0 && one <= Archive::kLargestCount, "generations");
    Archive::check(lives[0] < static_cast<std::int64_t>(all_.size()), "generations");
    leads_ = static_cast<std::size_t>(lives[0]);
    weight_ = weights[0];
    for (std::size_t g = 0; g < all_.size(); ++g) {
        Archive::check(lives[3 * g + 1] <= static_cast<std::int64_t>(Status::kAwaited), "generations");
        all_[g].status = static_cast<Status>(lives[3 * g + 1]);
        all_[g].born = static_cast<std::uint64_t>(lives[3 * g + 2]);
        all_[g].led = static_cast<std::uint64_t>(lives[3 * g + 3]);
        all_[g].weight = weights[g + 1];
        Archive::check(all_[g].born <= rounds && all_[g].led <= rounds, "generations");
        Archive::check(tracker_.alive(stack_expert(g)) == speaks(g), "experts_alive");
        for (std::size_t i = g * families_; i < (g + 1) * families_; ++i)
            Archive::check(tracker_.alive(expert(i)) == present(i) && (speaks(g) || !present(i)), "experts_alive");
    }
    Archive::check(learns(leads_), "generations");
    Archive::check(events_.size() % 3 == 0 && events_.size() <= 3 * kMostEvents, "events");
    events_.reserve(3 * kMostEvents);
    for (std::size_t i = 0; i < events_.size(); i += 3)
        Archive::check(events_[i] >= 0 && events_[i + 1] >= 0 && events_[i + 1] <= 3 && events_[i + 2] >= 0 &&
                           events_[i + 2] < static_cast<std::int64_t>(families_),
                       "events");
}

}  // namespace onlineboost
