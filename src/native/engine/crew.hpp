// One sweep over the learners, split among threads. Sweeps are element-wise over learners and ranges begin at multiples
// of eight, as the kernels' groups do, so that the number of threads cannot change a bit.
//
// The threads are made when a sweep first asks for them, and are kept. They belong to the process, not to a model: a
// sweep that finds them at work for another model does its work alone, and so does one for which no thread can be made.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

namespace onlineboost {

class Crew {
   public:
    static constexpr std::size_t kMostThreads = 256;
    static constexpr std::size_t kGroup = 8;
    using Work = void (*)(const void* context, std::size_t from, std::size_t to);

    // Calls work for ranges that make up [0, n), on up to `threads` threads, of which the caller is one; returns when
    // all are done.
    static void run(std::size_t threads, std::size_t n, Work work, const void* context);

    // A sweep over fewer numbers than this is not split: handing over would take longer than it saves.
    static std::size_t threshold();
    static void set_threshold(std::size_t numbers);
};

// work(from, to) over all of n learners, each of which has `numbers` numbers to look at.
template <class F>
inline void sweep(std::size_t threads, std::size_t n, std::size_t numbers, const F& work) {
    if (threads <= 1 || n * numbers < Crew::threshold()) return work(std::size_t{0}, n);
    Crew::run(
        threads, n, [](const void* f, std::size_t from, std::size_t to) { (*static_cast<const F*>(f))(from, to); },
        &work);
}

// task(k) for every k < n, each once: a thread that is done with one takes the next, so the largest had better be the
// first. Tasks share nothing that they change, and split nothing themselves. If some throw, one exception is thrown
// when all are done.
template <class F>
inline void each_of(std::size_t threads, std::size_t n, const F& task) {
    if (threads <= 1 || n <= 1) {
        for (std::size_t k = 0; k < n; ++k) task(k);
        return;
    }
    struct Shared {
        const F& task;
        const std::size_t n;
        std::atomic<std::size_t> next{0};
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
        void work() {
            for (std::size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < n;) {
                try {
                    task(k);
                } catch (...) {
                    if (!failed.exchange(true)) error = std::current_exception();
                }
            }
        }
    };
    Shared shared{task, n};
    const auto work = [&shared](std::size_t, std::size_t) { shared.work(); };
    using Work = decltype(work);
    Crew::run(
        threads, Crew::kGroup * std::min(threads, n),
        [](const void* f, std::size_t from, std::size_t to) { (*static_cast<Work*>(f))(from, to); }, &work);
    if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace onlineboost
