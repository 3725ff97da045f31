// Picks the kernel table at load time.
#include <atomic>
#include <cstring>

#include "kernels/kernels.hpp"

namespace onlineboost {

#if defined(ONLINEBOOST_X86)
namespace sse2 {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#else
namespace generic {
extern const Kernels table;
}
#endif

namespace {

constexpr std::size_t kMaxTables = 3;

std::size_t runnable(const Kernels** out) {
    std::size_t count = 0;
#if defined(ONLINEBOOST_X86)
    __builtin_cpu_init();
    out[count++] = &sse2::table;
    if (__builtin_cpu_supports("avx2")) out[count++] = &avx2::table;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        out[count++] = &avx512::table;
#else
    out[count++] = &generic::table;
#endif
    return count;
}

std::atomic<const Kernels*>& current() {
    static std::atomic<const Kernels*> chosen = [] {
        const Kernels* tables[kMaxTables];
        return tables[runnable(tables) - 1];
    }();
    return chosen;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

bool select_kernels(const char* name) {
    const Kernels* tables[kMaxTables];
    const std::size_t count = runnable(tables);
    for (std::size_t i = 0; i < count; ++i)
        if (std::strcmp(tables[i]->name, name) == 0) {
            current().store(tables[i], std::memory_order_relaxed);
            return true;
        }
    return false;
}

std::size_t available_kernels(const char** names, std::size_t capacity) {
    const Kernels* tables[kMaxTables];
    const std::size_t count = runnable(tables);
    for (std::size_t i = 0; i < count && i < capacity; ++i) names[i] = tables[i]->name;
    return count;
}

}  // namespace onlineboost
