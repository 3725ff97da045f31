// Many readers or one writer, and a fork at any time.
//
// A fork copies the lock as it is, and of the threads only the one that forks. Readers that are gone leave nothing
// behind, so that the child takes the lock over. A writer that is gone may have left half of a row: the child refuses
// to go on with it.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace onlineboost {

class Lock {
   public:
    Lock() {
        [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
    }
    void lock() {
        for (;;) {
            std::uint32_t seen = look();
            if (seen == 0 && state_.compare_exchange_weak(seen, kWriter, std::memory_order_acquire)) return;
            if (seen != 0) state_.wait(seen, std::memory_order_relaxed);
        }
    }
    void unlock() noexcept {
        state_.exchange(0);  // a full barrier: whoever goes to sleep is seen by notify, or sees this
        state_.notify_all();
    }
    void lock_shared() {
        for (;;) {
            std::uint32_t seen = look();
            if (seen != kWriter && state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return;
            if (seen == kWriter) state_.wait(seen, std::memory_order_relaxed);
        }
    }
    void unlock_shared() noexcept {
        if (state_.fetch_sub(1) == 1) state_.notify_all();
    }

   private:
    static constexpr std::uint32_t kWriter = ~std::uint32_t{0};

    // How many forks led to this process since the first lock was made.
    static inline std::atomic<std::uint32_t> forks{0};

    // The state, after what other processes left of it is cleared away.
    std::uint32_t look() {
        const std::uint32_t now = forks.load(std::memory_order_relaxed);
        if (std::uint32_t then = forks_.load(std::memory_order_acquire); then != now) {
            const std::uint32_t left = state_.load(std::memory_order_relaxed);
            if (left == kWriter)
                throw std::runtime_error(
                    "This model was in use by another thread when the process was forked: load or copy it anew in the "
                    "child.");
            // The first of the child's threads clears the readers away, before any of them is counted.
            if (forks_.compare_exchange_strong(then, now)) {
                state_.fetch_sub(left);
                state_.notify_all();
            }
        }
        return state_.load(std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> state_{0};  // the number of readers, or kWriter
    std::atomic<std::uint32_t> forks_{forks.load(std::memory_order_relaxed)};
};

}  // namespace onlineboost
