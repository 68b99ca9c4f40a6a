/* single_accesses: what other threads must never see in part is one access.
**
**   load i128 !nontemporal   load atomic i128 unordered             __ldcg(const double2 *), see hold_polled_loads
**   store i128 !nontemporal  store atomic i128 unordered            __stcg(double2 *, v)
**   load i64 !nontemporal    load atomic i64 unordered              __ldcg(const float2 *)
**   store i64 !nontemporal   store volatile i64                     __stcg(float2 *, v)
**   load volatile i128       load atomic volatile i128 monotonic
**
** A GPU moves such a vector by one instruction, and programs keep a flag beside its value there (decoupled look-back).
** Code generation makes two instructions of an i128 that is not atomic, and of a store of an integer that was assembled
** from a float and an int. The headers mark the stores; stores that bypass the cache are not meant. 16 bytes must be
** aligned, as on a GPU.
** Part of import_nvvm, before any SROA, which splits what is neither atomic nor volatile. A load is taken only if it is
** copied to memory or a part of it is used, and hold_polled_loads releases it again if finally no part is. */
#include "passes/analysis/accesses.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

/* SROA splits what is copied through memory, code generation what is truncated. */
static bool may_be_split(LLVMValueRef load) {
    for_each_user(user, load) {
        if (LLVMIsAStoreInst(user) || LLVMIsATruncInst(user) || (opcode(user) == LLVMLShr)) return true;
    }
    return false;
}

static void make_single(const Module *m, LLVMValueRef i, unsigned mark) {
    bool marked = LLVMGetMetadata(i, mark) != NULL, store = LLVMIsAStoreInst(i) != NULL;
    if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) return;
    if (is_integer_type(accessed_type(i), 128)) {
        if (LLVMGetAlignment(i) < 16) return;
        if (LLVMGetVolatile(i)) LLVMSetOrdering(i, LLVMAtomicOrderingMonotonic);
        else if (marked) LLVMSetOrdering(i, LLVMAtomicOrderingUnordered);
    } else if (marked && store) {
        LLVMSetVolatile(i, true);
    } else if (marked && may_be_split(i) && LLVMGetAlignment(i) >= LLVMABISizeOfType(m->dl, accessed_type(i))) {
        LLVMSetOrdering(i, LLVMAtomicOrderingUnordered);
    }
    if (marked && store) LLVMSetMetadata(i, mark, NULL);
}

void single_accesses(Module *m, LLVMValueRef fn) {
    unsigned mark = LLVMGetMDKindIDInContext(m->ctx, "nontemporal", 11);
    for_each_instruction(i, fn)
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) make_single(m, i, mark);
}
