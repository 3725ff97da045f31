// A batch is learned in slices of time, so that whoever asked for it may be interrupted between two of them.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>

namespace onlineboost {

class Slice {
   public:
    explicit Slice(std::size_t rows) : began_(rows > 1 ? Clock::now() : Clock::time_point()), looked_(began_) {}

    // Before each row: whether the time is up. It is not before the first.
    bool over() {
        if (--left_ > 0) return false;
        const auto now = Clock::now();
        const double limit = seconds_.load(std::memory_order_relaxed);
        left_ = since(looked_, now) > limit / kRows ? 1 : kRows;
        looked_ = now;
        return since(began_, now) >= limit;
    }

    // Of all slices that begin from now on; 0: without end. No result depends on it.
    static void set_seconds(double seconds) {
        seconds_.store(seconds > 0.0 ? seconds : std::numeric_limits<double>::infinity(), std::memory_order_relaxed);
    }

   private:
    using Clock = std::chrono::steady_clock;
    static double since(Clock::time_point from, Clock::time_point to) {
        return std::chrono::duration<double>(to - from).count();
    }

    static constexpr int kRows = 16;  // between two looks at the clock, unless rows take long
    static inline std::atomic<double> seconds_{0.05};

    Clock::time_point began_, looked_;
    int left_ = 2;
};

}  // namespace onlineboost
