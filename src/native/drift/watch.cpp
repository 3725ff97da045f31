#include "drift/watch.hpp"

#include <algorithm>

namespace onlineboost {

DriftWatch::DriftWatch(std::size_t learners, double delta, Whom whom)
    : learners_(learners), delta_(delta), whom_(whom),
      windows_(whom == Whom::kAll ? 1 : learners, Adwin(delta, kClock)), resets_(learners) {
    events_.reserve(2 * kMostEvents);
    if (whom == Whom::kBackground) windows_.resize(2 * learners, Adwin(warning(), kClock));
}

double DriftWatch::warning() const { return std::min(10.0 * delta_, 0.99); }

std::optional<DriftWatch> DriftWatch::build(const Parameters& p, std::size_t learners) {
    if (!p.has("drift_delta")) return std::nullopt;
    return DriftWatch(learners, p.number("drift_delta"),
                      p.choice<Whom>("drift", {"adwin", "restart", "worst", "background"}));
}

void DriftWatch::learn(Bank& bank, const double* h, double y, double margin, std::uint64_t round) {
    bool any = false;
    worst_.reset();
    const bool each = whom_ == Whom::kEach || whom_ == Whom::kBackground;
    for (std::size_t w = 0; w < (whom_ == Whom::kAll ? 1 : learners_); ++w) {
        const double error = (whom_ == Whom::kAll ? margin : y * h[w]) <= 0.0 ? 1.0 : 0.0;
        if (whom_ == Whom::kBackground && suspects(w, error)) bank.prepare(w);
        if (!windows_[w].update(error) || !windows_[w].rose()) continue;
        any = true;
        if (!each) continue;
        reset(bank, w);
        note(round, w);
    }
    if (!any || each) return;
    if (whom_ == Whom::kAll) {
        for (std::size_t i = 0; i < learners_; ++i) reset(bank, i);
        return note(round, learners_);
    }
    std::size_t worst = 0;
    for (std::size_t i = 1; i < learners_; ++i)
        if (windows_[i].mean() > windows_[worst].mean()) worst = i;
    reset(bank, worst);
    note(round, worst);
    worst_ = worst;
}

bool DriftWatch::suspects(std::size_t i, double error) {
    Adwin& window = windows_[learners_ + i];
    return window.update(error) && window.rose();
}

void DriftWatch::reset(Bank& bank, std::size_t i) {
    if (whom_ == Whom::kBackground) {
        bank.replace(i);
        windows_[learners_ + i] = Adwin(warning(), kClock);
    } else {
        bank.forget(i);
    }
    ++resets_[i];
    windows_[whom_ == Whom::kAll ? 0 : i] = Adwin(delta_, kClock);
}

void DriftWatch::note(std::uint64_t round, std::size_t learner) {
    if (events_.size() == 2 * kMostEvents) events_.erase(events_.begin(), events_.begin() + 2);
    events_.insert(events_.end(), {static_cast<std::int64_t>(round + 1), static_cast<std::int64_t>(learner)});
}

void DriftWatch::serialise(Archive& archive) {
    Adwin::serialise(archive, windows_);
    archive.integers("resets", resets_);
    archive.integers("drift_events", events_);
    if (!archive.loading()) return;
    Archive::check(resets_.size() == learners_, "resets");
    for (const std::int64_t one : resets_) Archive::check(one >= 0 && one <= Archive::kLargestCount, "resets");
    Archive::check(events_.size() % 2 == 0 && events_.size() <= 2 * kMostEvents, "drift_events");
    for (std::size_t k = 0; k < events_.size(); k += 2)
        Archive::check(events_[k] >= 0 && events_[k + 1] >= 0 && events_[k + 1] <= static_cast<std::int64_t>(learners_),
                       "drift_events");
    events_.reserve(2 * kMostEvents);
}

}  // namespace onlineboost
