/* mark_parallel: marks loads and stores through which threads do not depend on each other.
**
** in:  group code of width 1 before relax_atomics, which makes atomics look like plain accesses
** out: !llvm.access.group on these accesses, one group for the whole kernel; loop_groups then adds to its innermost
**      group loop that accesses of the group are parallel in it (parallel_group)
**
** Between two barriers the threads of a block may run in any order, so no access of one thread depends on one of
** another: that would be a data race, undefined in CUDA, unless the two communicate through atomics, volatile accesses,
** fences or calls. Those are never marked, and LLVM treats a loop as parallel only if every instruction in it that
** accesses memory is marked: a single one of them keeps the loop in order. So LLVM's vectorizer needs no run-time
** checks that arrays do not overlap, and works where it cannot check (addresses that are loaded).
** Loads from constant memory and from the launch's parameters are !invariant.load as well: no store of the kernel can
** be to there.
** Not marked: accesses to what may be a local array: all threads reuse one object.
** Not done: marking at larger widths, where group code is vectors already. */
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

/* The address of a plain load or store, else NULL. */
static LLVMValueRef plain_address(LLVMValueRef i) {
    bool load = LLVMIsALoadInst(i) != NULL;
    if (!load && !LLVMIsAStoreInst(i)) return NULL;
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) return NULL;
    return LLVMGetOperand(i, load ? 0 : 1);
}

Nyi mark_parallel(Kernel *k) {
    if (k->width > 1 || pass_disabled(k->m, "mark_parallel")) return NYI_NONE;
    const MemorySpaces *memory = memory_spaces(k->arena, k->fn);
    LLVMValueRef group = shim_access_group(k->m->ctx);
    LLVMValueRef none = LLVMMetadataAsValue(k->m->ctx, LLVMMDNodeInContext2(k->m->ctx, NULL, 0));
    unsigned invariant = LLVMGetMDKindIDInContext(k->m->ctx, "invariant.load", 14);
    for_each_instruction(i, k->fn) {
        LLVMValueRef p = plain_address(i);
        if (!p || spaces_of(memory, p) & SPACE_LOCAL) continue;
        LLVMSetMetadata(i, access_group_kind(k->m), group);
        if (spaces_of(memory, p) == SPACE_CONSTANT) LLVMSetMetadata(i, invariant, none);
    }
    return NYI_NONE;
}

unsigned access_group_kind(const Module *m) {
    static const char name[] = "llvm.access.group";
    return LLVMGetMDKindIDInContext(m->ctx, name, sizeof name - 1);
}
