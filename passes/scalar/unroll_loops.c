/* unroll_loops: unrolls constant-trip loops whose counter enters an address non-affinely: butterflies, halvings, shifts
** by the counter; and those that extract packed words.
**
** in, out: normal form
** In `for (s = 256; s; s /= 2) x[2 * t - (t & (s - 1))]` the stride between lanes is unknown while s is a variable;
** once it is a constant, shapes see rows or a pattern of lanes, and `t < s` is uniform for all groups but one. So:
** loops of constant trip count in which a value that depends only on the counter and one that depends only on the
** thread id are operands of an operation that is not affine, and an address or a branch depends on the result. Barriers
** in them are copied: all threads run through the copies in the same order as through the iterations.
**
** Loops in which the counter is only added or scales the address are kept: shapes handle those, and LLVM unrolls them
** later where that is profitable. #pragma unroll N and unroll 1 are obeyed. The layout for blocks of any shape has no
** lane strides to gain and is left alone.
**
** Loops of few iterations at most in which a thread steps through elements of its own, which lie beside those of the
** next thread, are unrolled with their exits (`for (i = 4 * t; i < min(4 * t + 4, n); i++)`): the elements of a group
** are whole vectors then (widen_fields). A bound that is a minimum becomes two, for its constant limit.
**
** A local array that is accessed in units of several sizes (loaded as int4, read as eight halves) cannot be interleaved
** by lanes; once the counter that indexes it is a constant it becomes a few values (SROA). */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/analysis/range_guards.h"
#include "passes/analysis/strided_loops.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <string.h>

enum { MAX_TRIPS = 64, MAX_SIZE = 3000, MAX_ITERATIONS = 4, MAX_FLOW = 8, MAX_ROW_SIZE = 80 };

/* How a value depends on the counter of the loop: a constant step per iteration, or otherwise. */
enum { NOT_COUNTED = 0, LINEAR = 1, NON_LINEAR = 2 };

typedef struct Unroll {
    Kernel *k;
    const Cfg *c;
    int loop;
    PtrMap counted; /* instruction -> LINEAR or NON_LINEAR */
    PtrMap of_id;   /* integers that depend on thread ids, constants and other values, but not on memory */
    PtrMap mixed;   /* local arrays accessed in units of several sizes */
    bool lanes;     /* lanes of some pattern: addresses may become rows */
    bool packed;    /* out: a loop over such an array is unrolled */
} Unroll;

static bool is_index_arithmetic(LLVMValueRef i) {
    return is_integer(i) && is_op(i, OP_INT_BINARY | OP_INT_CAST | OP_FREEZE | OP_SELECT | OP_ICMP);
}

/* ---- the two operands: thread ids and counters ---- */

static void find_ids(Unroll *u) {
    for (bool changed = true; changed;) {
        changed = false;
        for_each_cfg_instruction(i, b, u->c) {
            if (map_get(&u->of_id, i, 0)) continue;
            Name n = name_of_call(i);
            bool of = (n >= NAME_TID_X && n <= NAME_TID_Z) || n == NAME_LINEAR || n == NAME_LANE || n == NAME_GLOBAL_X;
            if (is_index_arithmetic(i) || (LLVMIsAPHINode(i) && is_integer(i)))
                for (int o = 0; o < LLVMGetNumOperands(i); o++)
                    of |= map_get(&u->of_id, LLVMGetOperand(i, (unsigned)o), 0) != 0;
            if (!of) continue;
            map_put(&u->of_id, i, 1);
            changed = true;
        }
    }
}

static unsigned counted_kind(const Unroll *u, LLVMValueRef v) { return (unsigned)map_get(&u->counted, v, NOT_COUNTED); }

/* Header phis, of this loop or of an inner one, all of whose values may be known at compile time. */
static bool may_count(const Unroll *u, LLVMValueRef i) {
    if (!LLVMIsAPHINode(i)) return is_index_arithmetic(i);
    int b = cfg_block_of(u->c, i), l = u->c->b[b].loop;
    return is_integer(i) && u->c->l[l].header == b;
}

static bool operand_counts(const Unroll *u, LLVMValueRef v) { return LLVMIsAConstantInt(v) || counted_kind(u, v); }

/* The largest set of instructions that depend only on constants and each other. */
static void find_counted(Unroll *u) {
    const Loop *l = &u->c->l[u->loop];
    map_init(&u->counted, u->k->arena);
    for_each_loop_instruction(i, b, u->c, l)
        if (may_count(u, i)) map_put(&u->counted, i, LINEAR);
    for (bool changed = true; changed;) {
        changed = false;
        for_each_loop_instruction(i, b, u->c, l) {
            if (!counted_kind(u, i)) continue;
            bool all = true;
            for (int o = 0; o < LLVMGetNumOperands(i); o++) all &= operand_counts(u, LLVMGetOperand(i, (unsigned)o));
            if (all) continue;
            map_put(&u->counted, i, NOT_COUNTED);
            changed = true;
        }
    }
}

static bool is_affine_sum(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMAdd || op == LLVMSub || (op == LLVMOr && LLVMGetIsDisjoint(i));
}

static bool steps_by_constant(LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (LLVMIsAConstantInt(v)) continue;
        if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionOpcode(v) != LLVMAdd) return false;
        if (LLVMGetOperand(v, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return false;
    }
    return true;
}

static bool is_non_linear(const Unroll *u, LLVMValueRef i) {
    if (LLVMIsAPHINode(i)) return !steps_by_constant(i);
    bool non_linear = false, constant = false;
    for (int o = 0; o < LLVMGetNumOperands(i); o++) {
        non_linear |= counted_kind(u, LLVMGetOperand(i, (unsigned)o)) == NON_LINEAR;
        constant |= LLVMIsAConstantInt(LLVMGetOperand(i, (unsigned)o)) != NULL;
    }
    if (is_affine_sum(i)) return non_linear;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze: return non_linear;
    case LLVMMul: return non_linear || !constant;
    case LLVMShl: return non_linear || !LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    default: return true;
    }
}

static void find_non_linear(Unroll *u) {
    const Loop *l = &u->c->l[u->loop];
    for (bool changed = true; changed;) {
        changed = false;
        for_each_loop_instruction(i, b, u->c, l) {
            if (counted_kind(u, i) != LINEAR || !is_non_linear(u, i)) continue;
            map_put(&u->counted, i, NON_LINEAR);
            changed = true;
        }
    }
}

/* ---- operations on both ---- */

static bool decides_address(LLVMValueRef v, int depth) {
    if (depth > MAX_FLOW) return false;
    for_each_user(i, v) {
        if (LLVMIsAGetElementPtrInst(i) || LLVMIsABranchInst(i)) return true;
        if (is_index_arithmetic(i) && decides_address(i, depth + 1)) return true;
    }
    return false;
}

static bool mixes_with_id(const Unroll *u, LLVMValueRef i) {
    if (!is_index_arithmetic(i) || LLVMIsASelectInst(i) || LLVMGetNumOperands(i) != 2) return false;
    LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    if (counted_kind(u, y)) {
        LLVMValueRef t = x;
        x = y;
        y = t;
    }
    if (!counted_kind(u, x) || counted_kind(u, y) || !map_get(&u->of_id, y, 0)) return false;
    if (is_affine_sum(i)) return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMICmp: return counted_kind(u, x) == NON_LINEAR && decides_address(i, 0);
    default: return decides_address(i, 0);
    }
}

/* ---- packed words ---- */

/* Only loads and stores, through constant and variable offsets; *size: of all (bytes), -1 if there are several. */
static bool sizes_of(const Unroll *u, LLVMValueRef p, int *size, int depth) {
    if (depth > MAX_FLOW) return false;
    for_each_user(i, p) {
        bool load = LLVMIsALoadInst(i) != NULL, store = LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == p;
        if (LLVMIsAGetElementPtrInst(i)) {
            if (!sizes_of(u, i, size, depth + 1)) return false;
        } else if (load || store) {
            int n = (int)LLVMABISizeOfType(u->k->m->dl, LLVMTypeOf(load ? i : LLVMGetOperand(i, 0)));
            if (LLVMGetVolatile(i)) return false;
            *size = *size == 0 || *size == n ? n : -1;
        } else if (!is_lifetime(i)) {
            return false;
        }
    }
    return true;
}

static void find_mixed(Unroll *u) {
    map_init(&u->mixed, u->k->arena);
    for_each_in_block(i, u->c->b[0].bb) {
        int size = 0;
        if (LLVMIsAAllocaInst(i) && sizes_of(u, i, &size, 0) && size < 0) map_put(&u->mixed, i, 1);
    }
}

/* The counter, or a constant, is the index of the element. */
static bool indexes_packed(const Unroll *u, LLVMValueRef gep) {
    if (!LLVMIsAGetElementPtrInst(gep) || !map_get(&u->mixed, LLVMGetOperand(gep, 0), 0)) return false;
    bool picked = false;
    for (int o = 1; o < LLVMGetNumOperands(gep); o++) {
        LLVMValueRef x = LLVMGetOperand(gep, (unsigned)o);
        if (!operand_counts(u, x)) return false;
        picked |= counted_kind(u, x) != NOT_COUNTED;
    }
    return picked;
}

static bool is_unroll_profitable(Unroll *u) {
    const Loop *l = &u->c->l[u->loop];
    find_counted(u);
    find_non_linear(u);
    for_each_loop_instruction(i, b, u->c, l) {
        if (indexes_packed(u, i)) return u->packed = true;
        if (u->lanes && mixes_with_id(u, i)) return true;
    }
    return false;
}

/* ---- short rows ---- */

/* Elements of a thread lie side by side, and beside those of its neighbours: at this distance. */
static bool is_row_access(const Unroll *u, const Shapes *s, LLVMValueRef i, uint64_t *distance) {
    LLVMTypeRef t;
    LLVMValueRef p = accessed_address(i, &t);
    int64_t stride, size = p ? (int64_t)LLVMStoreSizeOfType(u->k->m->dl, t) : 0;
    if (!p || !is_near_access(u->k, s, i) || !shapes_lane_stride(s, p, &stride)) return false;
    *distance = (uint64_t)(stride / size);
    return shim_loop_step(u->c->b[u->c->l[u->loop].header].bb, p) == (uint64_t)size;
}

/* x < min(a, b) at the end of the loop becomes x < a && x < b. */
static void split_bound(const Unroll *u, LLVMValueRef test) {
    LLVMIntPredicate p, least;
    LLVMValueRef bound = LLVMIsAICmpInst(test) ? LLVMGetOperand(test, 1) : NULL;
    if (!bound || !is_int_min_max(bound) || !min_max_predicate(bound, &least)) return;
    p = LLVMGetICmpPredicate(test);
    if (!is_less_predicate(p) || !is_less_predicate(least)) return;
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE;
    if (is_signed != (least == LLVMIntSLT || least == LLVMIntSLE)) return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->k->m->ctx);
    set_insert_point(b, test);
    LLVMValueRef x = LLVMGetOperand(test, 0), first = LLVMBuildICmp(b, p, x, LLVMGetOperand(bound, 0), ""),
                 second = LLVMBuildICmp(b, p, x, LLVMGetOperand(bound, 1), "");
    replace_instruction(test, LLVMBuildAnd(b, first, second, ""));
    LLVMDisposeBuilder(b);
}

/* At most as many iterations as there are elements between those of two neighbours. */
static bool is_short_row(const Unroll *u) {
    const Loop *l = &u->c->l[u->loop];
    uint64_t distance = 0;
    if (u->k->width == 1 || !u->lanes || !cfg_is_innermost(u->c, u->loop) || l->nlatches != 1 ||
        cfg_loop_size(u->c, u->loop) > MAX_ROW_SIZE)
        return false;
    const Shapes *s = kernel_shapes(u->k);
    bool row = false;
    for_each_loop_instruction(i, b, u->c, l) row = row || is_row_access(u, s, i, &distance);
    if (!row) return false;
    for (int b = l->first; b <= l->last; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(u->c->b[b].bb);
        if (u->c->b[b].nsucc == 2 && LLVMIsABranchInst(t)) split_bound(u, LLVMGetCondition(t));
    }
    unsigned trips = shim_max_trips(u->c->b[l->header].bb);
    return trips > 0 && trips <= distance;
}

/* ---- pragmas and size ---- */

bool unroll_is_decided(const Cfg *c, int loop) {
    return cfg_loop_has_property(c, loop, "llvm.loop.unroll.disable") ||
           cfg_loop_has_property(c, loop, "llvm.loop.unroll.count");
}

/* Outer loops first; inner loops of those that are unrolled are visited in the next iteration. */
static bool unroll_chosen(Unroll *u, int *size) {
    Vec(LLVMBasicBlockRef) chosen = {0};
    bool *gone = arena_array(u->k->arena, bool, u->c->nloops + 1);
    map_init(&u->of_id, u->k->arena);
    find_ids(u);
    find_mixed(u);
    for (int l = 0; l < u->c->nloops; l++) {
        const Loop *loop = &u->c->l[l];
        gone[l] = loop->parent >= 0 && gone[loop->parent];
        if (gone[l]) continue;
        u->loop = l;
        if (unroll_is_decided(u->c, l)) continue;
        bool profitable = is_unroll_profitable(u), row = !profitable && is_short_row(u);
        if (!profitable && !row) continue;
        int trips = (int)(row ? shim_max_trips(u->c->b[loop->header].bb) : cfg_trip_count(u->c, l));
        int more = (trips - 1) * (int)cfg_loop_size(u->c, l);
        if (trips < 1 || trips > MAX_TRIPS || *size + more > MAX_SIZE) continue;
        *size += more;
        gone[l] = true;
        vec_push(u->k->arena, &chosen, u->c->b[loop->header].bb);
    }
    bool any = false;
    for (int i = 0; i < chosen.n; i++) any |= shim_unroll_loop(chosen.v[i]);
    return any;
}

Nyi unroll_loops(Kernel *k) {
    bool unknown = k->layout == LAYOUT_GENERAL && !k->block[0]; /* lanes of no pattern */
    if (pass_disabled(k->m, "unroll_loops") || k->m->opt->opt_level == 0) return NYI_NONE;
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        if (iteration) drop_facts(k);
        Unroll u = {.k = k, .c = kernel_cfg(k), .lanes = !unknown};
        if (!u.c->reducible || !u.c->nloops) break;
        int size = (int)function_size(k->fn);
        if (!unroll_chosen(&u, &size)) break;
        unguard_divisions(k->fn);
        if (u.packed) run_llvm_passes_on(k->m, k->fn, "sccp,instcombine<no-verify-fixpoint>,sroa");
        run_llvm_passes_on(
            k->m, k->fn,
            "sccp,instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg,adce,instcombine<no-verify-fixpoint>");
        restore_normal_form(k->m, k->fn);
    }
    return NYI_NONE;
}
