// One sweep over the learners, split among threads. Sweeps are element-wise over learners and ranges begin at multiples
// of eight, as the kernels' groups do, so that the number of threads cannot change a bit.
//
// The threads are made when a sweep first asks for them, and are kept. They belong to the process, not to a model: a
// sweep that finds them at work for another model does its work alone, and so does one for which no thread can be made.
#pragma once
#include <cstddef>

namespace onlineboost {

class Crew {
   public:
    static constexpr std::size_t kMostThreads = 256;
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

}  // namespace onlineboost
