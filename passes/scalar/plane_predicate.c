/* plane_predicate: whether interchanging the plane loop is profitable, as a function of the arguments of the kernel and
** the size of a cache; part of interchange_plane_loop.
**
** A row of a block accesses, until the next one reads them again, more lines than the cache holds, or more of those
** that share a set. Strides are affine forms (affine.h) in the loop's counters, by values of the launch; nothing is
** proved by them, as only times depend on the result. */
#include "passes/scalar/interchange_plane_loop.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

enum {
    MAX_ARRAYS = 8,
    LINE = 64,
    FAR = 4 * LINE /* bytes from iteration to iteration */,
    TOUCHED = 16 * LINE /* bytes of a plane, by an access of the rows of a block */
};

static LLVMValueRef in_predicate_argument(const void *interchange, LLVMValueRef v) {
    const Interchange *x = interchange;
    for (unsigned k = 0; LLVMIsAArgument(v) && k < LLVMCountParams(x->fn); k++)
        if (LLVMGetParam(x->fn, k) == v) return LLVMGetParam(x->predicate, k);
    return LLVMIsAConstant(v) ? v : NULL;
}

static LLVMValueRef in_predicate(Interchange *x, LLVMValueRef v) {
    Slice s = {in_predicate_argument, x, COMPUTED, NULL, DEPTH, SLICE_DROP_FLAGS, true};
    return slice_clone(&s, x->b, v, &x->in_predicate);
}

static LLVMValueRef in_predicate_wide(Interchange *x, LLVMValueRef v) {
    return LLVMBuildSExtOrBitCast(x->b, in_predicate(x, v), i64(x), "");
}

static LLVMValueRef element_bytes(const Interchange *x, LLVMValueRef gep) {
    return const_i64(x->m->ctx, LLVMABISizeOfType(x->m->dl, LLVMGetGEPSourceElementType(gep)));
}

static const Counter *counter_of(const Interchange *x, LLVMValueRef v) {
    for (int k = 0; k < x->ncounters; k++)
        if (v == x->counter[k].phi) return &x->counter[k];
    return NULL;
}

static bool is_stride_term(const void *interchange, LLVMValueRef v) {
    const Interchange *x = interchange;
    return counter_of(x, v) || !cfg_in_loop(x->c, x->loop, v);
}

static bool is_stride_scale(const void *interchange, LLVMValueRef v) {
    (void)interchange;
    return is_launch_value(v, false, NULL);
}

/* The stride of the address p per iteration, in bytes; NULL: not known. */
static LLVMValueRef plane_stride(Interchange *x, LLVMValueRef p) {
    AffineRules rules = {AFFINE_ASSUME, NULL, x->m->dl, is_stride_term, is_stride_scale, NULL, x};
    Affine a;
    if (!affine_of(&rules, p, AFFINE_SAME, &a)) return NULL;
    LLVMValueRef sum = const_i64(x->m->ctx, 0);
    for (int k = 0; k < a.n; k++) {
        const AffineTerm *t = &a.term[k];
        const Counter *c = counter_of(x, t->v);
        if (!c) continue;
        LLVMValueRef step = in_predicate_wide(x, c->step);
        if (opcode(c->next) != LLVMAdd) step = LLVMBuildMul(x->b, step, element_bytes(x, c->next), "");
        step = LLVMBuildMul(x->b, step, LLVMConstInt(i64(x), (uint64_t)t->factor, 1), "");
        for (int i = 0; i < AFFINE_SCALES && t->scale[i]; i++)
            step = LLVMBuildMul(x->b, step, in_predicate_wide(x, t->scale[i]), "");
        sum = LLVMBuildAdd(x->b, sum, step, "");
    }
    return sum;
}

static LLVMValueRef greater(Interchange *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntUGT, a, b, ""), a, b, "");
}

static LLVMValueRef absolute_value(Interchange *x, LLVMValueRef v) {
    return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntSLT, v, const_i64(x->m->ctx, 0), ""),
                           LLVMBuildNeg(x->b, v, ""), v, "");
}

static bool is_short_stride(LLVMValueRef stride) {
    return !LLVMIsAConstantInt(stride) || llabs(LLVMConstIntGetSExtValue(stride)) < FAR;
}

static LLVMValueRef root_of(LLVMValueRef p) {
    for (int k = 0; k < DEPTH && LLVMIsAGetElementPtrInst(p); k++) p = LLVMGetOperand(p, 0);
    return p;
}

/* The longest stride of an access, in bytes; how many accesses have a long one, and to how many arrays. */
static LLVMValueRef longest_stride(Interchange *x, uint64_t *accesses, uint64_t *arrays) {
    LLVMValueRef maximum = NULL, root[MAX_ARRAYS];
    *accesses = *arrays = 0;
    for (int b = x->c->l[x->loop].first; b <= x->c->l[x->loop].last; b++)
        for_each_in_block(i, block(x, b)) {
            LLVMTypeRef t;
            LLVMValueRef p = accessed_address(i, &t), stride = p ? plane_stride(x, p) : NULL;
            if (!stride || (LLVMIsConstant(stride) && is_short_stride(stride))) continue;
            maximum = maximum ? greater(x, maximum, absolute_value(x, stride)) : absolute_value(x, stride);
            ++*accesses;
            uint64_t k = 0;
            while (k < *arrays && root[k] != root_of(p)) k++;
            if (k == *arrays && k < MAX_ARRAYS) root[(*arrays)++] = root_of(p);
        }
    return maximum;
}

/* 0 where the counter steps away from its limit. */
static LLVMValueRef count_trips(Interchange *x) {
    const Counter *k = &x->counter[x->tested];
    LLVMValueRef step = in_predicate_wide(x, k->step), zero = const_i64(x->m->ctx, 0),
                 up = LLVMBuildICmp(x->b, LLVMIntSGT, step, zero, "up");
    LLVMValueRef limit = in_predicate_wide(x, x->limit),
                 start = in_predicate_wide(x, value_from(k->phi, block(x, x->pre)));
    LLVMValueRef distance = LLVMBuildSelect(x->b, up, LLVMBuildSub(x->b, limit, start, ""),
                                            LLVMBuildSub(x->b, start, limit, ""), "distance");
    LLVMValueRef ahead = LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntSGT, distance, zero, ""), distance, zero, "");
    return LLVMBuildUDiv(x->b, ahead, greater(x, absolute_value(x, step), const_i64(x->m->ctx, 1)), "trips");
}

void begin_predicate(Interchange *x) {
    unsigned n = LLVMCountParams(x->fn);
    LLVMTypeRef *types = arena_array(x->a, LLVMTypeRef, n + 1);
    for (unsigned k = 0; k < n; k++) types[k] = LLVMTypeOf(LLVMGetParam(x->fn, k));
    types[n] = i64(x);
    char *name = arena_printf(x->a, "%s.profitable", value_name(x->fn));
    x->predicate =
        LLVMAddFunction(x->m->mod, name, LLVMFunctionType(LLVMInt1TypeInContext(x->m->ctx), types, n + 1, 0));
    LLVMSetLinkage(x->predicate, LLVMInternalLinkage);
    LLVMAppendBasicBlockInContext(x->m->ctx, x->predicate, "");
    x->conditions = const_bool(x->m->ctx, 1);
}

static void position_in_predicate(Interchange *x) {
    LLVMPositionBuilderAtEnd(x->b, LLVMGetEntryBasicBlock(x->predicate));
    LLVMSetCurrentDebugLocation2(x->b, NULL);
}

void add_condition(Interchange *x) {
    for (int b = x->pre, up; (up = x->c->b[b].idom) >= 0; b = up) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(block(x, up));
        if (x->c->b[up].nsucc != 2 || !LLVMIsABranchInst(t) || !is_launch_value(LLVMGetCondition(t), false, NULL) ||
            x->c->b[b].npred != 1)
            continue;
        bool first = x->c->b[up].succ[0] == b;
        if (!first && x->c->b[up].succ[1] != b) continue;
        position_in_predicate(x);
        LLVMValueRef c = in_predicate(x, LLVMGetCondition(t));
        x->conditions = LLVMBuildAnd(x->b, x->conditions, first ? c : LLVMBuildNot(x->b, c, ""), "given");
        LLVMBasicBlockRef other = block(x, x->c->b[up].succ[first]);
        for_each_phi(p, other) shim_remove_phi_incoming(p, block(x, up));
        LLVMPositionBuilderBefore(x->b, t);
        LLVMBuildBr(x->b, block(x, b));
        LLVMInstructionEraseFromParent(t);
    }
}

/* A row of a block accesses more lines, until the next one reads them again, than the cache holds; or more of those
** that share a set: the higher the lowest set bit of the distance, the fewer sets there are for lines so far apart. */
bool end_predicate(Interchange *x) {
    uint64_t accesses, arrays;
    position_in_predicate(x);
    LLVMValueRef stride = longest_stride(x, &accesses, &arrays);
    if (!stride) return false;
    LLVMValueRef bit = LLVMBuildAnd(x->b, stride, LLVMBuildNeg(x->b, stride, ""), "");
    LLVMValueRef touched =
        const_i64(x->m->ctx, accesses > 1 ? accesses * TOUCHED : 0); /* what is read once is not missed */
    LLVMValueRef each = greater(x, LLVMBuildMul(x->b, bit, const_i64(x->m->ctx, arrays), ""), touched);
    LLVMValueRef cache = LLVMGetParam(x->predicate, LLVMCountParams(x->fn));
    LLVMValueRef many = LLVMBuildICmp(x->b, LLVMIntUGT, LLVMBuildMul(x->b, count_trips(x), each, ""), cache, "many");
    LLVMValueRef far = LLVMBuildICmp(x->b, LLVMIntUGE, stride, const_i64(x->m->ctx, FAR), "far");
    LLVMBuildRet(x->b, LLVMBuildAnd(x->b, x->conditions, LLVMBuildAnd(x->b, many, far, ""), "profitable"));
    return true;
}
