// ADWIN: a window of a stream's last values that is cut where its two parts have different means.
//
// Bifet, Gavalda, "Learning from Time-Changing Data with Adaptive Windowing", SDM 2007, Sections 3.2 and 4: the window
// of n values lies in an exponential histogram, at most five buckets of each size 1, 2, 4, ... For every cut between
// buckets, with n0 and n1 values on its sides, 1/m = 1/n0 + 1/n1 and L = ln(2 ln(n) / delta), the oldest bucket goes if
//
//   |mean0 - mean1| >= sqrt(2/m var L) + 2/(3m) L
//
// and this is repeated until no cut is left.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "engine/archive.hpp"

namespace onlineboost {

class Adwin {
   public:
    // Looks for a change after every `clock` values.
    Adwin(double delta, std::uint64_t clock) : delta_(delta), clock_(clock) {}

    // x in [0, 1]; gives whether the window was cut.
    bool update(double x);
    // Whether the mean was higher after the last cut than before it.
    bool rose() const { return rose_ > 0.0; }
    std::uint64_t width() const { return width_; }
    double mean() const { return width_ > 0 ? sum_ / static_cast<double>(width_) : 0.0; }
    void serialise(Archive& archive) { serialise(archive, {this, 1}); }
    // Several in one pair of fields.
    static void serialise(Archive& archive, std::span<Adwin> windows);

   private:
    static constexpr std::size_t kBuckets = 5, kSizes = 48;
    static constexpr std::uint64_t kLeastWidth = 10, kLeastPart = 5;
    struct Bucket {
        double sum, squares;
    };
    struct Level {  // of buckets of one size, oldest first
        std::array<Bucket, kBuckets + 1> buckets{};
        std::size_t count = 0;
    };
    bool cuts();
    std::size_t restore(const std::int64_t* counts);
    void restore(const double* values);
    void drop_oldest();

    double delta_;
    std::uint64_t clock_;
    std::array<Level, kSizes> levels_{};  // bucket sizes 1, 2, 4, ...
    std::uint64_t width_ = 0, ticks_ = 0;
    double sum_ = 0.0, squares_ = 0.0, rose_ = 0.0;
};

}  // namespace onlineboost
