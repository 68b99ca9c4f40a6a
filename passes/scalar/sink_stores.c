/* sink_stores: stores to fields move after the loads that follow, where they are to other memory.
**
**   pos[i].x += vel[i].x * t; pos[i].y += vel[i].y * t; pos[i].z += vel[i].z * t;
**
** in, out: normal form
** Why: fields of a structure that are loaded and stored together are a few consecutive vectors (widen_fields.c);
** alternating they are a gather or a scatter for each field. But the store of pos[i].x may change what is loaded as
** vel[i].y, as far as is known at compile time.
** How: in an interval of a block without calls and atomics, all stores are done after its last load. Those of one
** structure do not overlap, nor does memory of a __restrict__ parameter overlap that of another one. For any other pair
** of structures the distance of the two must be the same in all lanes; then a comparison chooses between the new order
** and a copy of the old one. Threads need no comparison with each other: nothing orders their accesses within the
** interval. Neighbouring elements of an array that a thread accesses (v[4 * i], v[4 * i + 1], ...) are such a
** structure.
** Left alone: intervals in which a load may read what was stored at an address that is less well known; they end
** there. */
#include "passes/analysis/accesses.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_ACCESSES = 64, MAX_CODE = 300, MAX_TESTS = 3, MAX_FIELDS = 16, MAX_DEPTH = 12 };

typedef struct Access {
    LLVMValueRef inst, base;
    int64_t from, to; /* offsets from base */
} Access;

/* Two structures may overlap if (first - second), in bytes, is between low and high, both exclusive. */
typedef struct Test {
    LLVMValueRef first, second;
    int64_t low, high;
} Test;

typedef struct Interval {
    Access a[MAX_ACCESSES];
    Test t[MAX_TESTS];
    int n, ntests;
} Interval;

typedef struct Sink {
    Kernel *k;
    const Shapes *s;
    Vec(Interval) found;
} Sink;

/* ---- what may overlap ---- */

static LLVMValueRef pointer_root(LLVMValueRef p) {
    while (LLVMIsAGetElementPtrInst(p)) p = LLVMGetOperand(p, 0);
    return p;
}

static bool is_restricted(LLVMValueRef fn, LLVMValueRef arg) {
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned i = 0, n = LLVMCountParams(fn); i < n; i++)
        if (LLVMGetParam(fn, i) == arg) return LLVMGetEnumAttributeAtIndex(fn, i + 1, kind) != NULL;
    return false;
}

static bool are_noalias(const Sink *x, LLVMValueRef p, LLVMValueRef q) {
    p = pointer_root(p), q = pointer_root(q);
    if (p == q || !LLVMIsAArgument(p) || !LLVMIsAArgument(q)) return false;
    return is_restricted(x->k->fn, p) || is_restricted(x->k->fn, q);
}

/* Lanes step through structures of a few fields of `size` bytes. */
static bool is_structure(const Sink *x, LLVMValueRef base, int64_t size, int64_t *stride) {
    if (shapes_is_uniform(x->s, base) || !shapes_lane_stride(x->s, base, stride)) return false;
    return *stride >= 2 * size && *stride <= MAX_FIELDS * size && *stride % size == 0;
}

/* Operations that addresses consist of; they may be hoisted. */
static bool is_address_arithmetic(LLVMValueRef i) {
    return is_op(i, OP_GEP | OP_ADD | OP_MUL | OP_SHL | OP_BITWISE | OP_INT_CAST) ||
           (LLVMIsACallInst(i) && !stands_between(i, true));
}

/* v can be computed before all accesses of its block. */
static bool is_computable_before(LLVMBasicBlockRef bb, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != bb || LLVMIsAPHINode(v)) return true;
    if (depth > MAX_DEPTH || !is_address_arithmetic(v)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_computable_before(bb, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

/* Adds the test that separates the store from the load; false: there is none. */
static bool add_test(const Sink *x, Interval *s, const Access *store, const Access *load) {
    int64_t one, other, size = store->to - store->from;
    if (LLVMTypeOf(store->base) != LLVMTypeOf(load->base) || !is_structure(x, store->base, size, &one)) return false;
    if (!shapes_lane_stride(x->s, load->base, &other) || one != other) return false;
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(load->inst);
    if (!is_computable_before(bb, store->base, 0) || !is_computable_before(bb, load->base, 0)) return false;
    int64_t low = load->from - store->to, high = load->to - store->from;
    for (int i = 0; i < s->ntests; i++) {
        Test *t = &s->t[i];
        if (t->first != store->base || t->second != load->base) continue;
        if (low < t->low) t->low = low;
        if (high > t->high) t->high = high;
        return true;
    }
    if (s->ntests == MAX_TESTS) return false;
    s->t[s->ntests++] = (Test){store->base, load->base, low, high};
    return true;
}

static bool may_pass(const Sink *x, Interval *s, const Access *store, const Access *load) {
    if (store->base == load->base) return store->to <= load->from || load->to <= store->from;
    return are_noalias(x, store->base, load->base) || add_test(x, s, store, load);
}

/* ---- intervals ---- */

static bool is_store(const Access *a) { return LLVMIsAStoreInst(a->inst) != NULL; }

/* Two fields of a structure are stored, one of them before a load. */
static bool is_interval_profitable(const Sink *x, const Interval *s) {
    int last = s->n - 1;
    int64_t stride;
    while (last >= 0 && is_store(&s->a[last])) last--;
    for (int i = 0; i < last; i++) {
        const Access *a = &s->a[i];
        if (!is_store(a) || !is_structure(x, a->base, a->to - a->from, &stride)) continue;
        for (int j = i + 1; j < s->n; j++)
            if (is_store(&s->a[j]) && s->a[j].base == a->base && s->a[j].from != a->from) return true;
    }
    return false;
}

static void end_interval(Sink *x, Interval *s) {
    if (is_interval_profitable(x, s)) vec_push(x->k->arena, &x->found, *s);
    *s = (Interval){.n = 0};
}

static void add_to_interval(Sink *x, Interval *s, LLVMValueRef i) {
    Access a = {.inst = i};
    a.base = access_base(x->k->m->dl, accessed_at(i), &a.from);
    a.to = a.from + (int64_t)LLVMStoreSizeOfType(x->k->m->dl, accessed_type(i));
    if (s->n == MAX_ACCESSES) end_interval(x, s);
    Interval without = *s;
    for (int k = 0; k < s->n && LLVMIsALoadInst(i); k++) {
        if (!is_store(&s->a[k]) || may_pass(x, s, &s->a[k], &a)) continue;
        *s = without;
        end_interval(x, s);
    }
    s->a[s->n++] = a;
}

static void find_intervals(Sink *x, LLVMBasicBlockRef bb) {
    Interval s = {.n = 0};
    int size = 0;
    for_each_in_block(i, bb) {
        bool plain = is_plain_access(i);
        if ((!plain && stands_between(i, true)) || ++size > MAX_CODE) end_interval(x, &s), size = 0;
        if (plain) add_to_interval(x, &s, i);
    }
    end_interval(x, &s);
}

/* ---- the new order ---- */

static LLVMValueRef last_load(const Interval *s) {
    int i = s->n - 1;
    while (is_store(&s->a[i])) i--;
    return s->a[i].inst;
}

static void sink_interval(const Interval *s, LLVMBuilderRef b) {
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(last_load(s)));
    for (int i = 0; s->a[i].inst != last_load(s); i++) {
        if (!is_store(&s->a[i])) continue;
        LLVMInstructionRemoveFromParent(s->a[i].inst);
        LLVMInsertIntoBuilder(b, s->a[i].inst);
    }
}

/* Addresses without the index that both have. */
static void strip_index(const Sink *x, LLVMValueRef *p, LLVMValueRef *q) {
    if (!LLVMIsAGetElementPtrInst(*p) || !LLVMIsAGetElementPtrInst(*q)) return;
    if (LLVMGetNumOperands(*p) != 2 || LLVMGetNumOperands(*q) != 2 || LLVMGetOperand(*p, 1) != LLVMGetOperand(*q, 1))
        return;
    if (LLVMABISizeOfType(x->k->m->dl, LLVMGetGEPSourceElementType(*p)) !=
        LLVMABISizeOfType(x->k->m->dl, LLVMGetGEPSourceElementType(*q)))
        return;
    *p = LLVMGetOperand(*p, 0), *q = LLVMGetOperand(*q, 0);
}

static LLVMValueRef is_apart(const Sink *x, LLVMBuilderRef b, const Test *t) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(x->k->m->ctx);
    LLVMValueRef p = t->first, q = t->second;
    strip_index(x, &p, &q);
    LLVMValueRef d = LLVMBuildSub(b, LLVMBuildPtrToInt(b, p, i64, ""), LLVMBuildPtrToInt(b, q, i64, ""), "distance");
    d = LLVMBuildSub(b, d, LLVMConstInt(i64, (uint64_t)(t->low + 1), 1), "");
    return LLVMBuildICmp(b, LLVMIntUGE, d, LLVMConstInt(i64, (uint64_t)(t->high - t->low - 1), 0), "apart");
}

/* Values computed in `old` and used after it come from there or from its copy. */
static void merge_values(LLVMBuilderRef b, LLVMBasicBlockRef old, LLVMBasicBlockRef copy, LLVMBasicBlockRef join,
                         const PtrMap *map) {
    LLVMBasicBlockRef from[2] = {old, copy};
    for_each_in_block(i, old) {
        LLVMValueRef phi = NULL, v[2] = {i, map_ptr(map, i)};
        for (LLVMUseRef u = LLVMGetFirstUse(i), next; u; u = next) {
            LLVMValueRef user = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (LLVMGetInstructionParent(user) == old || user == phi) continue;
            if (!phi) {
                LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(join));
                phi = LLVMBuildPhi(b, LLVMTypeOf(i), "");
            }
            for (int k = 0; k < LLVMGetNumOperands(user); k++)
                if (LLVMGetOperand(user, (unsigned)k) == i) LLVMSetOperand(user, (unsigned)k, phi);
            next = LLVMGetFirstUse(i);
        }
        if (phi) LLVMAddIncoming(phi, v, from, 2);
    }
}

/* Addresses are computed before the interval, once for both copies. */
static void hoist_arithmetic(const Sink *x, LLVMBuilderRef b, const Interval *s) {
    LLVMValueRef last = s->a[s->n - 1].inst;
    PtrMap kept = map_new(x->k->arena);
    for (LLVMValueRef i = s->a[0].inst, next; i != last; i = next) {
        next = LLVMGetNextInstruction(i);
        bool moves = is_address_arithmetic(i);
        for (int k = 0; moves && k < LLVMGetNumOperands(i); k++)
            moves = !map_get(&kept, LLVMGetOperand(i, (unsigned)k), 0);
        if (!moves) {
            map_put(&kept, i, 1);
            continue;
        }
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(b, s->a[0].inst);
        LLVMInsertIntoBuilder(b, i);
    }
}

/* A copy of the interval for the new order, and the choice. */
static void version_interval(const Sink *x, LLVMBuilderRef b, Interval *s) {
    hoist_arithmetic(x, b, s);
    LLVMValueRef first = s->a[0].inst, after = LLVMGetNextInstruction(s->a[s->n - 1].inst), apart = NULL;
    LLVMBasicBlockRef before = LLVMGetInstructionParent(first), old = shim_split_block(first, "in.order"),
                      join = shim_split_block(after, "stored");
    LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(x->k->m->ctx, old, "apart");
    PtrMap map = map_new(x->k->arena);
    LLVMPositionBuilderAtEnd(b, copy);
    for_each_in_block(i, old) {
        LLVMValueRef c = clone_at(b, i);
        map_put(&map, i, (uintptr_t)c);
        for (int k = 0; k < LLVMGetNumOperands(c); k++) {
            LLVMValueRef o = map_ptr(&map, LLVMGetOperand(c, (unsigned)k));
            if (o) LLVMSetOperand(c, (unsigned)k, o);
        }
    }
    merge_values(b, old, copy, join, &map);
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(b, jump);
    for (int i = 0; i < s->ntests; i++) {
        LLVMValueRef t = is_apart(x, b, &s->t[i]);
        apart = apart ? LLVMBuildAnd(b, apart, t, "") : t;
    }
    LLVMBuildCondBr(b, apart, copy, old);
    LLVMInstructionEraseFromParent(jump);
    for (int i = 0; i < s->n; i++) s->a[i].inst = map_ptr(&map, s->a[i].inst);
}

static bool has_load_after_store(LLVMValueRef fn) {
    for_each_block(bb, fn) {
        bool stored = false;
        for_each_in_block(i, bb) {
            if (LLVMIsALoadInst(i) && stored) return true;
            stored |= LLVMIsAStoreInst(i) != NULL;
        }
    }
    return false;
}

Nyi sink_stores(Kernel *k) {
    keep_facts(k);
    if (k->width < 4 || k->m->opt->opt_level == 0 || pass_disabled(k->m, "sink_stores") ||
        pass_disabled(k->m, "fields"))
        return NYI_NONE;
    if (!has_load_after_store(k->fn)) return NYI_NONE;
    /* v[4 * i + 1] and v[4 * i + 2] have one base. */
    run_llvm_passes_on(k->m, k->fn, "separate-const-offset-from-gep,early-cse,lcssa");
    drop_facts(k);
    const Cfg *c = kernel_cfg(k);
    Sink x = {.k = k, .s = kernel_shapes(k)};
    for (int i = 0; i < c->n; i++) find_intervals(&x, c->b[i].bb);
    if (!x.found.n) return NYI_NONE;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < x.found.n; i++) {
        if (x.found.v[i].ntests) version_interval(&x, b, &x.found.v[i]);
        sink_interval(&x.found.v[i], b);
    }
    LLVMDisposeBuilder(b);
    drop_facts(k);
    return NYI_NONE;
}
