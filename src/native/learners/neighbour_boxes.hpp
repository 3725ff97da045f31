// The rows of a memory in boxes of neighbours, for searches among few features.
//
// A box has at most kSize rows, and the least and largest value of each feature, so that the distance to it is a lower
// bound of those to its rows. A row joins the box nearest to it; a full box splits at the median of its widest feature,
// and one with few rows left is dissolved. A search looks into boxes in the order of their distance until the next is
// farther than what it has found. It finds what a look at every row does, to the bit: distances come from the same
// kernel, and bounds leave room for rounding. Nothing of this is saved.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class NeighbourBoxes {
   public:
    static constexpr std::size_t kSize = 64, kFew = 8;

    // What a search needs beside the boxes.
    struct Room {
        std::vector<float> bounds;
        std::vector<std::pair<double, std::uint32_t>> heap;
        std::array<double, kSize> distances;
        std::vector<const float*> columns;
        std::size_t visited = 0;  // rows that the last search looked at
    };
    // A row: its values by feature, of which `slots` are not 0, in this order; the sum of their squares, and of those
    // beside them that no row of the memory has.
    struct Query {
        const float* values;
        std::span<const std::int32_t> slots;
        const double* x;
        double xx;
    };

    std::size_t features() const { return features_; }
    // Memory for so many rows, one more than there are, and for so many features in all; for a search after that, too.
    void make_room(std::size_t rows, std::size_t features, Room& room);
    // Features that no row had so far; room was made for them.
    void meet(std::size_t features);
    void put(std::uint32_t row, const float* values, double norm);
    void take(std::uint32_t row);
    void clear();
    // The `most` nearest rows in ascending order, of equal ones the first; gives how many. distances[row] is set for
    // these.
    std::size_t search(const Query& query, std::size_t most, Room& room, double* distances,
                       std::uint32_t* nearest) const;

   private:
    struct Box {
        std::size_t count = 0;
        std::array<std::uint32_t, kSize> rows;
        std::array<double, kSize> norms;
        std::vector<float> values;  // kSize of each feature
    };
    void bounds_of(const float* values, float* bounds) const;
    std::size_t nearest_to(const float* values);
    std::size_t add_box();
    void drop_box(std::size_t b);
    void split(std::size_t b);
    void shrink(std::size_t b);
    void place(std::size_t b, std::uint32_t row, const float* values, double norm);

    std::size_t features_ = 0;
    std::vector<std::unique_ptr<Box>> boxes_, spare_;
    std::vector<std::vector<float>> least_, largest_;  // by feature, of each box
    std::vector<double> norms_;                        // of each box, the largest that was put in
    std::vector<std::uint32_t> box_of_;                // by row
    std::vector<float> bounds_, left_over_;            // room for the above
};

}  // namespace onlineboost
