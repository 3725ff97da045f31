// The state of members on a window: the rows, the members, and since when the pupil is taught.
#include <algorithm>
#include <string>

#include "engine/lookup.hpp"
#include "learners/window_members.hpp"
#include "learners/wrapper.hpp"

namespace onlineboost {

namespace {
constexpr double kLargestLoss = 1e20, kLargestVote = 100.0, kLargestLesson = 10.0;
constexpr double kLargestWeight = 1e15;
}  // namespace

std::uint64_t WindowMembersBank::first_kept() const {
    return born_ > 0 ? std::min(first_of(began_), first_of(learned_)) : 0;
}

std::vector<std::size_t> WindowMembersBank::places_of(std::uint64_t first) const {
    std::vector<std::size_t> found;
    for (std::uint64_t t = first; t < learned_; ++t) found.push_back(place(t));
    return found;
}

void WindowMembersBank::serialise_rows(Archive& archive) {
    const bool loading = archive.loading();
    const std::vector<std::size_t> places = loading ? std::vector<std::size_t>{} : places_of(first_kept());
    std::vector<std::int64_t> counts, ids, gap_counts, gaps;
    std::vector<double> values, labels, weights, losses, lessons;
    for (const std::size_t at : places) {
        const auto& [row, y] = rows_[at];
        counts.push_back(static_cast<std::int64_t>(row.size()));
        gap_counts.push_back(static_cast<std::int64_t>(row.gaps.size()));
        ids.insert(ids.end(), row.ids.begin(), row.ids.end());
        gaps.insert(gaps.end(), row.gaps.begin(), row.gaps.end());
        values.insert(values.end(), row.raw.begin(), row.raw.end());
        labels.push_back(y);
        weights.push_back(weights_[at]);
        losses.push_back(losses_[at]);
        lessons.push_back(lesson_[at]);
    }
    archive.integers("member_row_counts", counts);
    archive.integers("member_row_features", ids);
    archive.integers("member_row_gap_counts", gap_counts);
    archive.integers("member_row_gaps", gaps);
    const std::size_t n = counts.size();
    Archive::check(n == learned_ - first_kept() && gap_counts.size() == n, "member_row_counts");
    values.resize(ids.size());
    for (auto* numbers : {&labels, &weights, &losses, &lessons}) numbers->resize(n);
    archive.numbers("member_row_values", values.data(), values.size(), -kLargestInput, kLargestInput);
    archive.numbers("member_row_labels", labels.data(), n, -1.0, 1.0);
    archive.numbers("member_row_weights", weights.data(), n, kNegligible, kLargestWeight);
    archive.numbers("member_row_losses", losses.data(), n, 1.0 / kLargestLoss, kLargestLoss);
    archive.numbers("member_row_lessons", lessons.data(), n, 0.0, kLargestLesson);
    if (!loading) return;
    const auto rows = static_cast<std::size_t>(std::min(learned_, most_rows()));
    rows_.assign(rows, {});
    for (auto* numbers : {&weights_, &losses_, &lesson_}) numbers->assign(rows, 0.0);
    std::size_t at = 0, gap = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t to = place(first_kept() + k);
        auto& [row, y] = rows_[to];
        Archive::check(counts[k] >= 0 && static_cast<std::uint64_t>(counts[k]) <= ids.size() - at, "member_row_counts");
        Archive::check(gap_counts[k] >= 0 && static_cast<std::uint64_t>(gap_counts[k]) <= gaps.size() - gap,
                       "member_row_gap_counts");
        for (std::int64_t j = 0; j < counts[k]; ++j, ++at) {
            Archive::check(ids[at] >= 0 && ids[at] < kNoFeature && (j == 0 || ids[at - 1] < ids[at]),
                           "member_row_features");
            row.ids.push_back(static_cast<FeatureId>(ids[at]));
            row.raw.push_back(values[at]);
        }
        for (std::int64_t j = 0; j < gap_counts[k]; ++j, ++gap) {
            Archive::check(gaps[gap] >= 0 && gaps[gap] < counts[k], "member_row_gaps");
            row.gaps.push_back(static_cast<std::uint32_t>(gaps[gap]));
        }
        Archive::check(labels[k] == 1.0 || labels[k] == -1.0, "member_row_labels");
        y = labels[k];
        weights_[to] = weights[k];
        losses_[to] = losses[k];
        lesson_[to] = lessons[k];
    }
    Archive::check(at == ids.size(), "member_row_counts");
    Archive::check(gap == gaps.size(), "member_row_gap_counts");
}

void WindowMembersBank::serialise_members(Archive& archive) {
    std::uint64_t count = members_.size();
    archive.counter("members", count);
    Archive::check(!archive.loading() || members_.empty(), "members");
    Archive::check(count <= layout.learners && count + 1 <= std::max<std::uint64_t>(born_, 1), "members");
    std::vector<double> votes(layout.learners);
    for (std::size_t j = 0; j < members_.size(); ++j) votes[j] = members_[j]->vote;
    archive.numbers("member_votes", votes.data(), votes.size(), -kLargestVote, kLargestVote);
    const std::vector<std::size_t> window = places_of(first_of(learned_));
    std::vector<std::int64_t> agrees;
    for (const auto& member : members_)
        for (const std::size_t at : window) agrees.push_back(member->agrees[at]);
    archive.integers("member_agrees", agrees);
    Archive::check(agrees.size() == count * window.size(), "member_agrees");
    for (const std::int64_t one : agrees) Archive::check(one >= -1 && one <= 1, "member_agrees");
    std::vector<std::int64_t> numbers;
    for (const auto& member : members_) numbers.push_back(static_cast<std::int64_t>(member->number));
    archive.integers("member_numbers", numbers);
    Archive::check(numbers.size() == count, "member_numbers");
    for (std::size_t j = 0; j < count; ++j) {
        Archive::check(
            numbers[j] >= (j > 0 ? numbers[j - 1] + 1 : 0) && static_cast<std::uint64_t>(numbers[j]) + 1 < born_,
            "member_numbers");
        if (archive.loading()) {
            Member& member = *members_.emplace_back(std::move(fresh(static_cast<std::uint64_t>(numbers[j]))->member));
            member.vote = votes[j];
            member.agrees.assign(rows_.size(), 0);
            for (std::size_t k = 0; k < window.size(); ++k)
                member.agrees[window[k]] = static_cast<std::int8_t>(agrees[j * window.size() + k]);
        }
        PrefixedArchive named(archive, "member" + std::to_string(j) + ".");
        serialise_features(named, members_[j]->features);
        Archive::check(members_[j]->features.ids().size() <= members_[j]->bank->most_features(), "features");
        members_[j]->bank->serialise(named, members_[j]->features.ids());
    }
}

void WindowMembersBank::serialise(Archive& archive, const std::vector<FeatureId>&) {
    archive.counter("members_learned", learned_);
    archive.counter("members_born", born_);
    archive.counter("member_began", began_);
    if (born_ > 0)
        Archive::check(began_ >= kFirst && began_ <= learned_ && learned_ < began_ + span() && born_ <= began_,
                       "member_began");
    else
        Archive::check(began_ == 0 && learned_ < kFirst, "member_began");
    serialise_rows(archive);
    serialise_members(archive);
    if (!archive.loading()) return;
    spare_.reset();
    pupil_ = born_ > 0 ? fresh(born_ - 1) : nullptr;
}

}  // namespace onlineboost
