/* limits.c: the values of cudaLimit*. */
#include "base/limits.h"

/* Values until the program changes them; the number of rows is the number of limits. */
#define LIMITS(ROW)                                                                                                    \
    ROW(StackSize, 1024)                                                                                               \
    ROW(PrintfFifoSize, 1 << 20)                                                                                       \
    ROW(MallocHeapSize, 8 << 20)                                                                                       \
    ROW(DevRuntimeSyncDepth, 2)                                                                                        \
    ROW(DevRuntimePendingLaunchCount, 2048)                                                                            \
    ROW(MaxL2FetchGranularity, 64)                                                                                     \
    ROW(PersistingL2CacheSize, 0)
#define ROW(name, value) [cudaLimit##name] = (value),
static const size_t first_limits[] = {LIMITS(ROW)};
static _Atomic size_t limits[] = {LIMITS(ROW)};
#undef ROW
_Static_assert(RT_COUNT(limits) == RT_LIMITS, "a value for each");

size_t rt_limit(enum cudaLimit limit) { return atomic_load_explicit(&limits[limit], memory_order_relaxed); }

void rt_set_limit(enum cudaLimit limit, size_t value) { atomic_store(&limits[limit], value); }

void rt_reset_limits(void) {
    for (size_t i = 0; i < RT_LIMITS; i++) atomic_store(&limits[i], first_limits[i]);
}
