/* define_indices: the index of a gather is defined on every path, also on those that read nothing.
**
**   x = phi <16 x i32> [ poison, A ], [ v, B ]   becomes   x = phi <16 x i32> [ zeroinitializer, A ], [ v, B ]
**   gather (p + x), mask                                   gather (p + x), mask
**
** requires: optimise and lower_masked: no later pass makes gathers or phis
** preserves: values: poison may be anything; only phis, freezes and shuffles that a gather's addresses consist of are
**            changed
** refuses: nothing
**
** The same for lanes that a shuffle after a phi or a freeze leaves undefined (loads of five lanes of 32). linearise
** leaves such phis on paths that no lane takes, with an empty mask. LLVM 22 gives an index of which no lane is defined
** the register of the result, which the instruction forbids (`vgatherdps (%rax,%zmm0,4), %zmm0`: #UD). */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_LANES = 64 };

static bool is_nothing(LLVMValueRef v) { return LLVMIsUndef(v) || LLVMIsPoison(v); }

static bool is_lane_arithmetic(LLVMValueRef i) {
    return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAGetElementPtrInst(i) ||
           LLVMIsAShuffleVectorInst(i) || LLVMIsAInsertElementInst(i) || LLVMIsASelectInst(i);
}

/* Lanes that a shuffle leaves undefined become 0. */
static LLVMValueRef fill_lanes(LLVMBuilderRef b, LLVMValueRef shuffle) {
    LLVMValueRef x = LLVMGetOperand(shuffle, 0), mask[MAX_LANES];
    unsigned n = LLVMGetNumMaskElements(shuffle), first = lanes_of(LLVMTypeOf(x));
    bool open = false;
    if (n > MAX_LANES || !is_nothing(LLVMGetOperand(shuffle, 1))) return shuffle;
    for (unsigned k = 0; k < n; k++) {
        int from = LLVMGetMaskValue(shuffle, k);
        bool none = from < 0 || (unsigned)from >= first;
        mask[k] = const_i32(LLVMGetBasicBlockParent(LLVMGetInstructionParent(shuffle)), none ? first : (unsigned)from);
        open |= none;
    }
    if (!open) return shuffle;
    set_insert_point(b, shuffle);
    return LLVMBuildShuffleVector(b, x, LLVMConstNull(LLVMTypeOf(x)), LLVMConstVector(mask, n), "filled");
}

/* Walks up from an address to the phis and freezes that it consists of, and beyond these to shuffles. level: 1 before
** the first of them, 2 after it. */
static void define(LLVMBuilderRef b, PtrMap *seen, LLVMValueRef v, uintptr_t level) {
    if (!LLVMIsAInstruction(v) || map_get(seen, v, 0) >= level) return;
    bool fixes = LLVMIsAPHINode(v) || LLVMIsAFreezeInst(v);
    if (!fixes && !is_lane_arithmetic(v)) return;
    map_put(seen, v, level);
    if (fixes) level = 2;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++) {
        LLVMValueRef o = LLVMGetOperand(v, k);
        if (fixes && is_nothing(o)) LLVMSetOperand(v, k, LLVMConstNull(LLVMTypeOf(o)));
        else if (level == 2 && LLVMIsAShuffleVectorInst(o)) LLVMSetOperand(v, k, fill_lanes(b, o));
        define(b, seen, LLVMGetOperand(v, k), level);
    }
}

static bool is_gather(LLVMValueRef i) {
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && LLVMIsAFunction(callee) && !strncmp(value_name(callee), "llvm.masked.gather", 18);
}

bool define_indices(Module *m) {
    if (!workaround_is_on(WORKAROUND_define_indices)) return true;
    Arena a = {0};
    PtrMap seen;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->ctx);
    map_init(&seen, &a);
    for_each_function(f, m->mod)
        for_each_instruction(i, f)
            if (is_gather(i)) define(builder, &seen, LLVMGetOperand(i, 0), 1);
    LLVMDisposeBuilder(builder);
    arena_free(&a);
    return true;
}
