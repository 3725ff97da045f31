// The GIL, given back for a while or taken for a while, also while the interpreter ends.
//
// A thread that asks for the GIL of an interpreter that is ending does not get it: Python ends the thread, which takes
// the C++ frames above apart and must not pass those that forbid it. So the thread is stopped here, for the moment that
// the process has left.
#pragma once
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace onlineboost {

[[noreturn]] inline void wait_for_the_end() {
    for (;;) pause();
}

template <class Ask>
auto ask_for_gil(Ask ask) noexcept {
    try {
        return ask();
    } catch (...) {  // the end of the thread: nothing else is thrown here
        wait_for_the_end();
    }
}

class GilRelease {
   public:
    GilRelease() : state_(PyEval_SaveThread()) {}
    ~GilRelease() {
        ask_for_gil([this] { PyEval_RestoreThread(state_); });
    }
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

   private:
    PyThreadState* state_;
};

class GilAcquire {
   public:
    GilAcquire() : state_(ask_for_gil([] { return PyGILState_Ensure(); })) {}
    ~GilAcquire() { PyGILState_Release(state_); }
    GilAcquire(const GilAcquire&) = delete;
    GilAcquire& operator=(const GilAcquire&) = delete;

   private:
    PyGILState_STATE state_;
};

// Runs f, which calls Python, with the GIL. Python's own code gives the GIL back now and then, and may end the thread
// there.
template <class F>
auto in_python(F f) {
    const GilAcquire gil;
    try {
        return f();
    } catch (abi::__forced_unwind&) {
        wait_for_the_end();
    }
}

}  // namespace onlineboost
