/* ptx_memory.cu: PTX instructions on memory that LLVM has no operation for: atomics of half and bfloat16, barriers in
** shared memory.  Called by ptx-frontend. */
#include "lib.h"

#define LIBATOM extern "C" __device__ __attribute__((nothrow))
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;

/* ---- atomics ---- */

LOCAL float bf_value(u16 h) { return __builtin_bit_cast(float, u32(h) << 16); }
LOCAL u16 bf_bits(float f) {
    u32 i = __builtin_bit_cast(u32, f);
    return f != f ? 0x7fff : u16((i + 0x7fff + (i >> 16 & 1)) >> 16);
}
LOCAL float half_value(u16 h) { return float(__builtin_bit_cast(_Float16, h)); }
LOCAL u16 half_bits(float f) { return __builtin_bit_cast(u16, _Float16(f)); }
LOCAL float smaller(float a, float b) { return b != b || a < b ? a : a != a || b < a ? b : BITS(a) < 0 ? a : b; }
LOCAL float larger(float a, float b) { return b != b || a > b ? a : a != a || b > a ? b : BITS(a) < 0 ? b : a; }
LOCAL float sum(float a, float b) { return a + b; }

#define ATOM(op, f, name, value, bits)                                                                                 \
    LIBATOM u16 __cucpu_ptx_atom_##op##_##name(u16 *p, u16 x) {                                                        \
        u16 old = *(volatile u16 *)p;                                                                                  \
        while (!__atomic_compare_exchange_n(p, &old, bits(f(value(old), value(x))), false, 5, 5)) {                    \
        }                                                                                                              \
        return old;                                                                                                    \
    }
ATOM(add, sum, bf16, bf_value, bf_bits)
ATOM(min, smaller, bf16, bf_value, bf_bits)
ATOM(max, larger, bf16, bf_value, bf_bits)
ATOM(min, smaller, f16, half_value, half_bits)
ATOM(max, larger, f16, half_value, half_bits)

/* ---- mbarrier: one word of 64 bits ----
** 0..19 arrivals of a phase, 20..39 those that are still missing, 40..61 bytes that are still expected, plus NONE; 62:
** somebody is ending the phase; 63 the phase.  A phase is complete when nothing is missing.  What an arrival returns is
** the word before it.
**
** An arrival is one addition, so that the lanes of a group do not have to try again.  Who finds the phase complete ends
** it by another addition, once: whoever has set bit 62.  What arrives in between is of the next phase: all fields are
** modulo their size, and what they borrow meanwhile comes back with the addition.  Ending stays a call (minsize): it
** tries again, but waits for nobody, and is rare. */

enum { MISSING = 20, BYTES = 40, ENDING = 62, PHASE = 63, NONE = 1 << 21 };
LOCAL u64 field(u64 v, int at, int n) { return v >> at & ((1ull << n) - 1); }
LOCAL bool is_complete(u64 v) { return !field(v, MISSING, 20) && field(v, BYTES, 22) == NONE; }

static __device__ __attribute__((noinline, minsize)) void end_phase(u64 *p, u64 now) {
    for (u64 all = 1; all && is_complete(now);) {
        u64 old = *(volatile u64 *)p;
        if ((old ^ now) >> PHASE || old >> ENDING & 1) return;
        if (!__atomic_compare_exchange_n(p, &old, old | 1ull << ENDING, false, 5, 5)) continue;
        all = field(old, 0, 20);
        u64 next = (all << MISSING) + (1ull << PHASE) - (1ull << ENDING);
        now = __atomic_fetch_add(p, next, 5) + next;
    }
}

LOCAL u64 change(u64 *p, u64 missing, u64 arrivals, u64 bytes) {
    u64 by = arrivals + (missing << MISSING) + (bytes << BYTES), old = __atomic_fetch_add(p, by, 5);
    if ((missing || bytes) && is_complete(old + by)) end_phase(p, old + by);
    return is_complete(old) ? old ^ 1ull << PHASE : old;
}
LIBATOM void __cucpu_ptx_mbarrier_init(u64 *p, u32 n) {
    *(volatile u64 *)p = u64(NONE) << BYTES | u64(n & 0xfffff) << MISSING | (n & 0xfffff);
}
LIBATOM void __cucpu_ptx_mbarrier_inval(u64 *p) { *(volatile u64 *)p = 0; }
LIBATOM u64 __cucpu_ptx_mbarrier_arrive(u64 *p, u32 n, u32 bytes) { return change(p, 0 - u64(n), 0, bytes); }
LIBATOM u64 __cucpu_ptx_mbarrier_drop(u64 *p, u32 n, u32 bytes) { return change(p, 0 - u64(n), 0 - u64(n), bytes); }
LIBATOM void __cucpu_ptx_mbarrier_expect(u64 *p, u32 bytes) { change(p, 0, 0, bytes); }
LIBATOM void __cucpu_ptx_mbarrier_complete(u64 *p, u32 bytes) { change(p, 0, 0, 0 - u64(bytes)); }
LIBATOM u32 __cucpu_ptx_mbarrier_passed(u64 *p, u32 parity) {
    u64 now = __atomic_load_n(p, 2);
    return u32(now >> PHASE) != (parity & 1);
}
LIB u32 __cucpu_ptx_mbarrier_pending(u64 state) { return u32(field(state, MISSING, 20)); }
