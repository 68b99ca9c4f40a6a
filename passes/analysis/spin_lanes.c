/* spin_lanes.c: does a lane that polls wait for a lane of its own group?
**
** Code of several lanes continues after the loop when all of them have left it, so a lane must not poll for what
** another lane of its group would still do. That lane has left the loop before, or took another path at a divergent
** branch, and has reached no barrier since: it waits there for all threads of the block, the polling one among them. So
**   - the divergent branches from which the loop is reached without a barrier, and before their lanes meet again, are
**     where the others diverged;
**   - what they reach from there without a barrier, nor through the loop, is what they may do meanwhile;
**   - if nothing of that writes to what the loop reads, it waits for other groups or blocks: a thread that polls for
**     all (`if (threadIdx.x == 0) while (...); __syncthreads()`), the end of the kernel.
** Not what the loop reads: other memory; another type; words in rows of as many words as there are lanes, of which each
** lane reads only its own - so they are, too, where two parameters point to one array, if a row begins where a row
** begins; for parameters that are a part of a row apart, no wait for plain stores is assumed (in CUDA such a wait is a
** data race). Where only one lane ever reaches the loop - `if (threadIdx.x == 0)` - code there is run by that lane
** alone: a lock that it takes and releases.
** Of barriers in both successors of a divergent branch, which CUDA does not define, each counts as one of all
** threads. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/single_lane.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/kernel.h"

typedef struct Others {
    const Cfg *c;
    const Shapes *s;
    LLVMTargetDataRef dl;
    const MemorySpaces *spaces;
    int loop, single; /* single: the block that dominates what one lane does alone; -1 = there is none */
    int width;
    bool one_warp;
    Vec(LLVMValueRef) loads; /* the loads of the loop */
    Bits before, from, done[2];
} Others;

typedef struct Point {
    int block;
    bool later_iteration; /* in a later iteration of some loop around the one that polls */
} Point;

/* A barrier of a part of the block, which consists of whole warps; bar.arrive and yielding are none. */
static bool is_warps_barrier(LLVMValueRef i) {
    if (name_of_call(i) != NAME_BARRIER_N) return false;
    LLVMValueRef id = LLVMGetOperand(i, 0), count = LLVMGetOperand(i, 1);
    if (LLVMIsAConstantInt(id) && LLVMConstIntGetZExtValue(id) == CUCPU_WAIT_YIELD) return false;
    return LLVMIsAConstantInt(count) && !(LLVMConstIntGetZExtValue(count) & CUCPU_WAIT_ARRIVE);
}

/* All threads of the warp, or of the block, arrive here before one goes on. */
static bool waits_for_all(const Others *o, LLVMValueRef i) {
    Name n = name_of_call(i);
    if (n == NAME_BARRIER || (n >= NAME_BAR_POPC && n <= NAME_BAR_OR) || n == NAME_GRID_SYNC || n == NAME_CLUSTER_SYNC)
        return true;
    if (o->one_warp && is_warps_barrier(i)) return true;
    if (!o->one_warp || !name_is_warp_op(n) || n == NAME_ACTIVEMASK) return false;
    LLVMValueRef mask = LLVMGetOperand(i, 0);
    return LLVMIsAConstantInt(mask) && LLVMConstIntGetSExtValue(mask) == -1;
}

static bool is_alone(const Others *o, int b) { return o->single >= 0 && cfg_dominates(o->c, o->single, b); }

static bool has_barrier(const Others *o, int b) {
    for_each_in_block(i, o->c->b[b].bb)
        if (waits_for_all(o, i)) return true;
    return false;
}

/* Some lanes may be in the loop while others of the group are elsewhere: the loop is reached before all lanes meet
** again at the post-dominator of the divergent branch that ends block b. */
static bool parts_lanes(const Others *o, Arena *a, int b) {
    int header = o->c->l[o->loop].header, meet = o->c->b[b].ipdom;
    if (meet < 0) return true;
    Bits seen = bits_new(a, o->c->n);
    Vec(int) work = {0};
    vec_push(a, &work, b);
    while (work.n) {
        const Block *k = &o->c->b[work.v[--work.n]];
        for (int e = 0; e < k->nsucc; e++) {
            int to = k->succ[e];
            if (to == meet || bits_has(seen, to)) continue;
            if (to == header) return true;
            bits_add(seen, to);
            vec_push(a, &work, to);
        }
    }
    return false;
}

/* Marks in `from` where others may have diverged: backwards from the end of block b. */
static void go_back(Others *o, Arena *a, int start) {
    Vec(int) work = {0};
    vec_push(a, &work, start);
    while (work.n) {
        const Block *k = &o->c->b[work.v[--work.n]];
        for (int p = 0; p < k->npred; p++) {
            int b = k->pred[p];
            if (bits_has(o->before, b)) continue;
            bits_add(o->before, b);
            if (shapes_branch_divergent(o->s, b) && !is_alone(o, b) && parts_lanes(o, a, b)) bits_add(o->from, b);
            if (!has_barrier(o, b)) vec_push(a, &work, b);
        }
    }
}

/* ---- what is written ---- */

static bool is_read_from(LLVMValueRef i) {
    return LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

static void find_polled(Others *o, Arena *a) {
    for (int b = o->c->l[o->loop].first; b <= o->c->l[o->loop].last; b++)
        for_each_in_block(i, o->c->b[b].bb)
            if (is_read_from(i) && cfg_loop_contains(o->c, o->loop, b)) vec_push(a, &o->loads, i);
}

/* The address p is root + row * width * *word + lane * *word; NULL: it is not, as far as is known. */
static LLVMValueRef root_of_row(const Others *o, LLVMValueRef p, int64_t *word) {
    if (!shapes_lane_stride(o->s, p, word) || *word <= 0) return NULL;
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2) {
        LLVMValueRef index = LLVMGetOperand(p, 1);
        uint64_t size = LLVMABISizeOfType(o->dl, LLVMGetGEPSourceElementType(p));
        if (size * shapes_align(o->s, index) % ((uint64_t)*word * (uint64_t)o->width)) return NULL;
        p = LLVMGetOperand(p, 0);
    }
    return shapes_is_uniform(o->s, p) ? p : NULL;
}

/* The memory of another parameter, written by a plain store: a wait for that would be a data race. */
static bool is_other_memory(LLVMValueRef write, LLVMValueRef to, LLVMValueRef from) {
    return LLVMIsAArgument(to) && LLVMIsAArgument(from) && LLVMIsAStoreInst(write) && !LLVMGetVolatile(write) &&
           LLVMGetOrdering(write) == LLVMAtomicOrderingNotAtomic;
}

/* No lane reads what another lane writes there. */
static bool is_own_word(const Others *o, LLVMValueRef write, LLVMValueRef to, LLVMTypeRef type) {
    int64_t word, loads;
    uint64_t bytes = LLVMStoreSizeOfType(o->dl, type);
    LLVMValueRef root = root_of_row(o, to, &word);
    for (int k = 0; k < o->loads.n; k++) {
        LLVMValueRef p = LLVMGetOperand(o->loads.v[k], 0);
        if (!(spaces_of(o->spaces, p) & spaces_of(o->spaces, to)) || types_apart(o->loads.v[k], write)) continue;
        LLVMValueRef from = root ? root_of_row(o, p, &loads) : NULL;
        if (!from || bytes > (uint64_t)word || loads != word) return false;
        if (from != root && !is_other_memory(write, root, from)) return false;
    }
    return true;
}

static bool may_write(const Others *o, LLVMValueRef i) {
    if (LLVMIsAStoreInst(i)) return !is_own_word(o, i, LLVMGetOperand(i, 1), LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return !is_own_word(o, i, LLVMGetOperand(i, 0), LLVMTypeOf(LLVMGetOperand(i, 1)));
    return LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i);
}

/* Blocks run in the order of their numbers: lanes that take one before the loop have run it. */
static bool is_after_header(const Others *o, Point at) {
    return at.later_iteration || at.block > o->c->l[o->loop].header;
}

/* The edge goes back in a loop around the one that polls. */
static bool begins_iteration(const Others *o, int from, int to) {
    int x = o->c->b[to].loop;
    return to <= from && x != o->loop && cfg_loop_contains(o->c, x, o->c->l[o->loop].header);
}

/* Whether others write before they reach the polling lane, from the start of this block on. */
static bool write_from(Others *o, Arena *a, int start) {
    Vec(Point) work = {0};
    vec_push(a, &work, ((Point){start, false}));
    while (work.n) {
        Point at = work.v[--work.n];
        /* with it, iteration by iteration */
        bool polls_too = !at.later_iteration && cfg_loop_contains(o->c, o->loop, at.block);
        if (polls_too || is_alone(o, at.block) || bits_has(o->done[at.later_iteration], at.block)) continue;
        bits_add(o->done[at.later_iteration], at.block);
        const Block *k = &o->c->b[at.block];
        bool met = false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(k->bb); i && !met; i = LLVMGetNextInstruction(i)) {
            met = waits_for_all(o, i);
            if (!met && may_write(o, i) && is_after_header(o, at)) return true;
        }
        for (int e = 0; !met && e < k->nsucc; e++)
            vec_push(a, &work, ((Point){k->succ[e], at.later_iteration || begins_iteration(o, at.block, k->succ[e])}));
    }
    return false;
}

static bool is_defined_outside(const Cfg *c, LLVMValueRef v, int loop) {
    return loop < 0 || !LLVMIsAInstruction(v) || !cfg_in_loop(c, loop, v);
}

/* The single lane is the same one in every iteration of the loops around. */
static bool remains_single(const Cfg *c, int branch, LLVMValueRef v, LLVMValueRef u) {
    int outermost = c->b[branch].loop;
    while (outermost >= 0 && c->l[outermost].parent >= 0) outermost = c->l[outermost].parent;
    bool id = name_of_call(v) == NAME_TID_X || name_of_call(v) == NAME_LANE || name_of_call(v) == NAME_LINEAR;
    return (id || is_defined_outside(c, v, outermost)) && is_defined_outside(c, u, outermost);
}

/* The arm of a branch around the loop that only one lane takes. */
static int find_single(const Cfg *c, const Shapes *s, int loop) {
    LLVMValueRef v, u;
    for (int arm = c->l[loop].header; arm > 0; arm = c->b[arm].idom) {
        if (c->b[arm].npred != 1) continue;
        int b = c->b[arm].pred[0];
        if (c->b[b].nsucc != 2 || c->b[b].succ[0] != arm || !shapes_branch_divergent(s, b)) continue;
        if (single_lane(s, LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[b].bb)), &v, &u) &&
            remains_single(c, b, v, u))
            return arm;
    }
    return -1;
}

bool spins_on_own_lanes(Kernel *k, const Cfg *c, const Shapes *s, int loop) {
    Arena *a = k->arena;
    Others o = {.c = c,
                .s = s,
                .dl = k->m->dl,
                .spaces = memory_spaces(a, k->fn),
                .loop = loop,
                .single = find_single(c, s, loop)};
    o.width = k->width;
    o.one_warp = k->width <= k->m->opt->warp_size;
    find_polled(&o, a);
    o.before = bits_new(a, c->n);
    o.from = bits_new(a, c->n);
    for (int r = 0; r < 2; r++) o.done[r] = bits_new(a, c->n);
    go_back(&o, a, c->l[loop].header);
    for (int b = 0; b < c->n; b++)
        for (int e = 0; bits_has(o.from, b) && e < c->b[b].nsucc; e++)
            if (write_from(&o, a, c->b[b].succ[e])) return true;
    return false;
}
