// Work in pieces that a thread of the process does while its owner is busy with something else or with nothing.
//
// The owner says when the thread must stop, and then finishes what is left: who did which piece changes no bit. The
// threads are made when they are first asked for, are kept, and belong to the process; a task for which none is free
// waits in a queue, from which its owner takes it back.
#pragma once
#include <atomic>
#include <cstddef>

namespace onlineboost {

class BackgroundTask {
   public:
    // Does the next piece; false after the last. It must not throw.
    using Piece = bool (*)(void* owner);

    BackgroundTask() = default;
    ~BackgroundTask() { static_cast<void>(stop()); }
    BackgroundTask(const BackgroundTask&) = delete;
    BackgroundTask& operator=(const BackgroundTask&) = delete;

    // Whether no thread is at it: what the pieces change is the owner's.
    bool rests() const { return state_.load(std::memory_order_acquire) == kRests; }
    // If it rests: so many threads of the process may do the pieces of all tasks; nothing if there is none.
    void start(std::size_t threads, Piece piece, void* owner);
    // Waits for the end of a piece that is being done. False if a piece was lost half done: a forked child has none of
    // the threads.
    [[nodiscard]] bool stop();

   private:
    struct Pool;
    static std::atomic<Pool*> current_;
    static Pool* pool();
    static void serve(Pool& pool);

    enum State : int { kRests, kQueued, kAtWork };
    std::atomic<int> state_{kRests};
    bool stopping_ = false;
    Pool* pool_ = nullptr;
    Piece piece_ = nullptr;
    void* owner_ = nullptr;
};

}  // namespace onlineboost
