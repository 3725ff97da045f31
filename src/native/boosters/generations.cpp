// How the generations of a mixture come, lead, rest and leave.
#include <algorithm>

#include "boosters/mixture.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kMostEvents = 128;
constexpr std::uint64_t kTooYoung = 100;  // to be replaced because of another alarm
constexpr double kKeeps = 0.05;           // the weight with which a young generation gets more time
}  // namespace

double Mixture::generation_weight(std::size_t g) const {
    double sum = 0.0;
    for (std::size_t e = stack_expert(g); e < stack_expert(g + 1); ++e) sum += tracker_.weights()[e];
    return sum;
}

void Mixture::live(Bank& bank, bool alarm) {
    const std::uint64_t t = rounds + 1, first = options_.first_birth;
    if (alarm) note(Event::kAlarm, heaviest());
    lead();
    generations_[leads_].led = t;
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        const auto& [stack, status, born, led, weight] = generations_[g];
        if (g == leads_) continue;
        const std::uint64_t age = t - born;
        const bool judged = status == Status::kLearns && age >= options_.trial && age % options_.trial == 0;
        if (judged && generation_weight(g) < kKeeps) leave(bank, g);
        if (status == Status::kRests && t - led >= options_.rest) leave(bank, g);
    }
    const bool doubled = first > 0 && t >= first && t % first == 0 && ((t / first) & (t / first - 1)) == 0;
    if (alarm || doubled) be_born(bank, alarm);
}

// Whoever has nearly all weight leads; the leader before it rests.
bool Mixture::lead() {
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        auto& [stack, status, born, led, weight] = generations_[g];
        if (g == leads_ || status == Status::kEmpty || status == Status::kAwaited) continue;
        if (generation_weight(g) < options_.lead) continue;
        const bool rested = status == Status::kRests;
        status = Status::kLearns;
        generations_[leads_].status = Status::kRests;
        leads_ = g;
        note(rested ? Event::kOldLeads : Event::kYoungLeads, heaviest());
        return true;
    }
    return false;
}

void Mixture::be_born(Bank& bank, bool alarm) {
    const std::size_t none = generations_.size();
    std::size_t empty = none, least = none, rested = none;
    if (rounds + 1 - generations_[leads_].born < kTooYoung) return;
    for (std::size_t g = 0; g < none; ++g) {
        const auto& [stack, status, born, led, weight] = generations_[g];
        if (g == leads_) continue;
        if (status == Status::kEmpty) {
            empty = std::min(empty, g);
        } else if (status == Status::kRests) {
            if (rested == none || led < generations_[rested].led) rested = g;
        } else {  // one is young already
            if (!alarm || rounds + 1 - born < kTooYoung) return;
            if (least == none || generation_weight(g) < generation_weight(least)) least = g;
        }
    }
    const std::size_t place = empty < none ? empty : least < none ? least : rested;
    leave(bank, place);
    for (std::size_t k = 0; k < families_; ++k) bank.ask_for(place * families_ + k);
    generations_[place].status = Status::kAwaited;
    generations_[place].born = generations_[place].led = rounds + 1;
}

// Those that were awaited and have learned their first example.
void Mixture::join(Bank& bank) {
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        if (generations_[g].status != Status::kAwaited) continue;
        Generation& one = generations_[g];
        one.status = Status::kLearns;
        one.weight = weight_;
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

void Mixture::leave(Bank& bank, std::size_t g) {
    for (std::size_t k = 0; k < families_; ++k) {
        const std::size_t place = g * families_ + k;
        if (present(place)) retire(bank, place);
    }
    tracker_.drop(stack_expert(g));
    generations_[g].status = Status::kEmpty;
    generations_[g].stack.reset();
}

void Mixture::note(Event event, std::size_t family) {
    if (options_.generations == 0) return;
    if (events_.size() == 3 * kMostEvents) events_.erase(events_.begin(), events_.begin() + 3);
    events_.insert(events_.end(), {static_cast<std::int64_t>(rounds + 1), static_cast<std::int64_t>(event),
                                   static_cast<std::int64_t>(family)});
}

// The family of the leading generation that carries most.
std::size_t Mixture::heaviest() const {
    const LogitStack& stack = generations_[leads_].stack;
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

}  // namespace onlineboost
