// A bounded window of labelled rows, with the bins that histograms are made of.
//
// A feature has edges e_0 < e_1 < …; its bin is the number of edges at or below a value, so that bin <= b exactly where
// value < e_b. Features that are absent from a row are 0: their cells are filled in by what the others leave.
//
// Where gaps have sides of their own, a missing value is NaN: its bin is above all others, and the rows that lack a
// feature have a cell as soon as there are any. Elsewhere it is what it was filled with.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/archive.hpp"
#include "engine/row.hpp"

namespace onlineboost {

struct WindowNumber {
    std::int32_t slot;
    float value;
    bool gap() const { return std::isnan(value); }
};
using WindowRow = std::vector<WindowNumber>;

struct WaitingRow {
    WindowRow numbers;
    double y = 1.0, weight = 1.0;  // +1 or -1; of many classes their number
    double score = 0.0;            // the sum of its trees;
    std::vector<double> scores;    // of many classes, one for each
    bool gaps = false;
};

class Window {
   public:
    static constexpr std::uint32_t kNoCell = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t kMostBins = 256;
    struct Feature {
        std::vector<float> edges;
        std::uint32_t offset = 0;          // of its first cell
        std::uint32_t gap_cell = kNoCell;  // of the rows that lack it
        std::uint8_t zero = 0;             // the bin of 0
        std::vector<std::uint8_t> bins;
        bool has_gap_cell() const { return gap_cell != kNoCell; }
        // With most edges there is no bin above all others: rows that lack the feature are in the last one.
        bool gaps_share() const { return edges.size() + 1 == kMostBins; }
        std::uint8_t gap_bin() const { return static_cast<std::uint8_t>(edges.size() + (gaps_share() ? 0 : 1)); }
    };

    // At most so many rows, and no more of them than `bytes` hold; at most so many bins per feature.
    // `extra` is what others keep for each row. `sides`: whether gaps have sides of their own.
    Window(std::size_t most, std::size_t bytes, std::size_t bins, std::size_t extra, bool sides)
        : most_(most), most_bytes_(bytes), most_bins_(bins), extra_(extra), sides_(sides) {}
    std::size_t size() const { return rows_.size(); }
    std::size_t features() const { return features_; }
    std::size_t cells() const { return cells_; }
    const WindowRow& row(std::size_t r) const { return rows_[r]; }
    double label(std::size_t r) const { return labels_[r]; }
    double weight(std::size_t r) const { return weights_[r]; }
    // The cells of the histogram that a row is in, of features with edges and but for those of 0.
    std::span<const std::uint32_t> cells_of(std::size_t r) const {
        return {pool_.data() + places_[r].begin, places_[r].count};
    }
    void prefetch_place(std::size_t r) const { __builtin_prefetch(&places_[r]); }
    void prefetch_cells(std::size_t r) const { __builtin_prefetch(pool_.data() + places_[r].begin); }
    const Feature& feature(std::size_t f) const { return table_[f]; }
    std::size_t numbers() const { return numbers_; }
    bool sides() const { return sides_; }
    bool any_gap() const { return any_gap_; }
    // Of the rows: the sums of their trees.
    std::vector<double>& scores() { return scores_; }
    const std::vector<double>& scores() const { return scores_; }

    // Of many classes that have begun (0: of two), those scores.
    std::size_t classes() const { return classes_; }
    std::vector<double>& scores(std::size_t k) { return class_scores_[k]; }
    const std::vector<double>& scores(std::size_t k) const { return class_scores_[k]; }

    // Whether there is memory for the rows that wait and one more, of `count` numbers, and for so many features and
    // classes; then nothing moves but rows that wait.
    bool has_room(std::size_t features, std::size_t classes, std::size_t count) const {
        const std::size_t rows = rows_.size() + waits_ + 1;
        return (rows <= room_ || std::min(rows, most_rows()) <= room_) && features <= table_.size() &&
               classes <= class_scores_.size() && numbers_to_bin() + count <= pool_.capacity();
    }
    void make_room(std::size_t features, std::size_t classes, std::size_t count);
    // The rows that it makes room for. Memory for many is asked for at once, for as many as there may ever be: what is
    // not touched is not taken, and rows never have to move all at once.
    std::size_t room_to_make() const;
    // Memory for the next row, which waits.
    void make_room_to_wait(std::size_t classes, std::size_t count);
    // A class begins, and every row has this score for it; it must have room.
    void begin_class(double score);
    // Rows of two classes become rows of many: +1 is class 0, -1 class 1, and scores are halves of the log-odds.
    void widen();
    void meet(std::size_t features) { features_ = features; }
    // A row that waits until the trees at work are done with those in the window; it must have room.
    void wait(const Row& row, double score);
    void wait(const Row& row, const std::vector<double>& scores);
    WaitingRow& last() { return waiting_[waits_ - 1]; }
    WaitingRow& waiting(std::size_t k) { return waiting_[k]; }
    std::size_t waiting() const { return waits_; }
    // The rows that wait take their places, at the end or of rows drawn at random: these.
    std::span<const std::uint32_t> admit(std::uint64_t seed, std::uint64_t& admitted);

    // New edges for all features, in three kinds of pieces: one sample of the rows, one call per feature, and bins row
    // by row.
    void sample(std::size_t most_bins);
    std::size_t sampled_features() const { return starts_.size() - 1; }
    void choose_edges(std::size_t f);
    void number_cells();
    void bin(std::size_t r);

    // Edges that the present tree chooses are not saved: how far it has come must not show.
    void serialise(Archive& archive, std::size_t features, bool edges_known, std::size_t classes);

    // Where features have cells of more than `kFineCells` in all, they have at most `kCoarseBins` each.
    static constexpr std::size_t kCoarseBins = 64, kFineCells = 8192, kMostCells = 32768;
    static constexpr std::size_t kCrowdBins = 32;  // of a feature at most, where a crowd of classes asks for few
    static float stored(double value);

   private:
    void settle(Feature& feature);
    void make_bins(std::size_t r);
    static constexpr std::size_t kSampledRows = 2048, kSampledNumbers = 200'000;

    // About what a row takes beside its numbers, each of these, and each class.
    static constexpr std::size_t kRowBytes = 104, kNumberBytes = 16, kClassBytes = 16;
    std::size_t bytes() const {
        return rows_.size() * (kRowBytes + features_ + extra_ + kClassBytes * classes_) + kNumberBytes * numbers_;
    }
    bool full() const { return rows_.size() >= most_ || (!rows_.empty() && bytes() >= most_bytes_); }
    void trim();
    std::size_t most_rows() const;
    // In the pool at most, once the rows that wait are there.
    std::size_t numbers_to_bin() const { return std::max(pooled_, numbers_) + wait_numbers_; }

    void list_with_gaps(const Row& row, WindowRow& numbers);
    void bin_gap(Feature& feature, std::size_t r);
    static constexpr float kGap = std::numeric_limits<float>::quiet_NaN();

    std::size_t most_, most_bytes_, most_bins_, extra_, numbers_ = 0;  // numbers in the rows
    bool sides_, any_gap_ = false;                                     // whether rows have had gaps
    std::size_t features_ = 0, cells_ = 0, room_ = 0;
    struct Place {
        std::uint32_t begin = 0, count = 0;
    };
    std::vector<WindowRow> rows_;
    std::vector<double> labels_, weights_, scores_;
    // The cells of all rows. Those of rows that are gone stay until there are new bins.
    std::vector<std::uint32_t> pool_;
    std::size_t pooled_ = 0;  // when rows were admitted last
    std::vector<Place> places_;
    std::vector<WaitingRow> waiting_;
    std::vector<std::uint32_t> taken_;  // the places of those that came last
    std::size_t classes_ = 0;
    std::vector<std::vector<double>> class_scores_;  // the first classes_ are in use
    std::size_t waits_ = 0, wait_numbers_ = 0;       // numbers in these
    std::vector<Feature> table_;
    std::vector<std::size_t> starts_;        // of each feature in the sample,
    std::vector<std::size_t> sampled_gaps_;  // and the rows that lack it
    std::vector<float> sampled_;
    std::size_t sampled_rows_ = 0, sampled_features_ = 0, sampled_bins_ = 0;  // the last: of a feature, at most
};

}  // namespace onlineboost
