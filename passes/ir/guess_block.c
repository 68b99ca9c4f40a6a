/* guess_block.c: with which blocks a kernel is probably launched. Where no host code shows it, the kernel does, by its
** index computations: in "c * %ctaid.x + %tid.x" a block has c threads, and an access to shared memory at "offset + c *
** %tid.x" has room for no more than fit after the offset. Only accesses of all threads count: those at the kernel's
** start, where branches are short.
**
** make_variants compiles such blocks in addition to any block: a wrong guess costs only code size. */
#include "passes/ir/guess_block.h"
#include "passes/ir/names.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/value.h"
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

enum { SHARED = 3, /* address space */ DIMS = 2, MAX_DEPTH = 16, MAX_THREADS = 1024, USUAL = 256, MIN_ROW = 8 };

/* constant + the sum of tid[d] * %tid + unknown terms, which are assumed to be non-negative */
typedef struct Sum {
    int64_t constant, tid[DIMS];
} Sum;

typedef struct Guess {
    int64_t max[DIMS]; /* threads; 0: not known */
    bool reads[DIMS + 1];
} Guess;

static bool is_call(LLVMValueRef v, const char *name, int dim) {
    char full[64];
    if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v))) return false;
    snprintf(full, sizeof full, "llvm.nvvm.read.ptx.sreg.%s.%c", name, "xyz"[dim]);
    return !strcmp(value_name(LLVMGetCalledValue(v)), full);
}

static void add_scaled(Sum *to, const Sum *from, int64_t by) {
    to->constant += from->constant * by;
    for (int d = 0; d < DIMS; d++) to->tid[d] += from->tid[d] * by;
}

static bool constant_of(LLVMValueRef v, int64_t *c) {
    if (!LLVMIsAConstantInt(v) || int_bits(v) > 64) return false;
    *c = LLVMConstIntGetSExtValue(v);
    return *c > -(1 << 30) && *c < 1 << 30;
}

static Sum sum_of(LLVMValueRef v, int depth) {
    Sum s = {0}, part;
    int64_t c;
    if (constant_of(v, &c)) s.constant = c;
    for (int d = 0; d < DIMS; d++) s.tid[d] = is_call(v, "tid", d);
    if (!LLVMIsAInstruction(v) || depth > MAX_DEPTH) return s;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
        s = sum_of(LLVMGetOperand(v, 0), depth + 1);
        part = sum_of(LLVMGetOperand(v, 1), depth + 1);
        add_scaled(&s, &part, 1);
        break;
    case LLVMShl:
    case LLVMMul:
        if (!constant_of(LLVMGetOperand(v, 1), &c) || (LLVMGetInstructionOpcode(v) == LLVMShl && (c < 0 || c > 20)))
            break;
        part = sum_of(LLVMGetOperand(v, 0), depth + 1);
        add_scaled(&s, &part, LLVMGetInstructionOpcode(v) == LLVMShl ? 1 << c : c);
        break;
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc: return sum_of(LLVMGetOperand(v, 0), depth + 1);
    default: break;
    }
    return s;
}

static void limit_to(int64_t *max, int64_t n) {
    if (n > 0 && n <= MAX_THREADS && (!*max || n < *max)) *max = n;
}

/* c * %ctaid.x + %tid.x */
static void see_sum(Guess *g, LLVMValueRef add) {
    for (int d = 0; d < DIMS; d++)
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef id = LLVMGetOperand(add, k), first = LLVMGetOperand(add, 1 - k);
            int64_t c;
            if (!is_call(id, "tid", d) || !LLVMIsAInstruction(first) || LLVMGetNumOperands(first) != 2 ||
                !is_call(LLVMGetOperand(first, 0), "ctaid", d) || !constant_of(LLVMGetOperand(first, 1), &c))
                continue;
            LLVMOpcode op = LLVMGetInstructionOpcode(first);
            if (op == LLVMMul) limit_to(&g->max[d], c);
            if (op == LLVMShl && c >= 0 && c <= 10) limit_to(&g->max[d], 1 << c);
        }
}

/* A shared variable, perhaps as a generic address, and the bytes that it has. */
static uint64_t shared_bytes(LLVMTargetDataRef layout, LLVMValueRef p) {
    if (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMAddrSpaceCast) p = LLVMGetOperand(p, 0);
    if (!LLVMIsAGlobalVariable(p) || LLVMGetPointerAddressSpace(LLVMTypeOf(p)) != SHARED) return 0;
    return LLVMABISizeOfType(layout, LLVMGlobalGetValueType(p));
}

static void see_address(Guess *g, LLVMTargetDataRef layout, LLVMValueRef gep) {
    Sum s = {0};
    LLVMValueRef p = gep;
    for (int depth = 0; LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && depth < MAX_DEPTH;
         p = LLVMGetOperand(p, 0), depth++) {
        Sum index = sum_of(LLVMGetOperand(p, 1), 0);
        add_scaled(&s, &index, (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(p)));
    }
    uint64_t bytes = shared_bytes(layout, p);
    for (int d = 0; d < DIMS; d++)
        if (s.tid[d] > 0 && s.constant >= 0 && (uint64_t)s.constant < bytes)
            limit_to(&g->max[d], ((int64_t)bytes - s.constant + s.tid[d] - 1) / s.tid[d]);
}

static void see_block(Guess *g, LLVMTargetDataRef layout, LLVMBasicBlockRef b) {
    for_each_in_block(i, b) {
        if (LLVMGetInstructionOpcode(i) == LLVMAdd) see_sum(g, i);
        if (LLVMGetInstructionOpcode(i) == LLVMGetElementPtr) see_address(g, layout, i);
    }
}

/* In this block or its only successor. */
static bool returns(LLVMBasicBlockRef b) {
    LLVMBasicBlockRef next = single_successor(b);
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(next ? next : b)) != NULL;
}

/* The next block that all threads run that do not end: after a branch whose successors join at once, or of which one
** returns. */
static LLVMBasicBlockRef next_for_all(LLVMBasicBlockRef b) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
    if (LLVMGetNumSuccessors(t) != 2) return single_successor(b);
    LLVMBasicBlockRef successor[2] = {LLVMGetSuccessor(t, 0), LLVMGetSuccessor(t, 1)},
                      next[2] = {single_successor(successor[0]), single_successor(successor[1])};
    for (unsigned k = 0; k < 2; k++)
        if (next[k] == successor[1 - k]) return next[k];
    if (next[0] && next[0] == next[1]) return next[0];
    for (unsigned k = 0; k < 2; k++)
        if (returns(successor[k])) return successor[1 - k];
    return NULL;
}

static void see_ids(Guess *g, LLVMValueRef fn) {
    for_each_instruction(i, fn)
        for (int d = 0; d <= DIMS; d++) g->reads[d] |= is_call(i, "tid", d);
}

void guess_block(LLVMModuleRef m, LLVMValueRef fn) {
    Guess g = {0};
    char text[48];
    see_ids(&g, fn);
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn);
    for (unsigned n = LLVMCountBasicBlocks(fn); b && n; n--, b = next_for_all(b))
        see_block(&g, LLVMGetModuleDataLayout(m), b);
    int64_t x = g.max[0], y = g.max[1];
    if (!g.reads[1]) y = 1;
    if (g.reads[1] && !y && x) y = USUAL > x ? USUAL / x : 1;
    if (g.reads[1] && !x && y) x = USUAL / y;
    if (g.reads[2] || x < MIN_ROW || !y || x * y > MAX_THREADS) return;
    int n = snprintf(text, sizeof text, "%d,%d,1", (int)x, (int)y);
    LLVMAttributeRef a =
        LLVMCreateStringAttribute(LLVMGetModuleContext(m), ATTR_USUAL, sizeof ATTR_USUAL - 1, text, (unsigned)n);
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}
