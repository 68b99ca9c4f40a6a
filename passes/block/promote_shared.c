/* promote_shared: what a block keeps in shared memory and in its frame is promoted to registers across barriers.
**
** in:  entries for one blockDim (cucpu.block), width > 1
** out: the same without loads and stores of shared memory, or unchanged
**
** A thread block runs on one worker, and its shared memory is not visible elsewhere. With blockDim known, loops over
** its groups run a constant number of times; once those are unrolled, `s[threadIdx.x + 1]` is a constant address, and
** memory becomes values (block_memory.c, block_values.c): a neighbour is a shuffle of vectors, where it was a load that
** crosses cache lines right after the stores it depends on. Only loops that such an address depends on are unrolled,
** innermost first, within MAX_INSTRUCTIONS.
** Tests of lanes against the counter of a loop around barriers are constants by then (fold_tests.c).
** Leaves an entry alone if an address remains variable, is passed on, or is that of pieces which overlap in part; if
** there are many more slots than vector registers; if combining lanes takes more instructions than the loads and stores
** did; and kernels that wait for the grid, which leave the entry while their memory is in use. If that holds for a
** kernel as a whole, the version for interior blocks of the grid is tried alone, where version_interior_blocks has made
** one. Works on a clone of the entry, so that giving up costs only time. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/cost.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/block/block_memory.h"
#include "passes/block/fold_tests.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_INSTRUCTIONS = 6000, MAX_ITERATIONS = 300, DEPTH = 24, SLOTS_PER_REGISTER = 16 };
enum { WORKER = 1 }; /* among the entry's parameters (CucpuEntry) */

typedef struct Entry {
    Module *m;
    LLVMValueRef fn;
    LLVMValueRef shared, frame; /* loads of the worker's pointers */
    LLVMValueRef start;         /* the store of the block's index: here a block begins */
    bool part;                  /* only what find_part has marked is promoted */
    bool threaded;              /* jumps are threaded since the last unrolling */
} Entry;

static int max(int x, int y) { return x > y ? x : y; }

/* ---- which entries ---- */

static bool is_promotable(Module *m, LLVMValueRef fn) {
    if (!is_wide_entry(fn)) return false;
    const Variant v = variant_of(fn);
    const unsigned *block = v.block;
    bool waits = fn_attr_int(fn, ATTR_FLAGS, 0) & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER);
    return block[0] && block[1] && block[2] && !waits && m->opt->opt_level >= 2;
}

static LLVMValueRef *field_slot(Entry *e, int64_t offset) {
    switch (offset) {
    case offsetof(CucpuWorker, shared): return &e->shared;
    case offsetof(CucpuWorker, frame): return &e->frame;
    case offsetof(CucpuWorker, block): return &e->start;
    default: return NULL;
    }
}

/* Notes the access to the worker's field at `offset`; false if it is not the only one of a relevant field. */
static bool note_worker_field(Entry *e, LLVMValueRef i, int64_t offset) {
    LLVMValueRef *slot = field_slot(e, offset);
    if (LLVMIsAStoreInst(i) && LLVMGetVolatile(i)) return true; /* of the first of several blocks that run as one */
    if (!slot) return LLVMIsALoadInst(i);
    bool right = slot == &e->start ? LLVMIsAStoreInst(i) != NULL : LLVMIsALoadInst(i) != NULL;
    if (!right || *slot) return false;
    *slot = i;
    return true;
}

/* Visits all uses of the worker; false if it is passed on. */
static bool find_fields(Entry *e, LLVMValueRef p, int64_t offset) {
    for_each_user(i, p) {
        if (LLVMIsAGetElementPtrInst(i)) {
            LLVMValueRef c = LLVMGetOperand(i, 1);
            if (LLVMGetNumOperands(i) != 2 || !LLVMIsAConstantInt(c)) return false;
            uint64_t size = LLVMABISizeOfType(e->m->dl, LLVMGetGEPSourceElementType(i));
            if (!find_fields(e, i, offset + LLVMConstIntGetSExtValue(c) * (int64_t)size)) return false;
            continue;
        }
        bool access = LLVMIsALoadInst(i) || (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 0) != p);
        if (!access || !note_worker_field(e, i, offset)) return false;
    }
    return true;
}

/* ---- unrolling ---- */

static int count_instructions(const Cfg *c, int first, int last) {
    int n = 0;
    for (int b = first; b <= last; b++)
        for_each_in_block(i, c->b[b].bb) n++;
    return n;
}

/* The innermost loop whose counter an address depends on; -1: none. */
static int loop_of_value(const Cfg *c, LLVMValueRef v, PtrMap *seen, int depth) {
    if (!LLVMIsAInstruction(v) || depth > DEPTH || map_get(seen, v, 0)) return -1;
    map_put(seen, v, 1);
    int b = cfg_block_of(c, v), l = b < 0 ? -1 : c->b[b].loop;
    int found = LLVMIsAPHINode(v) && l >= 0 && c->l[l].header == b ? l : -1;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        int o = loop_of_value(c, LLVMGetOperand(v, (unsigned)k), seen, depth + 1);
        if (o >= 0 && (found < 0 || c->l[o].depth > c->l[found].depth)) found = o;
    }
    return found;
}

static bool is_sound(LLVMValueRef v, PtrMap *seen) {
    if (LLVMIsAConstantInt(v) || map_get(seen, v, 0)) return true;
    if (!LLVMIsAInstruction(v) || LLVMIsALoadInst(v) || LLVMIsACallInst(v) || shim_makes_poison(v)) return false;
    map_put(seen, v, 1);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_sound(LLVMGetOperand(v, (unsigned)k), seen)) return false;
    return true;
}

/* linearise freezes conditions of loops that inactive lanes must not affect; conditions of constants alone, by now,
** need no freeze, which would hide the trip count of the loops. */
static void thaw(const Cfg *c, int l, Arena *a) {
    for (int b = c->l[l].first; b <= c->l[l].last; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb), next; i; i = next) {
            PtrMap seen;
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsAFreezeInst(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind) continue;
            map_init(&seen, a);
            if (!is_sound(LLVMGetOperand(i, 0), &seen)) continue;
            replace_instruction(i, LLVMGetOperand(i, 0));
        }
}

static bool unroll(Entry *e, const Cfg *c, int l, Arena *a, long maximum) {
    LLVMBasicBlockRef header = c->b[c->l[l].header].bb;
    thaw(c, l, a);
    long trips = shim_max_trips(header), all = count_instructions(c, 0, c->n - 1);
    long body = count_instructions(c, c->l[l].first, c->l[l].last);
    if (!trips || all + (trips - 1) * body > maximum) return false;
    run_llvm_passes_on(e->m, e->fn, "loop-simplify,lcssa");
    if (!shim_unroll_loop(header)) return false;
    run_llvm_passes_on(e->m, e->fn, "instsimplify,simplifycfg,instsimplify");
    return true;
}

/* The order of regions becomes control flow. Groups evaluate the same condition one after another: the result for the
** first one holds for the others, once jump threading has made a path for each result. */
static void thread_jumps(Entry *e) {
    run_llvm_passes_on(e->m, e->fn, "early-cse,jump-threading,loop-simplify,early-cse,simplifycfg,instsimplify");
    e->threaded = true;
}

/* Unrolls a loop that keeps an address from being constant. The next region is a constant on each path, so a loop
** around barriers may have a trip count only after jump threading. */
static bool unroll_for(Entry *e, LLVMValueRef address) {
    Arena a = {0};
    PtrMap seen = map_new(&a);
    const Cfg *c = cfg_build(&a, e->fn);
    int l = loop_of_value(c, address, &seen, 0);
    bool unrolled = l >= 0 && unroll(e, c, l, &a, MAX_INSTRUCTIONS);
    arena_free(&a);
    if (unrolled || l < 0 || e->threaded) {
        e->threaded = e->threaded && !unrolled;
        return unrolled;
    }
    thread_jumps(e);
    return true;
}

/* ---- one of two addresses ---- */

/* A store where the condition does not hold writes the old value back. */
static void redirect(LLVMBuilderRef b, LLVMValueRef select, LLVMValueRef i, unsigned real) {
    LLVMValueRef c = LLVMGetOperand(select, 0), p = LLVMGetOperand(select, real);
    if (LLVMIsAStoreInst(i)) {
        set_insert_point(b, i);
        LLVMValueRef v = LLVMGetOperand(i, 0), old = LLVMBuildLoad2(b, LLVMTypeOf(v), p, "");
        LLVMSetOperand(i, 0, LLVMBuildSelect(b, c, real == 1 ? v : old, real == 1 ? old : v, ""));
    }
    LLVMSetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0, p);
}

static bool is_plain(LLVMValueRef i, LLVMValueRef p) {
    if (LLVMIsALoadInst(i)) return !LLVMGetVolatile(i);
    return LLVMIsAStoreInst(i) && !LLVMGetVolatile(i) && LLVMGetOperand(i, 0) != p;
}

/* Accesses through `select c, p, scratch`, which widen makes where possibly no lane is active, become accesses of p: as
** values, loads have no effects. */
static bool split_select(Entry *e, LLVMValueRef select) {
    unsigned real = 0;
    for (unsigned k = 1; LLVMIsASelectInst(select) && k <= 2; k++)
        if (LLVMIsAAllocaInst(LLVMGetOperand(select, k)) && is_scratch(LLVMGetOperand(select, k))) real = 3 - k;
    if (!real) return false;
    for_each_user(user, select)
        if (!is_plain(user, select)) return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(e->m->ctx);
    for (LLVMUseRef u; (u = LLVMGetFirstUse(select));) redirect(b, select, LLVMGetUser(u), real);
    LLVMDisposeBuilder(b);
    LLVMInstructionEraseFromParent(select);
    return true;
}

/* ---- one entry ---- */

/* The mark of the part that is promoted; NULL: it turned out to be unreachable. */
static LLVMValueRef find_mark(LLVMValueRef fn) {
    unsigned id = LLVMLookupIntrinsicID("llvm.sideeffect", 15);
    for_each_instruction(i, fn) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (f && LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) == id) return i;
    }
    return NULL;
}

/* Makes all addresses constant, if possible. */
static bool settle(Entry *e, BlockMemory *b) {
    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        b->start = e->part ? find_mark(e->fn) : e->start;
        b->head = LLVMGetInstructionParent(e->start);
        if (!b->start) return false;
        if (memory_collect(b)) return true;
        if (!b->obstacle) return false;
        if (!split_select(e, b->obstacle) && !unroll_for(e, b->obstacle)) return false;
    }
    return false;
}

/* With known tests removed, fewer values are live. Not for the frame: jump threading there would hide loops that the
** addresses of shared memory have yet to be unrolled for. */
static bool fold_entry(Entry *e, BlockMemory *b) {
    if (b->base != e->shared || !has_lane_tests(e->fn) || pass_disabled(e->m, "fold_tests")) return true;
    bool changed = !e->threaded;
    if (changed) thread_jumps(e);
    if (fold_lane_tests(e->m, e->fn)) {
        run_llvm_passes_on(e->m, e->fn, "instsimplify,adce,simplifycfg");
        changed = true;
    }
    return !changed || settle(e, b);
}

/* The memory that `base` points to, of which `bytes` may be read before they are written, becomes values; true if that
** is profitable. False leaves the entry correct. */
static bool promote(Entry *e, LLVMValueRef base, long bytes) {
    Arena a = {0};
    BlockMemory b = {.m = e->m, .a = &a, .fn = e->fn, .base = base, .bytes = bytes};
    int registers = (int)e->m->vector_regs;
    bool ok = settle(e, &b) && fold_entry(e, &b) && b.access.n &&
              memory_divide(&b, e->m->vector_bits / 8, SLOTS_PER_REGISTER * registers) &&
              cfg_build(&a, e->fn)->reducible;
    if (ok) {
        int before = memory_cost(&b), made = memory_promote(&b);
        ok = made + COST_SPILLED_SLOT * max(0, b.nvectors - registers) <= before;
        run_llvm_passes_on(e->m, e->fn, "instsimplify,adce,simplifycfg");
    }
    arena_free(&a);
    return ok;
}

/* ---- a part of an entry ---- */

/* An instruction without effects that no pass removes. */
static void mark_block(Module *m, LLVMBasicBlockRef bb) {
    unsigned id = LLVMLookupIntrinsicID("llvm.sideeffect", 15);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderBefore(b, first_after_phis(bb));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->mod, id, NULL, 0);
    LLVMBuildCall2(b, LLVMIntrinsicGetType(m->ctx, id, NULL, 0), f, NULL, 0, "");
    LLVMDisposeBuilder(b);
}

/* The first branch in a block of the grid that version_interior_blocks has left, if any: marks one successor. */
static bool find_part(Entry *e, unsigned successor) {
    run_llvm_passes_on(e->m, e->fn,
                       "simplifycfg,loop-simplify,lcssa,loop-mssa(licm),loop(loop-deletion),"
                       "instcombine<no-verify-fixpoint>,simplifycfg");
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(e->start);
    for (int step = 0; step < DEPTH; step++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (LLVMGetNumSuccessors(t) == 2) {
            mark_block(e->m, LLVMGetSuccessor(t, successor));
            return e->part = true;
        }
        if (LLVMGetNumSuccessors(t) != 1) return false;
        bb = LLVMGetSuccessor(t, 0);
    }
    return false;
}

/* While the loads of the worker's pointers are volatile, no pass removes or replaces them. */
static void set_volatile(Entry *e, bool is_volatile) {
    if (e->shared) LLVMSetVolatile(e->shared, is_volatile);
    if (e->frame) LLVMSetVolatile(e->frame, is_volatile);
}

/* The frame first: its contents may be part of addresses. part 0: all of the entry; 1, 2: a successor of its first
** branch. */
static bool promote_entry(Module *m, LLVMValueRef fn, unsigned part) {
    Entry e = {.m = m, .fn = fn};
    if (!find_fields(&e, LLVMGetParam(fn, WORKER), 0) || !e.shared || !e.start || !LLVMGetFirstUse(e.shared))
        return false;
    set_volatile(&e, true);
    if (part && !find_part(&e, part - 1)) return false;
    if (e.frame) promote(&e, e.frame, 0);
    bool done = promote(&e, e.shared, fn_attr_int(fn, ATTR_SHARED, 0));
    for (LLVMValueRef i; e.part && (i = find_mark(fn));) LLVMInstructionEraseFromParent(i);
    set_volatile(&e, false);
    return done;
}

static bool try_clone(Module *m, LLVMValueRef fn, Arena *a, unsigned part) {
    char *name = arena_printf(a, "%s", value_name(fn));
    LLVMValueRef clone = shim_clone_function(fn, arena_printf(a, "%s.promoted", name));
    bool done = promote_entry(m, clone, part);
    LLVMReplaceAllUsesWith(done ? fn : clone, done ? clone : fn);
    LLVMDeleteFunction(done ? fn : clone);
    if (done) LLVMSetValueName2(clone, name, strlen(name));
    return done;
}

/* The whole entry, else each version that version_interior_blocks has made. */
static void try_entry(Module *m, LLVMValueRef fn, Arena *a) {
    unsigned parts = variant_of(fn).interior ? 3 : 1;
    for (unsigned part = 0; part < parts && !try_clone(m, fn, a, part);) part++;
}

bool promote_shared(Module *m) {
    if (pass_disabled(m, "promote_shared")) return true;
    Arena a = {0};
    Vec(LLVMValueRef) entries = {0};
    for_each_function(f, m->mod)
        if (is_promotable(m, f)) vec_push(&a, &entries, f);
    for (int i = 0; i < entries.n; i++) try_entry(m, entries.v[i], &a);
    arena_free(&a);
    return true;
}
