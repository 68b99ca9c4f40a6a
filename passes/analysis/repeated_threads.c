/* repeated_threads: see repeated_threads.h.
**
** A kernel with blocks of 32 x 8 that reads neither threadIdx.y nor blockDim.y computes everything eight times. Let the
** threads that differ in y alone run in step, operation by operation: this is one of the orders that CUDA allows. They
** load the same values from the same addresses, as none of them stores between the loads of two others, and store the
** same values to the same addresses. So memory is as if only one of them ran, after each operation, for all that other
** threads, barriers included, can see: one of them runs.
**
** That needs that an operation of several threads equals that of one: atomics, printf, malloc and launches do not, nor
** do functions of the warp and barriers that count threads. Volatile accesses stay as many as they are. Local memory is
** a thread's own, whatever its address. */
#include "passes/analysis/repeated_threads.h"
#include "passes/analysis/accesses.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"

static bool reads_id(Name n, int dimension) {
    return n == (Name)(NAME_TID_X + dimension) || n == (Name)(NAME_NTID_X + dimension);
}

static bool is_constant_id(Name n) {
    return (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X || (n >= NAME_SHARED && n <= NAME_DYN_SIZE);
}

/* Several threads with the same operands may execute it as one. */
static bool is_idempotent(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return is_plain_access(i);
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i)) return false;
    if (!LLVMIsACallInst(i)) return true;
    Name n = name_of_call(i);
    return is_constant_id(n) || n == NAME_BARRIER || is_pure_intrinsic(i) || is_lifetime(i) || is_assume(i) ||
           math_row_of_call(i);
}

unsigned repeated_dimensions(LLVMValueRef kernel) {
    unsigned all = 1u << 1 | 1u << 2;
    for_each_instruction(i, kernel) {
        if (!is_idempotent(i)) return 0;
        Name n = name_of_call(i);
        for (int d = 1; d < 3; d++)
            if (reads_id(n, d)) all &= ~(1u << d);
    }
    return all;
}
