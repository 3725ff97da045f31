#include "engine/background_task.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace onlineboost {

// Never freed, because the threads run until the process ends. A forked child begins a new one.
struct BackgroundTask::Pool {
    static constexpr std::size_t kMostThreads = 64;
    std::mutex mutex;
    std::condition_variable queued, rested;
    std::vector<BackgroundTask*> queue;  // first come, first served
    std::size_t threads = 0, most = kMostThreads;

    // Threads do not get the program's signals.
    void hire(std::size_t wanted) {
        wanted = std::min(wanted, most);
        if (threads >= wanted) return;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; threads < wanted; ++threads) std::thread([this] { serve(*this); }).detach();
        } catch (const std::exception&) {
            most = threads;  // the system has no more
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
};

std::atomic<BackgroundTask::Pool*> BackgroundTask::current_{nullptr};

// Null if there is no memory for it.
BackgroundTask::Pool* BackgroundTask::pool() {
    if (Pool* found = current_.load(std::memory_order_acquire)) return found;
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { current_.store(nullptr); });
    std::unique_ptr<Pool> made(new (std::nothrow) Pool);
    Pool* found = nullptr;
    if (made && current_.compare_exchange_strong(found, made.get())) return made.release();
    return found;
}

void BackgroundTask::serve(Pool& pool) {
    std::unique_lock lock(pool.mutex);
    for (;;) {
        pool.queued.wait(lock, [&] { return !pool.queue.empty(); });
        BackgroundTask& task = *pool.queue.front();
        pool.queue.erase(pool.queue.begin());
        task.state_.store(kAtWork, std::memory_order_relaxed);
        for (bool more = true; more && !task.stopping_;) {
            lock.unlock();
            more = task.piece_(task.owner_);
            lock.lock();
        }
        task.state_.store(kRests, std::memory_order_release);
        pool.rested.notify_all();
    }
}

void BackgroundTask::start(std::size_t threads, Piece piece, void* owner) {
    Pool* const found = rests() ? pool() : nullptr;
    if (!found) return;
    const std::lock_guard lock(found->mutex);
    found->hire(threads);
    if (found->threads == 0) return;
    try {
        found->queue.push_back(this);
    } catch (const std::bad_alloc&) {
        return;
    }
    pool_ = found;
    piece_ = piece;
    owner_ = owner;
    state_.store(kQueued, std::memory_order_relaxed);
    found->queued.notify_one();
}

bool BackgroundTask::stop() {
    if (rests()) return true;
    if (pool_ != current_.load(std::memory_order_acquire)) {
        stopping_ = false;
        return state_.exchange(kRests) == kQueued;
    }
    std::unique_lock lock(pool_->mutex);
    if (state_.load(std::memory_order_relaxed) == kQueued) {
        std::erase(pool_->queue, this);
        state_.store(kRests, std::memory_order_relaxed);
        return true;
    }
    stopping_ = true;
    pool_->rested.wait(lock, [&] { return rests(); });
    stopping_ = false;
    return true;
}

}  // namespace onlineboost
