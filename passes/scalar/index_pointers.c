/* index_pointers: pointers that walk through an array from a place of the thread's own become indices.
**
**   for (p = x + i; p < x + n; p += step)          for (j = i; j < n; j += step)
**       body(*p)                                       body(x[j])
**
** in, out: scalar code, before loops are rotated; loop-simplify
** Why: passes know strides of indices (interchange_grid_stride, shapes); a bound that is an address says nothing about
** the elements before it.
** Fires on outermost loops whose test at the top compares such a pointer with one that is the same before the loop. All
** pointers of the loop that start at an element of an array and go up by elements of that size become indices; those
** that start at the same index and take the same step share it.
** Legality: a pointer whose sums are all `inbounds` stays within one object, so its index never wraps, and pointers
** into that object are ordered as their indices are, signed. A bound of which nothing is known is compared by its
** distance from the array: addresses are below 2^63.
** Left alone: steps and bounds of other element sizes, sums that may wrap. */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { DEPTH = 8, MAX_SUMS = 4 };

typedef struct Walk {
    LLVMValueRef phi, next; /* next = phi + step, in elements of `type` */
    LLVMValueRef array, start, step, index;
    LLVMTypeRef type;
    uint64_t size;
} Walk;

typedef struct Pointers {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *c;
    int loop;
    LLVMBasicBlockRef header, latch, before;
    LLVMTypeRef i64;
    Vec(Walk) walks;
} Pointers;

static bool has_thread_id(LLVMValueRef v, int depth) {
    Name n = name_of_call(v);
    if (n != NAME_NONE) return n == NAME_TID_X || n == NAME_LINEAR;
    if (depth == DEPTH || !is_op(v, OP_INT_BINARY | OP_INT_CAST | OP_GEP)) return false;
    for (unsigned k = 0; k < value_operands(v); k++)
        if (has_thread_id(LLVMGetOperand(v, k), depth + 1)) return true;
    return false;
}

/* p = q + i, in elements of `size` bytes (0: any). */
static bool is_sum(const Pointers *s, LLVMValueRef p, uint64_t size) {
    if (!is_op(p, OP_GEP) || LLVMGetNumOperands(p) != 2 || !LLVMIsInBounds(p) || is_vector(p)) return false;
    LLVMTypeRef t = LLVMGetGEPSourceElementType(p);
    return LLVMTypeIsSized(t) && (!size || LLVMABISizeOfType(s->m->dl, t) == size);
}

static LLVMValueRef array_of(const Pointers *s, LLVMValueRef p, uint64_t size) {
    for (int k = 0; k < MAX_SUMS && is_sum(s, p, size); k++) p = LLVMGetOperand(p, 0);
    return p;
}

/* The array that p is an element of, and its index there. */
static LLVMValueRef split_pointer(Pointers *s, LLVMValueRef p, uint64_t size, LLVMValueRef *index) {
    *index = NULL;
    for (int k = 0; k < MAX_SUMS && is_sum(s, p, size); k++) {
        LLVMValueRef i = LLVMBuildSExtOrBitCast(s->b, LLVMGetOperand(p, 1), s->i64, "");
        *index = *index ? LLVMBuildNSWAdd(s->b, i, *index, "") : i;
        p = LLVMGetOperand(p, 0);
    }
    if (!*index) *index = LLVMConstNull(s->i64);
    return p;
}

/* ---- which loops ---- */

static bool find_walk_loop(Pointers *s) {
    const Loop *l = &s->c->l[s->loop];
    const Block *h = &s->c->b[l->header];
    if (l->depth != 1 || l->nlatches != 1 || h->npred != 2) return false;
    s->header = h->bb;
    s->latch = s->c->b[l->latches[0]].bb;
    s->before = s->c->b[h->pred[h->pred[0] == l->latches[0]]].bb;
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(s->before)) == 1;
}

static bool is_walk(const Pointers *s, LLVMValueRef phi, Walk *w) {
    if (LLVMTypeOf(phi) != LLVMPointerTypeInContext(s->m->ctx, 0)) return false;
    *w = (Walk){.phi = phi, .next = value_from(phi, s->latch)};
    if (!is_sum(s, w->next, 0) || LLVMGetOperand(w->next, 0) != phi) return false;
    w->step = LLVMGetOperand(w->next, 1);
    w->type = LLVMGetGEPSourceElementType(w->next);
    w->size = LLVMABISizeOfType(s->m->dl, w->type);
    LLVMValueRef first = value_from(phi, s->before);
    return w->size && LLVMTypeOf(w->step) == s->i64 && is_sum(s, first, w->size) && has_thread_id(first, 0);
}

/* The operand of the loop's test that is the pointer; -1: none. The other is the same throughout the loop. */
static int walks_to_bound(const Pointers *s, const Walk *w) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(s->header);
    LLVMValueRef test = LLVMIsABranchInst(t) && LLVMIsConditional(t) ? LLVMGetCondition(t) : NULL;
    if (!test || !LLVMIsAICmpInst(test)) return -1;
    LLVMIntPredicate q = LLVMGetICmpPredicate(test);
    if (q != LLVMIntULT && q != LLVMIntULE && q != LLVMIntUGT && q != LLVMIntUGE) return -1;
    for (int k = 0; k < 2; k++) {
        LLVMValueRef bound = LLVMGetOperand(test, (unsigned)!k);
        if (LLVMGetOperand(test, (unsigned)k) != w->phi || cfg_in_loop(s->c, s->loop, bound)) continue;
        LLVMValueRef array = array_of(s, value_from(w->phi, s->before), w->size);
        if (array_of(s, bound, w->size) == array || !(w->size & (w->size - 1))) return k;
    }
    return -1;
}

/* ---- the indices ---- */

/* The first index, no less (up) or greater than which are the elements at `bound` and after it. */
static LLVMValueRef distance(Pointers *s, const Walk *w, LLVMValueRef bound, bool up) {
    LLVMValueRef d = LLVMBuildSub(s->b, LLVMBuildPtrToInt(s->b, bound, s->i64, ""),
                                  LLVMBuildPtrToInt(s->b, w->array, s->i64, ""), "distance");
    if (up) d = LLVMBuildAdd(s->b, d, LLVMConstInt(s->i64, w->size - 1, 0), "");
    return LLVMBuildAShr(s->b, d, LLVMConstInt(s->i64, (uint64_t)__builtin_ctzll(w->size), 0), "bound");
}

static void compare_indices(Pointers *s, const Walk *w, int pointer) {
    static const LLVMIntPredicate of_indices[] = {LLVMIntSGT, LLVMIntSGE, LLVMIntSLT, LLVMIntSLE};
    LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->header)), n,
                 bound = LLVMGetOperand(test, (unsigned)!pointer);
    LLVMIntPredicate q = LLVMGetICmpPredicate(test), of_pointer = pointer ? swapped_predicate(q) : q;
    set_insert_point(s->b, LLVMGetBasicBlockTerminator(s->before));
    if (split_pointer(s, bound, w->size, &n) != w->array)
        n = distance(s, w, bound, of_pointer == LLVMIntULT || of_pointer == LLVMIntUGE);
    set_insert_point(s->b, test);
    LLVMValueRef c = LLVMBuildICmp(s->b, of_indices[of_pointer - LLVMIntUGT], w->index, n, "");
    replace_instruction(test, c);
}

static LLVMValueRef shared_index(const Pointers *s, const Walk *w) {
    for (int k = 0; k < s->walks.n; k++) {
        const Walk *o = &s->walks.v[k];
        if (o->index && o->start == w->start && o->step == w->step) return o->index;
    }
    return NULL;
}

static void make_index(Pointers *s, Walk *w) {
    set_insert_point(s->b, LLVMGetBasicBlockTerminator(s->before));
    w->array = split_pointer(s, value_from(w->phi, s->before), w->size, &w->start);
    w->index = shared_index(s, w);
    if (w->index) return;
    set_insert_point(s->b, LLVMGetFirstInstruction(s->header));
    w->index = LLVMBuildPhi(s->b, s->i64, "index");
    set_insert_point(s->b, w->next);
    LLVMValueRef next = LLVMBuildNSWAdd(s->b, w->index, w->step, ""), from[2] = {w->start, next};
    LLVMBasicBlockRef preds[2] = {s->before, s->latch};
    LLVMAddIncoming(w->index, from, preds, 2);
}

/* The address is computed where it is used: the header holds nothing but counters and the test. */
static void use_index(Pointers *s, const Walk *w) {
    for (LLVMUseRef u = LLVMGetFirstUse(w->phi), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        for (unsigned k = 0; k < value_operands(user); k++) {
            if (LLVMGetOperand(user, k) != w->phi || user == w->phi) continue;
            set_insert_point(s->b, operand_insertion_point(user, k));
            LLVMValueRef i = w->index;
            LLVMSetOperand(user, k, LLVMBuildInBoundsGEP2(s->b, w->type, w->array, &i, 1, ""));
            break;
        }
    }
    LLVMReplaceAllUsesWith(w->phi, LLVMGetPoison(LLVMTypeOf(w->phi)));
    LLVMInstructionEraseFromParent(w->phi);
    if (!LLVMGetFirstUse(w->next)) LLVMInstructionEraseFromParent(w->next);
}

static bool index_loop(Pointers *s) {
    int bounded = -1, pointer = -1;
    for_each_phi(p, s->header) {
        Walk w;
        if (!is_walk(s, p, &w)) continue;
        int k = walks_to_bound(s, &w);
        if (k >= 0) {
            bounded = s->walks.n;
            pointer = k;
        }
        vec_push(s->a, &s->walks, w);
    }
    if (bounded < 0) return false;
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(s->header)));
    for (int k = 0; k < s->walks.n; k++) make_index(s, &s->walks.v[k]);
    compare_indices(s, &s->walks.v[bounded], pointer);
    for (int k = 0; k < s->walks.n; k++) use_index(s, &s->walks.v[k]);
    return true;
}

static void index_kernel(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool any = false;
    for (int l = 0; l < c->nloops && c->reducible; l++) {
        Pointers s = {.m = m, .a = &a, .b = b, .c = c, .loop = l, .i64 = LLVMInt64TypeInContext(m->ctx)};
        if (find_walk_loop(&s)) any |= index_loop(&s);
    }
    arena_free(&a);
    if (any) run_llvm_passes_on(m, fn, "early-cse");
}

bool index_pointers(Module *m) {
    if (pass_disabled(m, "index_pointers") || m->opt->opt_level == 0) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod)
        if (is_kernel(f) && !LLVMIsDeclaration(f)) index_kernel(m, b, f);
    LLVMDisposeBuilder(b);
    return true;
}
