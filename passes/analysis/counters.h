/* counters: parameters of a kernel that are only used for counting: `atomicAdd(&histogram[value], 1)`.
**
** Each worker may count in a private copy of the memory at such a parameter, and the copies may be added up when the
** launch ends: integer sums do not depend on their order, old values are unused, and no thread of the kernel reads
** there, provided that no other argument points to the same memory, which the runtime tests at the launch. Other
** kernels and the host read the sums when the kernel has ended; the kernel has no fence that would promise them any
** sooner, and no loop in which it would wait for their reaction (callers test that: spin_loops.h). */
#ifndef CUCPU_COUNTERS_H
#define CUCPU_COUNTERS_H
#include "passes/ir/kernel.h"

typedef struct Counters {
    unsigned params; /* bits of parameters, of the first 32; 0 = none */
    unsigned wide;   /* of those, whose elements have 8 bytes; the others have 4 */
    Vec(LLVMValueRef) atomics;
} Counters;

/* Per-thread code, after lower_shared. */
Counters counters_of(Arena *a, LLVMValueRef kernel);
#endif
