// Picks the kernel table at load time.
#include <atomic>
#include <cstring>

#include "kernels/kernels.hpp"
#include "kernels/second_order.hpp"

namespace onlineboost {

#if defined(ONLINEBOOST_X86)
namespace sse2 {
extern const Kernels table;
extern const SecondOrderKernels second_order_table;
}
namespace avx2 {
extern const Kernels table;
extern const SecondOrderKernels second_order_table;
}
namespace avx512 {
extern const Kernels table;
extern const SecondOrderKernels second_order_table;
}
#else
namespace generic {
extern const Kernels table;
extern const SecondOrderKernels second_order_table;
}
#endif

namespace {

constexpr std::size_t kMaxTables = 3;

struct Tables {
    const Kernels* base;
    const SecondOrderKernels* second_order;
};

#if defined(ONLINEBOOST_X86)
constexpr Tables kSse2{&sse2::table, &sse2::second_order_table}, kAvx2{&avx2::table, &avx2::second_order_table},
    kAvx512{&avx512::table, &avx512::second_order_table};
#else
constexpr Tables kGeneric{&generic::table, &generic::second_order_table};
#endif

std::size_t runnable(const Tables** out) {
    std::size_t count = 0;
#if defined(ONLINEBOOST_X86)
    __builtin_cpu_init();
    out[count++] = &kSse2;
    if (__builtin_cpu_supports("avx2")) out[count++] = &kAvx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        out[count++] = &kAvx512;
#else
    out[count++] = &kGeneric;
#endif
    return count;
}

std::atomic<const Tables*>& current() {
    static std::atomic<const Tables*> chosen = [] {
        const Tables* tables[kMaxTables];
        return tables[runnable(tables) - 1];
    }();
    return chosen;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed)->base; }
const SecondOrderKernels& second_order_kernels() { return *current().load(std::memory_order_relaxed)->second_order; }

bool select_kernels(const char* name) {
    const Tables* tables[kMaxTables];
    const std::size_t count = runnable(tables);
    for (std::size_t i = 0; i < count; ++i)
        if (std::strcmp(tables[i]->base->name, name) == 0) {
            current().store(tables[i], std::memory_order_relaxed);
            return true;
        }
    return false;
}

std::size_t available_kernels(const char** names, std::size_t capacity) {
    const Tables* tables[kMaxTables];
    const std::size_t count = runnable(tables);
    for (std::size_t i = 0; i < count && i < capacity; ++i) names[i] = tables[i]->base->name;
    return count;
}

}  // namespace onlineboost
