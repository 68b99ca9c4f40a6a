/* unnest_guards: range tests inside each other, with the same code for lanes outside, become a sequence of tests.
**
**   A: br c0, B, E           becomes   A: br c0, B, T         T: c = c0 ? c1 : false
**   B: x[i] = ...; br c1, C, E         B: x[i] = ...; br T       br c, C, E
**   C: x[i + 1] = ...                  C: x[i + 1] = ...
**
** Neighbours of a thread: `for (i = 4 * t; i < min(4 * t + 4, n); i++)`, or a loop with `if (i >= n) break`, leave at
** the first test that fails, once they are unrolled. A sequence has a version for groups that pass all tests
** (widen_guards), in which the neighbours are combined to whole vectors.
** Lanes that fail c0 reach T with poison for what B defines: no test before C lets them use it. The second test is
** moved up to the first: it is arithmetic on values available there, and its result counts only where c0 is true.
** A test around tests (`if (i > 0 && i + 1 < n)` of each element, of which LLVM shares the first comparison) becomes part
** of each of them, where nothing else depends on it:
**
**   A: br c0, B, E     B: br c1, C, D    ...    becomes    A: br B    B: br c0 ? c1 : false, C, D    ...
**
** in, out: normal form. Only where both arms access elements at small distances, as widen_fields combines them. */
#include "passes/analysis/range_guards.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_NESTS = 64, DEPTH = 12 };

typedef struct Unnest {
    Kernel *k;
    const Cfg *c;
    const Shapes *s;
    LLVMBuilderRef b;
} Unnest;

/* A range test: the block that it ends, the successors of lanes inside and outside, where the latter goes on. */
typedef struct Test {
    int block, in, out, join;
} Test;

/* Both conditions are computed in the block of the outer one: in a chain of tests that is the block of the first. */
typedef struct Nest {
    Test outer, inner;
    int at;
} Nest;

/* ---- candidates ---- */

static LLVMValueRef condition_of(const Unnest *u, const Test *t) {
    return LLVMGetCondition(LLVMGetBasicBlockTerminator(u->c->b[t->block].bb));
}

/* The branch at the end of the block is a range test whose other side is empty. Groups may take it differently, though
** the lanes of one (4 * t >= 0) do not. */
static bool find_test(const Unnest *u, int b, Test *t) {
    const Block *from = &u->c->b[b];
    if (from->nsucc != 2 || shapes_branch_scope(u->s, b) < SCOPE_GROUP) return false;
    *t = (Test){.block = b};
    LLVMValueRef condition = condition_of(u, t);
    for (int e = 0; e < 2; e++) {
        const Block *out = &u->c->b[from->succ[!e]];
        if (out->npred != 1 || out->nsucc != 1 || !is_empty_block(out->bb)) continue;
        if (u->c->b[from->succ[e]].npred != 1 || !is_range_test(u->s, condition, e == 0)) continue;
        *t = (Test){b, from->succ[e], from->succ[!e], out->succ[0]};
        return true;
    }
    return false;
}

/* Blocks that only lanes inside the outer test reach, up to the inner one. */
static bool is_between(const Unnest *u, const Nest *n, int b) {
    return cfg_dominates(u->c, n->outer.in, b) && (b == n->inner.block || !cfg_dominates(u->c, n->inner.block, b));
}

/* Some access of the block is to elements that lie a few apart in neighbouring lanes. */
static bool has_neighbours(const Unnest *u, int b) {
    for_each_in_block(i, u->c->b[b].bb)
        if (is_near_access(u->k, u->s, i)) return true;
    return false;
}

static bool may_speculate_block(const Unnest *u, int b) {
    for_each_in_block(i, u->c->b[b].bb)
        if (!LLVMIsABranchInst(i) && !LLVMIsAPHINode(i) && !may_speculate(i)) return false;
    return true;
}

static LLVMValueRef known_before(const void *nest, LLVMValueRef v) {
    const void *const *x = nest;
    const Unnest *u = x[0];
    const Nest *n = x[1];
    return !LLVMIsAInstruction(v) || cfg_dominates(u->c, cfg_block_of(u->c, v), n->at) ? v : NULL;
}

static Slice test_slice(const void *const *context) {
    unsigned ops = OP_ADD | OP_MUL | OP_SHL | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT;
    return (Slice){known_before, context, ops, NULL, DEPTH, SLICE_KEEP_FLAGS, false};
}

/* The next test that all lanes inside the outer one reach; lanes outside go on at the same block. */
static bool find_inner(const Unnest *u, Nest *n) {
    const Cfg *c = u->c;
    bool neighbours = false, empty = true;
    n->at = cfg_block_of(c, condition_of(u, &n->outer));
    if (n->at < 0) return false;
    for (int b = n->outer.in; b >= 0; b = c->b[b].ipdom) {
        if (!cfg_dominates(c, n->outer.in, b) || c->b[b].loop != c->b[n->outer.block].loop) return false;
        neighbours |= has_neighbours(u, b);
        empty &= may_speculate_block(u, b);
        if (!find_test(u, b, &n->inner)) continue;
        const void *context[] = {u, n};
        Slice s = test_slice(context);
        return (neighbours || empty) && n->inner.join == n->outer.join && has_neighbours(u, n->inner.in) &&
               slice_can_clone(&s, condition_of(u, &n->inner));
    }
    return false;
}

static bool find_nest(const Unnest *u, Nest *n) {
    for (int b = 0; b < u->c->n; b++)
        if (find_test(u, b, &n->outer) && find_inner(u, n)) return true;
    return false;
}

/* ---- tests around tests ---- */

/* All lanes inside the outer test reach the block. */
static bool is_spine(const Unnest *u, const Test *outer, int b) {
    return cfg_dominates(u->c, outer->in, b) && cfg_postdominates(u->c, b, outer->in);
}

/* The block begins no arm, or one that only a range test inside the outer one guards. */
static bool fits_spine(const Unnest *u, int b, bool *neighbours) {
    Test t;
    if (!may_speculate_block(u, b)) return false;
    if (u->c->b[b].nsucc < 2) return u->c->b[b].nsucc == 1;
    if (!find_test(u, b, &t)) return false;
    for (int a = t.in; a < u->c->n; a++) *neighbours |= cfg_dominates(u->c, t.in, a) && has_neighbours(u, a);
    return true;
}

static bool find_wrapper(const Unnest *u, int b, Test *outer) {
    const Cfg *c = u->c;
    bool neighbours = false;
    if (!find_test(u, b, outer) || c->b[b].ipdom != outer->join) return false;
    for (int q = outer->in; q < c->n; q++) {
        if (!cfg_dominates(c, outer->in, q)) continue;
        if (c->b[q].loop != c->b[b].loop) return false;
        if (is_spine(u, outer, q) && !fits_spine(u, q, &neighbours)) return false;
    }
    return neighbours;
}

/* ---- the sequence ---- */

/* 1 in lanes inside. */
static LLVMValueRef inside(const Unnest *u, const Test *t) {
    LLVMValueRef c = condition_of(u, t);
    return u->c->b[t->block].succ[0] == t->in ? c : LLVMBuildNot(u->b, c, "");
}

/* The use is where lanes outside the outer test come as well. */
static bool is_after(const Unnest *u, const Nest *n, LLVMValueRef user, LLVMBasicBlockRef test) {
    LLVMBasicBlockRef at = LLVMGetInstructionParent(user);
    return at == test ? !LLVMIsAPHINode(user) : !is_between(u, n, cfg_number(u->c, at));
}

/* A value of the outer arm that is used after the test: lanes outside have poison instead. */
static void pass_value(const Unnest *u, const Nest *n, LLVMValueRef v, LLVMBasicBlockRef test) {
    LLVMBasicBlockRef arm = u->c->b[n->inner.block].bb, out = u->c->b[n->outer.out].bb;
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, v)
        if (is_after(u, n, user, test)) vec_push(u->k->arena, &users, user);
    if (!users.n) return;
    LLVMPositionBuilderBefore(u->b, LLVMGetFirstInstruction(test));
    LLVMValueRef phi = build_phi2(u->b, v, arm, LLVMGetPoison(LLVMTypeOf(v)), out, "");
    for (int i = 0; i < users.n; i++)
        for (int k = 0; k < LLVMGetNumOperands(users.v[i]); k++)
            if (LLVMGetOperand(users.v[i], (unsigned)k) == v) LLVMSetOperand(users.v[i], (unsigned)k, phi);
}

/* Lanes outside the outer test come to the join by the inner one, with the values that they had. */
static void redirect_outside(const Unnest *u, const Nest *n, LLVMBasicBlockRef test) {
    LLVMBasicBlockRef arm = u->c->b[n->inner.block].bb, out = u->c->b[n->outer.out].bb,
                      inner_out = u->c->b[n->inner.out].bb;
    for_each_phi(p, u->c->b[n->outer.join].bb) {
        LLVMValueRef was = value_from(p, out), other = value_from(p, inner_out);
        shim_remove_phi_incoming(p, out);
        if (was == other) continue;
        LLVMPositionBuilderBefore(u->b, LLVMGetFirstInstruction(test));
        LLVMValueRef merged = build_phi2(u->b, other, arm, was, out, "");
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++)
            if (LLVMGetIncomingBlock(p, k) == inner_out) LLVMSetOperand(p, k, merged);
    }
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(out), 0, test);
}

static void unnest(const Unnest *u, const Nest *n) {
    const void *context[] = {u, n};
    Slice s = test_slice(context);
    LLVMValueRef first = LLVMGetBasicBlockTerminator(u->c->b[n->at].bb),
                 second = LLVMGetBasicBlockTerminator(u->c->b[n->inner.block].bb);
    set_insert_point(u->b, first);
    slice_move(&s, u->b, condition_of(u, &n->inner));
    LLVMValueRef outer = inside(u, &n->outer), inner = inside(u, &n->inner);
    LLVMValueRef both = LLVMBuildSelect(u->b, outer, inner, const_bool(u->k->m->ctx, false), "");
    LLVMBasicBlockRef test = shim_split_block(second, "next");
    redirect_outside(u, n, test);
    for (int b = n->outer.in; b <= n->inner.block; b++) {
        if (!is_between(u, n, b)) continue;
        for_each_in_block(i, u->c->b[b].bb)
            if (!is_void(i)) pass_value(u, n, i, test);
    }
    replace_by_branch(u->b, second, both, u->c->b[n->inner.in].bb, u->c->b[n->inner.out].bb);
}

/* Lanes outside the outer test come to the join by one of the paths of the others, with the values that they had. */
static void join_outside(const Unnest *u, const Test *outer, LLVMValueRef c) {
    LLVMBasicBlockRef out = u->c->b[outer->out].bb;
    for_each_phi(p, u->c->b[outer->join].bb) {
        LLVMValueRef was = value_from(p, out);
        shim_remove_phi_incoming(p, out);
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
            LLVMValueRef v = LLVMGetIncomingValue(p, k);
            if (v == was) continue;
            set_insert_point(u->b, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(p, k)));
            LLVMSetOperand(p, k, LLVMBuildSelect(u->b, c, v, was, ""));
        }
    }
}

static void unwrap_tests(const Unnest *u, const Test *outer) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(u->c->b[outer->block].bb);
    set_insert_point(u->b, branch);
    LLVMValueRef c = inside(u, outer), no = const_bool(u->k->m->ctx, false);
    for (int q = outer->in; q < u->c->n; q++) {
        Test t;
        if (!is_spine(u, outer, q) || u->c->b[q].nsucc < 2 || !find_test(u, q, &t)) continue;
        LLVMValueRef old = LLVMGetBasicBlockTerminator(u->c->b[q].bb);
        set_insert_point(u->b, old);
        LLVMValueRef both = LLVMBuildSelect(u->b, c, inside(u, &t), no, "");
        replace_by_branch(u->b, old, both, u->c->b[t.in].bb, u->c->b[t.out].bb);
    }
    join_outside(u, outer, c);
    set_insert_point(u->b, branch);
    LLVMBuildBr(u->b, u->c->b[outer->in].bb);
    LLVMInstructionEraseFromParent(branch);
    LLVMDeleteBasicBlock(u->c->b[outer->out].bb);
}

static bool unwrap_next(const Unnest *u) {
    for (int b = u->c->n - 1; b >= 0; b--) {
        Test outer;
        if (!find_wrapper(u, b, &outer)) continue;
        unwrap_tests(u, &outer);
        return true;
    }
    return false;
}

static bool unnest_next(const Unnest *u) {
    Nest n;
    if (!find_nest(u, &n)) return false;
    unnest(u, &n);
    return true;
}

/* Elements of threads are accessed in several blocks. */
static bool may_nest(const Unnest *u) {
    int n = 0;
    for (int b = 1; b < u->c->n; b++) n += has_neighbours(u, b);
    return n > 1;
}

static void clean(const Unnest *u, const char *passes) {
    run_llvm_passes_on(u->k->m, u->k->fn, passes);
    restore_normal_form(u->k->m, u->k->fn);
    drop_facts(u->k);
}

Nyi unnest_guards(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "unnest_guards")) return NYI_NONE;
    Unnest u = {.k = k, .c = kernel_cfg(k)};
    if (!u.c->reducible) return NYI_IRREDUCIBLE;
    if (u.c->n < 5 || (u.s = kernel_shapes(k), !may_nest(&u))) return NYI_NONE;
    clean(&u, "early-cse,adce,simplifycfg"); /* tests that others imply */
    bool changed = true, unwrapped = false;
    for (int done = 0; done < MAX_NESTS && changed; done++) {
        u.c = kernel_cfg(k);
        u.s = kernel_shapes(k);
        u.b = LLVMCreateBuilderInContext(k->m->ctx);
        bool unwraps = unwrap_next(&u);
        changed = unwraps || unnest_next(&u);
        unwrapped |= unwraps;
        LLVMDisposeBuilder(u.b);
        if (changed) drop_facts(k);
    }
    if (unwrapped) clean(&u, "simplifycfg");
    return NYI_NONE;
}
