// The GIL, given back for a while or taken for a while, also while the interpreter ends.
//
// A thread that asks for the GIL of an interpreter that is ending does not get it: Python ends the thread, which takes the C++ frames
// above apart and must not pass those that forbid it. So the thread is stopped here, for the moment that the process has left.
#pragma once
#include <Python.h>
#include <unistd.h>

namespace onlineboost {

template <class Ask>
auto ask_for_gil(Ask ask) noexcept {
    try {
        return ask();
    } catch (...) {  // the end of the thread: nothing else is thrown here
        for (;;) pause();
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

}  // namespace onlineboost
