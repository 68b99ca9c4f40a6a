/* slice.c: see slice.h. */
#include "passes/ir/slice.h"
#include "passes/ir/names.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_OPERANDS = 16, LAUNCH_DEPTH = 12 };

static bool shifts_within(LLVMValueRef i) {
    return !is_op(i, OP_SHIFT) ||
           (LLVMIsAConstantInt(LLVMGetOperand(i, 1)) && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) < int_bits(i));
}

static bool may_consist_of(const Slice *s, LLVMValueRef i) {
    if (!LLVMIsAInstruction(i) || value_operands(i) > MAX_OPERANDS) return false;
    if (is_op(i, s->ops)) return s->flags != SLICE_DROP_FLAGS || shifts_within(i);
    return s->may_have && s->may_have(s->context, i);
}

static bool can_clone(const Slice *s, LLVMValueRef v, int depth) {
    if (s->available(s->context, v)) return true;
    if (depth > s->depth || !may_consist_of(s, v)) return false;
    for (unsigned k = 0; k < value_operands(v); k++)
        if (!can_clone(s, LLVMGetOperand(v, k), depth + 1)) return false;
    return true;
}

bool slice_can_clone(const Slice *s, LLVMValueRef v) { return can_clone(s, v, 0); }

static void drop_clone_flags(const Slice *s, LLVMValueRef clone) {
    if (s->flags == SLICE_KEEP_FLAGS || LLVMIsACallInst(clone)) return;
    if (s->flags == SLICE_DROP_NUW && is_op(clone, OP_ADD | OP_MUL)) LLVMSetNUW(clone, 0);
    else shim_drop_flags(clone);
}

LLVMValueRef slice_clone(const Slice *s, LLVMBuilderRef b, LLVMValueRef v, PtrMap *clones) {
    LLVMValueRef known = s->available(s->context, v), operands[MAX_OPERANDS];
    if (!known) known = map_ptr(clones, v);
    if (known) return known;
    unsigned n = value_operands(v);
    for (unsigned k = 0; k < n; k++) operands[k] = slice_clone(s, b, LLVMGetOperand(v, k), clones);
    LLVMValueRef c = clone_at(b, v);
    drop_clone_flags(s, c);
    if (s->other_function) LLVMInstructionSetDebugLoc(c, NULL);
    for (unsigned k = 0; k < n; k++) LLVMSetOperand(c, k, operands[k]);
    map_put(clones, v, (uintptr_t)c);
    return c;
}

static void move_slice(const Slice *s, LLVMBuilderRef b, LLVMValueRef v) {
    if (s->available(s->context, v)) return;
    for (unsigned k = 0; k < value_operands(v); k++) move_slice(s, b, LLVMGetOperand(v, k));
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(b, v);
}

bool slice_move(const Slice *s, LLVMBuilderRef b, LLVMValueRef v) {
    if (!slice_can_clone(s, v)) return false;
    move_slice(s, b, v);
    return true;
}

/* ---- values of the launch ---- */

typedef struct Launch {
    bool ids, *of_block;
} Launch;

static LLVMValueRef given_at_launch(const void *context, LLVMValueRef v) {
    (void)context;
    return LLVMIsAConstantInt(v) || (LLVMIsAArgument(v) && is_integer(v)) ? v : NULL;
}

static bool is_launch_id(const void *context, LLVMValueRef i) {
    const Launch *l = context;
    Name n = name_of_call(i);
    if (n >= NAME_CTAID_X && n <= NAME_CTAID_Z && l->of_block) *l->of_block = true;
    return (l->ids && n >= NAME_NTID_X && n <= NAME_NCTAID_Z) || is_int_min_max(i);
}

static Slice launch_slice(const Launch *l) {
    return (Slice){given_at_launch,
                   l,
                   OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT,
                   is_launch_id,
                   LAUNCH_DEPTH,
                   SLICE_DROP_FLAGS,
                   false};
}

bool is_launch_value(LLVMValueRef v, bool ids, bool *of_block) {
    Launch l = {ids, of_block};
    Slice s = launch_slice(&l);
    return slice_can_clone(&s, v);
}

LLVMValueRef clone_launch_value(LLVMBuilderRef b, LLVMValueRef v) {
    Launch l = {true, NULL};
    Slice s = launch_slice(&l);
    Arena a = {0};
    PtrMap clones = map_new(&a);
    LLVMValueRef c = slice_clone(&s, b, v, &clones);
    arena_free(&a);
    return c;
}

bool may_duplicate(LLVMValueRef i) {
    Name n = name_of_call(i);
    return !LLVMIsAAllocaInst(i) && (!LLVMIsACallInst(i) || n == NAME_ANY || n == NAME_ALL || !name_is_convergent(n));
}

bool may_speculate(LLVMValueRef i) {
    unsigned ops = (OP_INT_BINARY & ~(unsigned)OP_DIV) | OP_INT_CAST | OP_ICMP | OP_SELECT | OP_GEP | OP_FREEZE |
                   OP_FLOAT | OP_FCAST | OP_FCMP;
    return is_op(i, ops) || is_pure_intrinsic(i);
}
