/* int_ranges.h: the minimum and the maximum of integers of up to 64 bits, as signed integers, by interval arithmetic in
** one traversal of a function. Flags (nsw, nneg) are ignored: ranges hold for every lane, active or not. */
#ifndef CUCPU_INT_RANGES_H
#define CUCPU_INT_RANGES_H
#include "passes/ir/cfg.h"

/* Operations on integers, intrinsics among them; INT_NONE: anything else. */
typedef enum IntOp {
    INT_NONE,
    INT_ADD,
    INT_SUB,
    INT_MUL,
    INT_SHL,
    INT_LSHR,
    INT_ASHR,
    INT_AND,
    INT_OR,
    INT_XOR,
    INT_UDIV,
    INT_SDIV,
    INT_UREM,
    INT_SREM,
    INT_SMIN,
    INT_SMAX,
    INT_UMIN,
    INT_UMAX,
    INT_ABS,
    INT_SELECT,
    INT_PHI,
    INT_ICMP,
    INT_ZEXT,
    INT_SEXT,
    INT_TRUNC
} IntOp;
IntOp int_op(LLVMValueRef v);

typedef struct IntRange {
    int64_t lo, hi;
    bool data; /* computed from memory or from floats: not only from thread ids, sizes and counters */
} IntRange;

typedef struct IntRanges IntRanges;
IntRanges *int_ranges(Arena *a, const Cfg *c);
/* Of a scalar integer; of one that has been added since: all values of its type. */
IntRange int_range_of(const IntRanges *r, LLVMValueRef v);
bool is_scalar_int(LLVMValueRef v);
bool fits_unsigned(IntRange r, unsigned bits);
bool fits_signed(IntRange r, unsigned bits);
#endif
