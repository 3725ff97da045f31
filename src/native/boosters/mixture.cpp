#include "boosters/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "engine/implicit_step.hpp"

namespace onlineboost {

namespace {
constexpr std::size_t kMostEvents = 128;
}

Mixture::Mixture(std::size_t families, Options options)
    : families_(families), options_(options),
      generations_(std::max<std::size_t>(options.generations, 1), {LogitStack(families, options.variance)}),
      present_(generations_.size() * families), before_(experts()),
      tracker_(experts(), families + 1, options.generations > 0), alarm_(options.delta, options.clock),
      point_(options.metric), mistakes_(families + 1) {
    generations_[0].status = Status::kLearns;
    std::fill_n(present_.begin(), families, 1.0);
    events_.reserve(3 * kMostEvents);
}

void Mixture::set_decision(const Decision& decision) {
    constexpr double most = EffectiveWeights::kLargestOdds;
    odds_ = decision.odds;
    costs_ = std::clamp(decision.costs, 1.0 / most, most);
    point_.set_positive(decision.positive);
}

double Mixture::vote(Scratch& scratch) const {
    const double p = forecast(scratch);
    plain(scratch) = p;
    return 2.0 * tilted(tilted(p, class_odds()), costs_ * point_.odds()) - 1.0;
}

double Mixture::class_odds() const {
    constexpr double most = EffectiveWeights::kLargestOdds;
    const double odds = options_.targets ? weights_.odds(options_.balanced) * odds_ : odds_;
    return std::clamp(odds, 1.0 / most, most);
}

double Mixture::forecast(Scratch& scratch) const {
    double* q = probabilities(scratch);
    bool silent = false;
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        if (generations_[g].status == Status::kEmpty) continue;
        double* l = logits(scratch, g);
        for (std::size_t k = 0; k < families_; ++k) {
            const std::size_t place = g * families_ + k;
            const double h = scratch.h[place];
            const bool speaks = present(place) && h <= 1.0;
            silent = silent || (present(place) && !speaks);
            const double odds = (1.0 + h) / std::max(1.0 - h, 1e-300);
            l[k] = speaks ? std::clamp(math::log_fixed(std::max(odds, 1e-300)), -kLargestLogit, kLargestLogit) : 0.0;
            q[expert(place)] = sigmoid(l[k]);
        }
        q[stack_expert(g)] = sigmoid(std::clamp(generations_[g].stack.score(l), -kLargestLogit, kLargestLogit));
    }
    if (!silent) return tracker_.forecast(q);
    // A family that takes no more features is counted out with the next example.
    double p = 0.0, total = 0.0;
    for (std::size_t e = 0; e < experts(); ++e) {
        const std::size_t g = e / (families_ + 1), place = e - g - 1;
        if (tracker_.weights()[e] <= 0.0 || (e != stack_expert(g) && scratch.h[place] > 1.0)) continue;
        p += tracker_.weights()[e] * q[e];
        total += tracker_.weights()[e];
    }
    return total > 0.0 ? p / total : 0.5;
}

void Mixture::learn(Bank& bank, Scratch& scratch, double y, double s, double vote) {
    const double p = plain(scratch);
    point_.learn(tilted(p, class_odds()), y, s);
    if (options_.targets) s = weights_.learn(y, s);
    for (std::size_t i = 0; i < present_.size(); ++i)
        if (present(i) && scratch.h[i] > 1.0) retire(bank, i);
    // As vote() left them: nothing that they follow from has changed.
    double *q = probabilities(scratch), *true_q = given(scratch);
    for (std::size_t e = 0; e < experts(); ++e) true_q[e] = tracker_.alive(e) ? (y > 0.0 ? q[e] : 1.0 - q[e]) : 1.0;
    mistakes_[0] += y * vote <= 0.0 ? s : 0.0;
    for (std::size_t k = 0; k < families_; ++k) {  // a family that is silent errs
        const std::size_t place = leads_ * families_ + k;
        mistakes_[k + 1] += present(place) && true_q[expert(place)] > 0.5 ? 0.0 : s;
    }
    tracker_.learn(true_q, s);
    weight_ += s;
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        auto& [stack, status, born, led, weight] = generations_[g];
        if (status == Status::kLearns) stack.learn(logits(scratch, g), stack.score(logits(scratch, g)), y, s);
        for (std::size_t i = g * families_; i < (g + 1) * families_; ++i) {
            if (present(i) && !bank.at_work(i)) retire(bank, i);  // it has met more features than it takes
            scratch.weights[i] = status == Status::kLearns || status == Status::kAwaited ? s : 0.0;
        }
    }
    bank.update(scratch, y, scratch.weights.data());
    if (options_.generations > 0) {
        join(bank);
        const bool alarm = alarm_.update(y * (2.0 * p - 1.0) <= 0.0 ? 1.0 : 0.0) && alarm_.rose();
        if (options_.generations > 1) live(bank, alarm);
        for (std::size_t i = 0; i < present_.size(); ++i)
            bank.rest(i, generations_[i / families_].status == Status::kRests);
    }
    for (std::size_t g = 0; g < generations_.size(); ++g) look(bank, g);
}

// At counts of examples that double, families that carry little retire.
void Mixture::look(Bank& bank, std::size_t g) {
    const auto& [stack, status, born, led, weight] = generations_[g];
    const std::uint64_t first = options_.first_look, t = rounds + 1 - born;
    if (status != Status::kLearns || first == 0 || t < first || t % first != 0) return;
    if (((t / first) & (t / first - 1)) != 0) return;
    std::copy(tracker_.weights().begin(), tracker_.weights().end(), before_.begin());  // before the first retires
    const auto from = present_.begin() + static_cast<std::ptrdiff_t>(g * families_);
    const auto to = from + static_cast<std::ptrdiff_t>(families_);
    double all = 0.0;
    for (std::size_t k = 0; k < families_; ++k) all += present_[g * families_ + k] * stack.pull(k);
    for (std::size_t k = 0; k < families_; ++k) {
        const std::size_t place = g * families_ + k;
        if (!present(place) || std::count(from, to, 1.0) < 2) continue;
        if (before_[expert(place)] >= options_.least_weight || stack.pull(k) >= options_.least_share * all) continue;
        retire(bank, place);
        note(Event::kRetired, k);
    }
}

void Mixture::retire(Bank& bank, std::size_t place) {
    bank.retire(place);
    present_[place] = 0.0;
    generations_[place / families_].stack.drop(place % families_);
    tracker_.drop(expert(place));
}

void Mixture::serialise(Archive& archive) {
    std::vector<LogitStack*> stacks;
    for (Generation& one : generations_) stacks.push_back(&one.stack);
    LogitStack::serialise(archive, stacks);
    archive.numbers("families_present", present_.data(), present_.size(), 0.0, 1.0);
    tracker_.serialise(archive);
    counts_ = counts_ && archive.has("family_mistakes");
    if (counts_) archive.sums("family_mistakes", mistakes_.data(), mistakes_.size());
    if (options_.targets) weights_.serialise(archive);
    point_.serialise(archive);
    if (archive.loading())
        for (const double one : present_) Archive::check(one == 0.0 || one == 1.0, "families_present");
    if (options_.generations == 0) {
        if (!archive.loading()) return;
        for (std::size_t k = 0; k < families_; ++k)
            if (!present(k)) tracker_.drop(expert(k));
        return;
    }
    alarm_.serialise(archive);
    std::vector<std::int64_t> lives{static_cast<std::int64_t>(leads_)};
    std::vector<double> weights{weight_};
    for (const Generation& one : generations_) {
        lives.insert(lives.end(), {static_cast<std::int64_t>(one.status), static_cast<std::int64_t>(one.born),
                                   static_cast<std::int64_t>(one.led)});
        weights.push_back(one.weight);
    }
    archive.integers("generations", lives);
    archive.sums("generation_weights", weights.data(), weights.size());
    archive.integers("events", events_);
    if (!archive.loading()) return;
    Archive::check(lives.size() == 3 * generations_.size() + 1, "generations");
    for (const std::int64_t one : lives) Archive::check(one >= 0 && one <= Archive::kLargestCount, "generations");
    Archive::check(lives[0] < static_cast<std::int64_t>(generations_.size()), "generations");
    leads_ = static_cast<std::size_t>(lives[0]);
    weight_ = weights[0];
    for (std::size_t g = 0; g < generations_.size(); ++g) {
        Archive::check(lives[3 * g + 1] <= static_cast<std::int64_t>(Status::kAwaited), "generations");
        generations_[g].status = static_cast<Status>(lives[3 * g + 1]);
        generations_[g].born = static_cast<std::uint64_t>(lives[3 * g + 2]);
        generations_[g].led = static_cast<std::uint64_t>(lives[3 * g + 3]);
        generations_[g].weight = weights[g + 1];
        Archive::check(generations_[g].born <= rounds && generations_[g].led <= rounds, "generations");
        const bool lives_now = generations_[g].status == Status::kLearns || generations_[g].status == Status::kRests;
        Archive::check(tracker_.alive(stack_expert(g)) == lives_now, "experts_alive");
        for (std::size_t i = g * families_; i < (g + 1) * families_; ++i)
            Archive::check(tracker_.alive(expert(i)) == present(i) && (lives_now || !present(i)), "experts_alive");
    }
    Archive::check(generations_[leads_].status == Status::kLearns, "generations");
    Archive::check(events_.size() % 3 == 0 && events_.size() <= 3 * kMostEvents, "events");
    events_.reserve(3 * kMostEvents);
    for (std::size_t i = 0; i < events_.size(); i += 3)
        Archive::check(events_[i] >= 0 && events_[i + 1] >= 0 && events_[i + 1] <= 3 && events_[i + 2] >= 0 &&
                           events_[i + 2] < static_cast<std::int64_t>(families_),
                       "events");
}

std::unique_ptr<Booster> Mixture::build(const Parameters& p, std::size_t learners) {
    Options options{.variance = p.number("variance"),
                    .first_look = p.whole("first_look"),
                    .least_weight = p.number("least_weight"),
                    .least_share = p.number("least_share")};
    if (p.has("generations")) {
        options.generations = p.count("generations");
        options.delta = p.number("delta");
        options.clock = p.whole("clock");
        options.trial = p.whole("trial");
        options.first_birth = p.whole("first_birth");
        options.rest = p.whole("rest");
        options.lead = p.number("lead");
    }
    if (p.has("weights")) {
        options.targets = p.text("weights") == "targets";
        options.balanced = p.flag("balanced");
        options.metric = p.choice<OperatingPoint::Metric>("metric", {"none", "f1", "balanced_accuracy"});
    }
    return std::make_unique<Mixture>(learners / std::max<std::size_t>(options.generations, 1), options);
}

}  // namespace onlineboost
