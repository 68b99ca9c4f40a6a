/* atomics.c: sums of floats by the atomics of a group's lanes.
**
** Lanes one behind the other that add to one place (a sum of all threads, sorted segments, neighbouring particles) load and
** swap once for all of them.  The additions are those of the threads in their order, one rounding each: the result is the same
** as that of one atomic per thread. */
#include "rt.h"
#include <stdatomic.h>
#include <string.h>

/* Takes the first lane out of the set, and those behind it that go to its address too; lanes that are off do not count. */
static inline uint64_t take_run(const void *const *at, uint64_t *lanes) {
    const void *place = at[__builtin_ctzll(*lanes)];
    uint64_t left = *lanes;
    do left &= left - 1;
    while (left && at[__builtin_ctzll(left)] == place);
    uint64_t run = *lanes & ~left;
    *lanes = left;
    return run;
}

#define SUMS(name, type, bits)                                                                                              \
    void name(type *const *at, const type *v, uint64_t lanes) {                                                             \
        while (lanes) {                                                                                                     \
            _Atomic bits *place = (_Atomic bits *)(void *)at[__builtin_ctzll(lanes)];                                       \
            uint64_t run = take_run((const void *const *)at, &lanes);                                                       \
            bits old = atomic_load_explicit(place, memory_order_relaxed), now;                                              \
            do {                                                                                                            \
                type sum;                                                                                                   \
                memcpy(&sum, &old, sizeof sum);                                                                             \
                for (uint64_t left = run; left; left &= left - 1) sum += v[__builtin_ctzll(left)];                          \
                memcpy(&now, &sum, sizeof now);                                                                             \
            } while (!atomic_compare_exchange_weak_explicit(place, &old, now, memory_order_relaxed, memory_order_relaxed)); \
        }                                                                                                                   \
    }

SUMS(cucpu_atomic_fadd32, float, uint32_t)
SUMS(cucpu_atomic_fadd64, double, uint64_t)
