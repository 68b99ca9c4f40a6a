/* split_quotients: groups whose threads all divide to the same quotient run a copy of the code, where it is uniform.
**
**   A: q = x / d; r = x % d; C    becomes    A:  first = x - s * lane; q' = first / d; r' = first % d
**                                                br (r' + s * (W - 1) < d), B', A'
**                                            A': q = x / d; r = x % d; C
**                                            B': C with q' for q and r' + s * lane for r
**
** where x is affine in the lanes with stride s > 0 and d is uniform: rows and columns out of the place in a flattened array
** (`y = i / width, x = i % width`, channels, planes).  In the copy q' is uniform and r' + s * lane affine: accesses that
** were gathers are broadcasts and rows, and one scalar division takes the place of W.  Only groups at the end of a row take
** the original.  Further divisions, of what has become affine there, are split within the copy, up to MOST of them.
**
** requires: normal form; after copy_unmasked (what runs under a mask beside a full copy is left alone)
** Also for values that wrap, and divisors that are too large, zero or negative: then the test fails, which asks too
** whether x wraps between the lanes.
** Not taken: where no gather or scatter depends on the division; parts with barriers, other exits from the loop, or more
** than LIMIT instructions; constants that shapes knows enough about. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/transform/copy_blocks.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MOST = 4, LIMIT = 300, FARTHEST = 1 << 12, DEPTH = 8 };

typedef struct Split {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    LLVMBuilderRef b;
    unsigned tried; /* metadata: the original of a division that has been split */
    /* the division, its block, the stride of its dividend, and the block whose end all of the part comes to: -1 */
    LLVMValueRef division;
    int at, last;
    int64_t stride;
} Split;

/* ---- which divisions ---- */

static bool is_signed(LLVMValueRef i) { return LLVMGetInstructionOpcode(i) == LLVMSDiv || LLVMGetInstructionOpcode(i) == LLVMSRem; }

static bool is_division(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem;
}

static LLVMValueRef thawed(LLVMValueRef v) {
    while (LLVMIsAFreezeInst(v)) v = LLVMGetOperand(v, 0);
    return v;
}

static LLVMValueRef divisor(LLVMValueRef v);

/* Only where the divisor d is 0 or -1. */
static bool is_special(LLVMValueRef c, LLVMValueRef d) {
    if (LLVMIsAInstruction(c) && LLVMGetInstructionOpcode(c) == LLVMAnd) return is_special(LLVMGetOperand(c, 0), d) || is_special(LLVMGetOperand(c, 1), d);
    if (!LLVMIsAICmpInst(c) || LLVMGetICmpPredicate(c) != LLVMIntEQ || !LLVMIsAConstantInt(LLVMGetOperand(c, 1))) return false;
    int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(c, 1));
    return (n == 0 || n == -1) && divisor(LLVMGetOperand(c, 0)) == d;
}

static bool is_one(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetSExtValue(v) == 1; }

/* The divisor in front of what keeps divisions from trapping (guard_divisions): the same wherever it is above 0. */
static LLVMValueRef divisor(LLVMValueRef v) {
    static const char max[] = "llvm.umax.";
    for (;;) {
        size_t len;
        v = thawed(v);
        LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL, d;
        if (f && LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &len), max, sizeof max - 1) && is_one(LLVMGetOperand(v, 1))) {
            v = LLVMGetOperand(v, 0);
            continue;
        }
        if (!LLVMIsASelectInst(v) || !is_one(LLVMGetOperand(v, 1))) return v;
        d = divisor(LLVMGetOperand(v, 2));
        return is_special(LLVMGetOperand(v, 0), d) ? d : v;
    }
}

static LLVMValueRef dividend(LLVMValueRef i) { return thawed(LLVMGetOperand(i, 0)); }

static bool is_candidate(Split *x, LLVMValueRef i) {
    if (!is_division(i) || LLVMGetMetadata(i, x->tried)) return false;
    LLVMValueRef of = dividend(i), by = divisor(LLVMGetOperand(i, 1));
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));
    if ((bits != 32 && bits != 64) || !shapes_is_uniform(x->s, by) || !shapes_lane_stride(x->s, of, &x->stride)) return false;
    Shape s = shapes_of(x->s, of);
    if (s.x.kind != COEF_KNOWN || s.x.v != x->stride || s.lane.kind != COEF_KNOWN || s.lane.v) return false;
    return x->stride > 0 && x->stride * (x->k->width - 1) < FARTHEST && !shapes_is_uniform(x->s, i) && !shapes_runs(x->s, i, (int64_t[64]){0});
}

static bool is_scalar(const Split *x, LLVMValueRef v) {
    int64_t stride;
    return shapes_is_uniform(x->s, v) || shapes_lane_stride(x->s, v, &stride);
}

static bool same_division(LLVMValueRef i, LLVMValueRef k) {
    return is_division(i) && is_signed(i) == is_signed(k) && dividend(i) == dividend(k) && divisor(LLVMGetOperand(i, 1)) == divisor(LLVMGetOperand(k, 1));
}

/* Some gather or scatter of the part has an address that depends on v. */
static bool moves_memory(const Split *x, LLVMValueRef v, PtrMap *seen, int depth) {
    if (depth > 4 * DEPTH) return false;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (map_get(seen, i, 0)) continue;
        map_put(seen, i, 1);
        bool store = LLVMIsAStoreInst(i) != NULL;
        if (store || LLVMIsALoadInst(i)) {
            LLVMValueRef p = LLVMGetOperand(i, store ? 1 : 0);
            if (p == v && !is_scalar(x, p)) return true;
        }
        if (!store && moves_memory(x, i, seen, depth + 1)) return true;
    }
    return false;
}

static bool may_be_copied(LLVMValueRef i) {
    Name n = name_of_call(i);
    return !LLVMIsAAllocaInst(i) && (!LLVMIsACallInst(i) || n == NAME_ANY || n == NAME_ALL || !name_is_convergent(n));
}

/* The part: what the division's block dominates from there on, to the end of the loop around it or of the function. */
static bool find_last(Split *x) {
    int l = x->c->b[x->at].loop;
    x->last = -1;
    if (l >= 0 && x->c->l[l].nlatches != 1) return false;
    if (l >= 0 && cfg_dominates(x->c, x->at, x->c->l[l].latches[0])) x->last = x->c->l[l].latches[0];
    while (x->last > x->at && x->c->b[x->last].npred == 1 && LLVMIsATerminatorInst(LLVMGetFirstInstruction(x->c->b[x->last].bb))) x->last = x->c->b[x->last].pred[0];
    for (int b = x->at; l < 0 && b < x->c->n; b++)
        if (!x->c->b[b].nsucc && cfg_dominates(x->c, x->at, b)) x->last = b;
    return true;
}

static bool in_part(const Split *x, int b) {
    return cfg_dominates(x->c, x->at, b) && (x->last < 0 || b == x->last || !cfg_dominates(x->c, x->last, b));
}

static bool can_be_copied(const Split *x) {
    int size = 0, l = x->c->b[x->at].loop;
    for (int b = x->at; b < x->c->n; b++) {
        if (!in_part(x, b)) continue;
        for (int e = 0; b != x->last && e < x->c->b[b].nsucc; e++) {
            int to = x->c->b[b].succ[e];
            if (to <= x->at || (l >= 0 && !cfg_loop_contains(x->c, l, to))) return false;
        }
        if (!x->c->b[b].nsucc && b != x->last) return false;
        for (LLVMValueRef i = b == x->at ? x->division : LLVMGetFirstInstruction(x->c->b[b].bb); i; i = LLVMGetNextInstruction(i))
            if (!may_be_copied(i) || ++size > LIMIT) return false;
    }
    return true;
}

static bool find_division(Split *x, bool masked) {
    for (x->at = 0; x->at < x->c->n; x->at++) {
        if (shapes_block_divergent(x->s, x->at) != masked) continue;
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->c->b[x->at].bb); i; i = LLVMGetNextInstruction(i)) {
            PtrMap seen;
            map_init(&seen, x->a);
            if (!is_candidate(x, i)) continue;
            x->division = i;
            if (moves_memory(x, i, &seen, 0) && find_last(x) && can_be_copied(x)) return true;
        }
    }
    return false;
}

/* ---- the copy ---- */

/* Numbers that the end of the part needs, and that nothing of it changes (the next place in a loop), move in front of it. */
static bool hoist(Split *x, LLVMValueRef v, LLVMBasicBlockRef from, int depth) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != from) return true;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool pure = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMICmp || op == LLVMSExt || op == LLVMZExt || op == LLVMTrunc;
    if (!pure || depth > DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!hoist(x, LLVMGetOperand(v, (unsigned)k), from, depth + 1)) return false;
    LLVMInstructionRemoveFromParent(v);
    LLVMInsertIntoBuilder(x->b, v);
    return true;
}

static void hoist_next(Split *x, LLVMBasicBlockRef part, LLVMBasicBlockRef end, LLVMBasicBlockRef header) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(end);
    if (LLVMGetNumOperands(t)) hoist(x, LLVMGetOperand(t, 0), part, 0);
    for (LLVMValueRef p = header ? LLVMGetFirstInstruction(header) : NULL; p && LLVMIsAPHINode(p); p = LLVMGetNextInstruction(p))
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) hoist(x, LLVMGetIncomingValue(p, k), part, 0);
}

typedef struct Numbers {
    LLVMValueRef same, quotient, rest;
} Numbers;

static Numbers build_test(Split *x) {
    LLVMValueRef i = x->division, of = dividend(i), by = divisor(LLVMGetOperand(i, 1));
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMBuilderRef b = x->b;
    uint64_t span = (uint64_t)(x->stride * (x->k->width - 1)), most = ~UINT64_C(0) >> (64 - LLVMGetIntTypeWidth(t) + is_signed(i));
    LLVMValueRef id = name_call(b, x->k->m->mod, NAME_TID_X, NULL, 0, "");
    LLVMValueRef lane = LLVMBuildAnd(b, id, LLVMConstInt(LLVMTypeOf(id), (uint64_t)x->k->width - 1, 0), "lane"); /* groups begin at multiples of W */
    LLVMValueRef off = LLVMBuildMul(b, LLVMBuildZExt(b, lane, t, ""), LLVMConstInt(t, (uint64_t)x->stride, 0), "");
    LLVMValueRef first = LLVMBuildSub(b, of, off, "first");
    LLVMValueRef fits = LLVMBuildICmp(b, is_signed(i) ? LLVMIntSGT : LLVMIntUGT, by, LLVMConstInt(t, span, 0), "");
    LLVMValueRef d = LLVMBuildSelect(b, fits, by, LLVMConstInt(t, 1, 0), "");
    Numbers n = {.quotient = LLVMBuildUDiv(b, first, d, "quotient")};
    LLVMValueRef rest = LLVMBuildURem(b, first, d, "");
    LLVMValueRef within = LLVMBuildICmp(b, LLVMIntULT, rest, LLVMBuildSub(b, by, LLVMConstInt(t, span, 0), ""), "");
    LLVMValueRef wraps_not = LLVMBuildICmp(b, LLVMIntULE, first, LLVMConstInt(t, most - span, 0), "");
    n.same = LLVMBuildFreeze(b, LLVMBuildAnd(b, LLVMBuildAnd(b, fits, within, ""), wraps_not, ""), "same");
    n.rest = LLVMBuildNUWAdd(b, rest, off, "rest");
    if (is_signed(i)) LLVMSetNSW(n.rest, 1);
    return n;
}

/* Values of the part that are used behind its end get a phi there. */
static void join_values(const Split *x, const bool *has, const PtrMap *map, const LLVMBasicBlockRef *copy, int last, LLVMBasicBlockRef end) {
    for (int b = 0; b < x->c->n; b++)
        for (LLVMValueRef v = has[b] ? LLVMGetFirstInstruction(x->c->b[b].bb) : NULL; v; v = LLVMGetNextInstruction(v)) {
            LLVMValueRef phi = NULL;
            for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
                LLVMValueRef i = LLVMGetUser(u);
                next = LLVMGetNextUse(u);
                for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                    LLVMBasicBlockRef in = LLVMIsAPHINode(i) ? LLVMGetIncomingBlock(i, (unsigned)k) : LLVMGetInstructionParent(i);
                    int at = cfg_number(x->c, in);
                    if (LLVMGetOperand(i, (unsigned)k) != v || at < 0 || has[at] || i == phi) continue;
                    if (!phi) {
                        LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(end));
                        LLVMSetCurrentDebugLocation2(x->b, NULL);
                        phi = LLVMBuildPhi(x->b, LLVMTypeOf(v), "");
                        LLVMAddIncoming(phi, (LLVMValueRef[]){v, map_ptr(map, v)}, (LLVMBasicBlockRef[]){x->c->b[last].bb, copy[last]}, 2);
                        next = LLVMGetFirstUse(v); /* the list has changed */
                    }
                    LLVMSetOperand(i, (unsigned)k, phi);
                    next = LLVMGetFirstUse(v);
                }
            }
        }
}

static void split_at(Split *x) {
    LLVMBasicBlockRef last = x->last < 0 ? NULL : x->c->b[x->last].bb, before = x->c->b[x->at].bb;
    LLVMBasicBlockRef part = shim_split_block(x->division, "rows"), end = NULL;
    if (last) end = shim_split_block(LLVMGetBasicBlockTerminator(last == before ? part : last), "row.end");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(x->division));
    int l = x->c->b[x->at].loop;
    if (end && last == before) hoist_next(x, part, end, l < 0 ? NULL : x->c->b[x->c->l[l].header].bb);
    Numbers n = build_test(x);
    x->c = cfg_build(x->a, x->k->fn);
    int to = cfg_number(x->c, part), stop = end ? cfg_number(x->c, end) : -1;
    bool *has = arena_array(x->a, bool, x->c->n);
    PtrMap map;
    map_init(&map, x->a);
    LLVMValueRef yes = LLVMMDNodeInContext(x->k->m->ctx, NULL, 0);
    Vec(LLVMValueRef) same = {0};
    for (int b = to; b < x->c->n; b++) {
        has[b] = cfg_dominates(x->c, to, b) && (stop < 0 || !cfg_dominates(x->c, stop, b));
        for (LLVMValueRef i = has[b] ? LLVMGetFirstInstruction(x->c->b[b].bb) : NULL; i; i = LLVMGetNextInstruction(i)) {
            if (!same_division(i, x->division)) continue;
            LLVMSetMetadata(i, x->tried, yes);
            vec_push(x->a, &same, i);
        }
    }
    LLVMBasicBlockRef *copy = copy_blocks(x->a, x->c, has, to, "row", &map);
    if (end) join_values(x, has, &map, copy, x->c->b[stop].pred[0], end);
    for (int k = 0; k < same.n; k++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(same.v[k]);
        LLVMReplaceAllUsesWith(map_ptr(&map, same.v[k]), op == LLVMUDiv || op == LLVMSDiv ? n.quotient : n.rest);
    }
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMBuildCondBr(x->b, n.same, copy[to], part);
    LLVMInstructionEraseFromParent(jump);
}

Nyi split_quotients(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "split_quotients")) return NYI_NONE;
    Split x = {.k = k, .a = k->arena, .tried = LLVMGetMDKindIDInContext(k->m->ctx, "cucpu.split", 11)};
    for (int times = 0; times < MOST; times++) {
        x.c = kernel_cfg(k);
        if (!x.c->reducible) return NYI_NONE;
        x.s = kernel_shapes(k);
        if (!find_division(&x, false) && !find_division(&x, true)) break;
        x.b = LLVMCreateBuilderInContext(k->m->ctx);
        split_at(&x);
        LLVMDisposeBuilder(x.b);
        delete_dead(k->fn);
        run_llvm_passes_on(k->m, k->fn, "loop-simplify,break-crit-edges,lcssa");
        drop_facts(k);
    }
    return NYI_NONE;
}
