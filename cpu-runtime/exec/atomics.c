/* atomics.c: sums of floats by the atomics of a group's lanes, and atomics of 16 bytes.
**
** Consecutive lanes that add to one address (a sum of all threads, sorted segments, neighbouring particles) load and
** swap once for all of them.  The additions are those of the threads in their order, one rounding each: the result
** is the same as that of one atomic per thread. */
#include "base/base.h"
#include <stdatomic.h>
#include <string.h>

/* Takes the first lane out of the set, and the following ones with the same address; inactive lanes do not count. */
static inline uint64_t take_run(const void *const *at, uint64_t *lanes) {
    const void *address = at[__builtin_ctzll(*lanes)];
    uint64_t left = *lanes;
    do left &= left - 1;
    while (left && at[__builtin_ctzll(left)] == address);
    uint64_t run = *lanes & ~left;
    *lanes = left;
    return run;
}

#define SUMS(name, type, bits)                                                                                         \
    void name(type *const *at, const type *v, uint64_t lanes) {                                                        \
        while (lanes) {                                                                                                \
            _Atomic bits *address = (_Atomic bits *)(void *)at[__builtin_ctzll(lanes)];                                \
            uint64_t run = take_run((const void *const *)at, &lanes);                                                  \
            bits old = atomic_load_explicit(address, memory_order_relaxed), now;                                       \
            do {                                                                                                       \
                type sum;                                                                                              \
                memcpy(&sum, &old, sizeof sum);                                                                        \
                for (uint64_t left = run; left; left &= left - 1) sum += v[__builtin_ctzll(left)];                     \
                memcpy(&now, &sum, sizeof now);                                                                        \
            } while (!atomic_compare_exchange_weak_explicit(address, &old, now, memory_order_relaxed,                  \
                                                            memory_order_relaxed));                                    \
        }                                                                                                              \
    }

SUMS(cucpu_atomic_fadd32, float, uint32_t)
SUMS(cucpu_atomic_fadd64, double, uint64_t)

/* A misaligned address faults, as on a GPU. */
#ifdef __x86_64__
#define WIDE_CAS __attribute__((target("cx16")))
#else
#define WIDE_CAS
#endif
typedef unsigned __int128 Wide;

WIDE_CAS void cucpu_atomic_cas128(void *p, uint64_t *compare, const uint64_t *value) {
    Wide from = (Wide)compare[1] << 64 | compare[0], to = (Wide)value[1] << 64 | value[0];
    Wide was = __sync_val_compare_and_swap((Wide *)p, from, to);
    compare[0] = (uint64_t)was, compare[1] = (uint64_t)(was >> 64);
}

WIDE_CAS void cucpu_atomic_exchange128(void *p, uint64_t *value) {
    Wide to = (Wide)value[1] << 64 | value[0], was = 0, seen;
    while ((seen = __sync_val_compare_and_swap((Wide *)p, was, to)) != was) was = seen;
    value[0] = (uint64_t)was, value[1] = (uint64_t)(was >> 64);
}
