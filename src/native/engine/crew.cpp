#include "engine/crew.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#if defined(ONLINEBOOST_X86)
#include <immintrin.h>
#endif

namespace onlineboost {

namespace {

constexpr int kSpins = 4000;  // about the time from one sweep of an example to the next, for thousands of learners
// On two quiet cores 200,000 numbers gain 1.4 times, 120,000 nothing; on busy ones, up to half a million may lose some
// percent.
std::atomic<std::size_t> worthwhile{200'000};

inline void breathe() {
#if defined(ONLINEBOOST_X86)
    _mm_pause();
#endif
}

// A worker and the one range that may wait for it. The caller takes a range back that its worker has not begun, so that
// a worker that the system does not run delays nobody.
class Worker {
   public:
    Worker() {
        // Signals are for the threads of the program.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            std::thread([this] { serve(); }).detach();
        } catch (...) {
            pthread_sigmask(SIG_SETMASK, &before, nullptr);
            throw;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    void post(Crew::Work work, const void* context, std::size_t from, std::size_t to) {
        work_ = work;
        context_ = context;
        from_ = from;
        to_ = to;
        state_.store(kPosted, std::memory_order_release);
        state_.notify_one();
    }
    // Does the range if its worker has not begun, and waits for it otherwise.
    void settle() {
        int expected = kPosted;
        if (state_.compare_exchange_strong(expected, kIdle, std::memory_order_acquire))
            return work_(context_, from_, to_);
        for (int spins = 0; state_.load(std::memory_order_acquire) != kIdle; ++spins) {
            if (spins < kSpins)
                breathe();
            else
                std::this_thread::yield();
        }
    }

   private:
    enum State : int { kIdle, kPosted, kTaken };

    [[noreturn]] void serve() {
        for (;;) {
            for (int spins = 0; spins < kSpins && state_.load(std::memory_order_relaxed) != kPosted; ++spins) breathe();
            state_.wait(kIdle, std::memory_order_relaxed);
            int expected = kPosted;
            if (!state_.compare_exchange_strong(expected, kTaken, std::memory_order_acquire)) continue;
            work_(context_, from_, to_);
            state_.store(kIdle, std::memory_order_release);
        }
    }

    alignas(128) std::atomic<int> state_{kIdle};
    Crew::Work work_ = nullptr;
    const void* context_ = nullptr;
    std::size_t from_ = 0, to_ = 0;
};

struct Workers {
    std::mutex busy;
    std::vector<std::unique_ptr<Worker>> all;  // never fewer than before: a detached thread refers to each
    std::size_t most = Crew::kMostThreads;     // less once the system had no more threads to give
};

// Never freed, because the threads run until the process ends. A forked child has none of the threads, so it begins
// anew.
std::atomic<Workers*> current{nullptr};

// Null if there is no memory for them.
Workers* workers() noexcept {
    Workers* found = current.load(std::memory_order_acquire);
    if (found) return found;
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { current.store(nullptr); });
    std::unique_ptr<Workers> made(new (std::nothrow) Workers);
    if (!made) return nullptr;
    if (current.compare_exchange_strong(found, made.get())) return made.release();
    return found;
}

// How many workers there are, after trying to have `wanted`.
std::size_t hire(Workers& crew, std::size_t wanted) {
    wanted = std::min(wanted, crew.most);
    try {
        crew.all.reserve(wanted);
        while (crew.all.size() < wanted) crew.all.push_back(std::make_unique<Worker>());
    } catch (const std::exception&) {
        crew.most = wanted = crew.all.size();
    }
    return wanted;
}

}  // namespace

std::size_t Crew::threshold() { return worthwhile.load(std::memory_order_relaxed); }
void Crew::set_threshold(std::size_t numbers) { worthwhile.store(numbers, std::memory_order_relaxed); }

void Crew::run(std::size_t threads, std::size_t n, Work work, const void* context) {
    const std::size_t groups = n / kGroup;
    threads = std::min({threads, groups, kMostThreads});
    if (threads <= 1) return work(context, 0, n);
    Workers* crew = workers();
    if (!crew) return work(context, 0, n);
    const std::unique_lock turn(crew->busy, std::try_to_lock);
    if (!turn.owns_lock()) return work(context, 0, n);
    const std::size_t helpers = hire(*crew, threads - 1), parts = helpers + 1;
    const auto edge = [&](std::size_t part) { return part == parts ? n : groups * part / parts * kGroup; };
    for (std::size_t k = 0; k < helpers; ++k) crew->all[k]->post(work, context, edge(k + 1), edge(k + 2));
    work(context, 0, edge(1));
    for (std::size_t k = 0; k < helpers; ++k) crew->all[k]->settle();
}

}  // namespace onlineboost
