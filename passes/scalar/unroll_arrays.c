/* unroll_arrays: loops whose counters index a small local array, or a table of constants, are unrolled completely.
**
** `for (k = 0; k < 9; k++) sum += q[k] * in[(x + dx[k]) % w]`: once k is a constant the array is values in registers,
** dx[k] a constant, and shapes see through the address. LLVM unrolls such a loop only while it is small; nvcc does so
** in general.
**
** An array is replaced if only loads and stores access it, each at an index that consists of constants and of counters
** of loops with a known trip count, and if all such arrays together fit into the vector registers: spilled values cost
** more than an array. So loops that index a larger array as well are kept. Loops under #pragma unroll N or unroll 1,
** with barriers, or with inner loops that are kept, are left alone.
**
** Part of normalise_cfg; requires loop-simplify form and LCSSA, keeps them; SROA has to follow. */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

/* Instructions of the function afterwards, where there is an array, and where there are only tables. */
enum { MAX_SIZE = 3000, MAX_SIZE_TABLES = 1000 };
enum { MAX_TRIPS = 64, MAX_ITERATIONS = 5, MAX_DEPTH = 12, FLOAT = 4 /* bytes */ };

typedef struct Unroll {
    Module *m;
    Arena *arena;
    const Cfg *c;
    int *trips;      /* by loop; 0 = it is kept */
    bool *indexes;   /* by loop: its counter indexes elements of the current array */
    bool *chosen;    /* by loop: chosen */
    uint64_t values; /* of arrays that are replaced, in floats */
} Unroll;

/* ---- loops ---- */

static void find_trips(Unroll *u) {
    int *loop = arena_array(u->arena, int, u->c->nloops + 1), n = 0;
    LLVMBasicBlockRef *header = arena_array(u->arena, LLVMBasicBlockRef, u->c->nloops + 1);
    unsigned *trips = arena_array(u->arena, unsigned, u->c->nloops + 1);
    for (int l = u->c->nloops - 1; l >= 0; l--) /* inner loops first */
        if (!unroll_is_decided(u->c, l) && !cfg_has_cut(u->c, l))
            loop[n] = l, header[n++] = u->c->b[u->c->l[l].header].bb;
    shim_trip_counts(header, n, trips);
    for (int k = 0; k < n; k++) u->trips[loop[k]] = trips[k] <= MAX_TRIPS ? (int)trips[k] : 0;
}

static int size_of_loop(const Cfg *c, int loop) {
    int n = 0;
    for (int b = 0; b < c->n; b++)
        if (c->b[b].loop == loop)
            for_each_in_block(i, c->b[b].bb) n++;
    return n;
}

/* Instructions once the loops of `chosen` are unrolled. */
static int64_t size_without(const Unroll *u, const bool *chosen) {
    int64_t sum = size_of_loop(u->c, -1);
    for (int l = 0; l < u->c->nloops; l++) {
        int64_t n = size_of_loop(u->c, l);
        for (int o = l; o >= 0; o = u->c->l[o].parent) n *= chosen[o] ? u->trips[o] : 1;
        sum += n;
    }
    return sum;
}

/* ---- indices ---- */

/* Consists of constants and counters; notes the loops that count. */
static bool is_counted(Unroll *u, LLVMValueRef v, int depth) {
    if (LLVMIsAConstantInt(v)) return true;
    if (!LLVMIsAInstruction(v) || depth > MAX_DEPTH) return false;
    if (LLVMIsAPHINode(v)) {
        int b = cfg_block_of(u->c, v), l = b < 0 ? -1 : u->c->b[b].loop;
        if (l < 0 || u->c->l[l].header != b || !u->trips[l]) return false;
        for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
            LLVMValueRef in = LLVMGetIncomingValue(v, k);
            bool steps =
                LLVMIsABinaryOperator(in) && LLVMGetOperand(in, 0) == v && LLVMIsAConstantInt(LLVMGetOperand(in, 1));
            if (!steps && !LLVMIsAConstantInt(in)) return false;
        }
        return u->indexes[l] = true;
    }
    if (!is_op(v, OP_INT_BINARY | OP_INT_CAST)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_counted(u, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static bool has_counted_indices(Unroll *u, LLVMValueRef gep) {
    for (int k = 1; k < LLVMGetNumOperands(gep); k++)
        if (!is_counted(u, LLVMGetOperand(gep, (unsigned)k), 0)) return false;
    return true;
}

/* memset(p, ...) or memcpy(p, ...) of constant length. */
static bool is_initialiser(LLVMValueRef i, LLVMValueRef p) {
    if (!LLVMIsAMemSetInst(i) && !LLVMIsAMemCpyInst(i)) return false;
    return LLVMGetOperand(i, 0) == p && LLVMGetOperand(i, 1) != p && LLVMIsAConstantInt(LLVMGetOperand(i, 2));
}

/* Only loads and stores at such indices. */
static bool is_indexed(Unroll *u, LLVMValueRef p, int depth) {
    if (depth > MAX_DEPTH) return false;
    for_each_user(i, p) {
        if (LLVMIsAGetElementPtrInst(i)) {
            if (!has_counted_indices(u, i) || !is_indexed(u, i, depth + 1)) return false;
        } else if (LLVMIsALoadInst(i)) {
            if (LLVMGetVolatile(i)) return false;
        } else if (LLVMIsAStoreInst(i)) {
            if (LLVMGetVolatile(i) || LLVMGetOperand(i, 1) != p) return false;
        } else if (!is_lifetime(i) && !is_initialiser(i, p)) {
            return false;
        }
    }
    return true;
}

/* ---- choice ---- */

static bool any_indexes(const Unroll *u) {
    for (int l = 0; l < u->c->nloops; l++)
        if (u->indexes[l]) return true;
    return false;
}

/* Inner loops of those that are unrolled have to be unrolled too. */
static bool leaves_inner(const Unroll *u, const bool *chosen) {
    for (int l = 0; l < u->c->nloops; l++)
        for (int o = u->c->l[l].parent; o >= 0 && !chosen[l]; o = u->c->l[o].parent)
            if (chosen[o]) return true;
    return false;
}

/* The loops of `indexes` are unrolled, if that is not too much. */
static bool accept(Unroll *u, int maximum) {
    bool *chosen = arena_array(u->arena, bool, u->c->nloops + 1);
    for (int l = 0; l < u->c->nloops; l++) chosen[l] = u->chosen[l] || u->indexes[l];
    if (leaves_inner(u, chosen) || size_without(u, chosen) > maximum) return false;
    u->chosen = chosen;
    return true;
}

static bool is_array(LLVMValueRef i) { return LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)); }

static uint64_t values_of(const Unroll *u, LLVMValueRef alloca) {
    return (LLVMABISizeOfType(u->m->dl, LLVMGetAllocatedType(alloca)) + FLOAT - 1) / FLOAT;
}

static void hold_loops_of_large(Unroll *u, LLVMValueRef alloca) {
    if (values_of(u, alloca) <= u->m->vector_regs) return;
    u->indexes = arena_array(u->arena, bool, u->c->nloops + 1);
    if (!is_indexed(u, alloca, 0)) return;
    for (int l = 0; l < u->c->nloops; l++)
        if (u->indexes[l]) u->trips[l] = 0;
}

static void try_array(Unroll *u, LLVMValueRef alloca) {
    uint64_t values = values_of(u, alloca);
    u->indexes = arena_array(u->arena, bool, u->c->nloops + 1);
    if (u->values + values > u->m->vector_regs || !is_indexed(u, alloca, 0) || !any_indexes(u)) return;
    if (accept(u, MAX_SIZE)) u->values += values;
}

/* An element of constants. */
static bool is_table(LLVMValueRef p) {
    return LLVMIsAGlobalVariable(p) && LLVMIsGlobalConstant(p) && LLVMGetInitializer(p) &&
           !LLVMIsExternallyInitialized(p);
}

static void try_table(Unroll *u, LLVMValueRef gep) {
    u->indexes = arena_array(u->arena, bool, u->c->nloops + 1);
    if (has_counted_indices(u, gep) && any_indexes(u)) accept(u, MAX_SIZE_TABLES);
}

static void choose_loops(Unroll *u) {
    for_each_in_block(i, u->c->b[0].bb)
        if (is_array(i)) hold_loops_of_large(u, i);
    for_each_in_block(i, u->c->b[0].bb)
        if (is_array(i)) try_array(u, i);
    for_each_cfg_instruction(i, b, u->c)
        if (LLVMIsAGetElementPtrInst(i) && is_table(LLVMGetOperand(i, 0)) && u->c->b[b].loop >= 0) try_table(u, i);
}

/* Those that have no inner loop; the others are visited in the next iteration. */
static bool unroll_array_loops(Module *m, LLVMValueRef fn) {
    Arena a = {0};
    Unroll u = {.m = m, .arena = &a, .c = cfg_build(&a, fn)};
    bool any = false;
    if (u.c->reducible && u.c->nloops) {
        u.trips = arena_array(&a, int, u.c->nloops);
        u.chosen = arena_array(&a, bool, u.c->nloops);
        find_trips(&u);
        choose_loops(&u);
        bool *outer = arena_array(&a, bool, u.c->nloops);
        for (int l = 0; l < u.c->nloops; l++)
            if (u.c->l[l].parent >= 0) outer[u.c->l[l].parent] = true;
        for (int l = u.c->nloops - 1; l >= 0; l--)
            if (u.chosen[l] && !outer[l]) any |= shim_unroll_loop(u.c->b[u.c->l[l].header].bb);
    }
    arena_free(&a);
    return any;
}

void unroll_arrays(Module *m) {
    if (pass_disabled(m, "unroll_arrays")) return;
    for_each_function(f, m->mod)
        for (int iteration = 0; iteration < MAX_ITERATIONS && !LLVMIsDeclaration(f) && unroll_array_loops(m, f);
             iteration++)
            run_llvm_passes_on(m, f, "simplifycfg,instsimplify,loop-simplify,lcssa");
}
