// Which leaf of which tree each row of a window is in, so that a tree that is dropped need not be walked again.
//
// A row brings its leaves with it: trees were asked for it when it came. A new tree brings those of all rows. Of a tree
// from a file nothing is known.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/storage.hpp"

namespace onlineboost {

class LeafTable {
   public:
    // Of so many trees and leaves; kept where it takes little memory.
    LeafTable(std::size_t trees, std::size_t leaves, std::size_t rows)
        : trees_(leaves <= 256 && trees * rows <= kMostBytes ? trees : 0), columns_(trees_), known_(trees_, 0) {}
    bool kept() const { return trees_ > 0; }
    std::size_t bytes_per_row() const { return trees_; }

    void make_room(std::size_t rows) {
        if (!kept() || dropped_.capacity() >= rows) return;
        for (auto& column : columns_) column.reserve(rows);
        dropped_.reserve(rows);
    }
    void make_room_to_wait(std::size_t waiting) {
        if (kept()) onlineboost::make_room(waiting_, (trees_ + 1) * waiting);
    }
    // A row waits, for which the trees have these leaves.
    void wait(const std::uint8_t* leaves) {
        if (!kept()) return;
        waiting_.insert(waiting_.end(), leaves, leaves + trees_);
        waiting_.push_back(0);
    }
    // The tree at place i is dropped for one that has these leaves: of the rows, and of the rows that wait.
    void take(std::size_t i, std::span<const std::uint32_t> rows) {
        if (!kept()) return;
        dropped_.swap(columns_[i]);
        dropped_known_ = known_[i] != 0;
        known_[i] = 1;
        columns_[i].assign(rows.begin(), rows.end());
        for (std::size_t k = i; k < waiting_.size(); k += trees_ + 1) waiting_[k - i + trees_] = waiting_[k];
        place_ = i;
    }
    void take_waiting(std::size_t k, std::size_t leaf) {
        if (kept()) waiting_[k * (trees_ + 1) + place_] = static_cast<std::uint8_t>(leaf);
    }
    // The rows that wait take these places among so many.
    void admit(std::span<const std::uint32_t> places, std::size_t rows) {
        if (!kept()) return;
        for (std::size_t i = 0; i <= trees_; ++i) {
            if (i < trees_ ? known_[i] == 0 : !dropped_known_) continue;
            auto& column = i < trees_ ? columns_[i] : dropped_;
            column.resize(rows);
            const std::uint8_t* from = waiting_.data() + i;
            for (std::size_t k = 0; k < places.size(); ++k, from += trees_ + 1) column[places[k]] = *from;
        }
        waiting_.clear();
    }
    // Of the tree that was dropped last; null where they are not known.
    const std::uint8_t* dropped() const { return dropped_known_ ? dropped_.data() : nullptr; }
    // Nothing is known; so many rows wait.
    void forget(std::size_t waiting) {
        known_.assign(trees_, 0);
        dropped_known_ = false;
        if (kept()) waiting_.assign(waiting * (trees_ + 1), 0);
    }

   private:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 26;

    std::size_t trees_, place_ = 0;
    std::vector<std::vector<std::uint8_t>> columns_;
    std::vector<std::uint8_t> known_, dropped_, waiting_;  // `waiting_` has a row of trees_ + 1 for each
    bool dropped_known_ = false;
};

}  // namespace onlineboost
