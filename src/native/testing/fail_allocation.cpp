// For tests: the n-th allocation of this module fails. Linked in with ONLINEBOOST_FAIL_ALLOCATIONS only; the linker
// then hands calls of operator new here (--wrap), those of this module and of no other. Memory comes from, and goes
// back to, whoever gave it before.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace onlineboost {

namespace {

std::atomic<std::int64_t> left{0};  // until one fails; 0 and below: none does

bool fails() { return left.load(std::memory_order_relaxed) > 0 && left.fetch_sub(1) == 1; }

}  // namespace

// The n-th allocation from now on fails, and no other; n = 0: none does. Gives how many were left of the last count: 0
// if one failed.
std::int64_t fail_allocation(std::int64_t n) {
    const std::int64_t before = left.exchange(n);
    return before > 0 ? before : 0;
}

}  // namespace onlineboost

extern "C" {

// NOLINTBEGIN: the names are the linker's.
void* __real__Znwm(std::size_t);
void* __real__Znam(std::size_t);
void* __real__ZnwmSt11align_val_t(std::size_t, std::align_val_t);
void* __real__ZnwmRKSt9nothrow_t(std::size_t, const std::nothrow_t&);

void* __wrap__Znwm(std::size_t size) {
    if (onlineboost::fails()) throw std::bad_alloc();
    return __real__Znwm(size);
}
void* __wrap__Znam(std::size_t size) {
    if (onlineboost::fails()) throw std::bad_alloc();
    return __real__Znam(size);
}
void* __wrap__ZnwmSt11align_val_t(std::size_t size, std::align_val_t alignment) {
    if (onlineboost::fails()) throw std::bad_alloc();
    return __real__ZnwmSt11align_val_t(size, alignment);
}
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t size, const std::nothrow_t& tag) {
    return onlineboost::fails() ? nullptr : __real__ZnwmRKSt9nothrow_t(size, tag);
}
// NOLINTEND
}
