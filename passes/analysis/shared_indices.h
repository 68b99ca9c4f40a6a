/* shared_indices: the address in the block's shared memory of each access of a kernel: a constant, and constants times
** integers of known range.
**
** Per-thread code, after lower_shared. Kernels in which an address of shared memory is kept, compared, chosen or passed
** on have no result. */
#ifndef CUCPU_SHARED_INDICES_H
#define CUCPU_SHARED_INDICES_H
#include "passes/ir/kernel.h"

typedef struct IndexTerm {
    LLVMValueRef v; /* an integer of up to 64 bits, as a signed integer; defined before the access */
    int64_t factor; /* bytes */
    int64_t lo, hi; /* of v */
} IndexTerm;

/* base + bytes + the sum of the terms, where whole is set */
typedef struct SharedIndex {
    LLVMValueRef inst, base; /* load, store or atomic; the call of cucpu.shared */
    unsigned operand;        /* its address */
    unsigned size;
    int64_t bytes, lo, hi; /* lo, hi: the minimum and the maximum distance from the base; lo > hi: not known */
    Vec(IndexTerm) terms;
    bool whole;
} SharedIndex;

typedef struct SharedIndices {
    Vec(SharedIndex) all;
} SharedIndices;

/* NULL: an address escapes, or there is none. */
SharedIndices *shared_indices(Arena *a, Module *m, LLVMValueRef fn);
#endif
