/* warp_convergence.c: do lanes of a warp synchronise in a warp function from different call sites?
**
** A warp-level function with a member mask waits for all lanes of the mask, at any call site of the same function with
** the same mask (PTX ISA: "the same qualifiers and the same membermask"). Code of several lanes runs one call site
** after the other, each with its active lanes, and so is right only if the members of a mask reach one call site. They
** may reach two, P and Q, if
**   - both call one function, with masks that may be equal;
**   - lanes of one mask diverge at some branch, of which one successor leads to P and the other one to Q, neither past
**     a barrier of the block nor past another such call; where the branch ends a loop, one successor is another
**     iteration.
** If the mask is a constant, the one successor may also reach P, or Q = P, in a later iteration: lanes that are not in
** `if (x) P` iterate to it.
** A mask that lanes have computed themselves after the branch (__activemask, __ballot), or by a ballot on its
** condition, has no members elsewhere. Where lanes differ in their mask (tiles of a warp), its members are assumed to
** be the largest aligned part of the warp in which it is uniform, and only these are considered at the branch; of masks
** that follow no such order (labels) nothing is known, and each call site is assumed to have a separate one. Two
** successors that both go on in the next iteration reconverge there. */
#include "passes/analysis/divergence.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/kernel.h"
#include "passes/ir/value.h"

typedef struct CallSite {
    LLVMValueRef call, mask;
    Name name;
    int block, part;    /* consecutive lanes that share the mask, 0 = no order */
    bool after_barrier; /* a barrier precedes it in its block */
} CallSite;

typedef struct CallSites {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    const Shapes *of[7]; /* by the logarithm of the number of lanes: for parts of so many; the group itself: the last */
    bool *barrier;       /* of each block */
    int *first, *end;    /* of each block, its call sites */
    Vec(CallSite) all;
    int log;
} CallSites;

/* The shapes for aligned parts of 2^log lanes. */
static const Shapes *shapes_of_parts(CallSites *m, int log) {
    if (!m->of[log])
        m->of[log] = shapes_compute_warp(m->a, m->c, 1 << log, m->k->layout, m->k->block, m->k->m->opt->warp_size);
    return m->of[log];
}

static int parts_of_mask(CallSites *m, LLVMValueRef mask) {
    for (int log = m->log; log > 0; log--)
        if (shapes_is_uniform(shapes_of_parts(m, log), mask)) return log;
    return 0;
}

static bool is_block_barrier(LLVMValueRef i) {
    Name n = name_of_call(i);
    return n != NAME_BARRIER_N && (name_is_barrier(n) || name_leaves_block(n));
}

static void find_meetings(CallSites *m, const Shapes *s) {
    m->barrier = arena_array(m->a, bool, m->c->n);
    m->first = arena_array(m->a, int, m->c->n);
    m->end = arena_array(m->a, int, m->c->n);
    for (int b = 0; b < m->c->n; b++) {
        m->first[b] = m->all.n;
        for_each_in_block(i, m->c->b[b].bb) {
            Name n = name_of_call(i);
            m->barrier[b] |= is_block_barrier(i);
            if (!name_is_warp_op(n) || n == NAME_ACTIVEMASK || !shapes_block_divergent(s, b)) continue;
            LLVMValueRef mask = LLVMGetOperand(i, 0);
            vec_push(m->a, &m->all, ((CallSite){i, mask, n, b, parts_of_mask(m, mask), m->barrier[b]}));
        }
        m->end[b] = m->all.n;
    }
}

/* ---- masks ---- */

static bool may_be_equal(const CallSite *p, const CallSite *q) {
    return p->name == q->name && (p->mask == q->mask || !LLVMIsAConstantInt(p->mask) || !LLVMIsAConstantInt(q->mask));
}

static bool is_complement(LLVMValueRef v, LLVMValueRef of) {
    return opcode(v) == LLVMXor && LLVMGetOperand(v, 0) == of && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
}

/* Computed from __activemask or a vote after this edge of the branch, or from a ballot on its condition: only lanes
** that take the edge are in it. */
static bool computed_after(const CallSites *m, LLVMValueRef v, int branch, int edge, PtrMap *seen) {
    if (!LLVMIsAInstruction(v)) return LLVMIsAConstantInt(v) && LLVMIsNull(v);
    if (map_get(seen, v, 0)) return true;
    map_put(seen, v, 1);
    Name n = name_of_call(v);
    int block = m->c->b[branch].succ[edge];
    LLVMValueRef taken = LLVMGetCondition(LLVMGetBasicBlockTerminator(m->c->b[branch].bb));
    if (n == NAME_BALLOT && (edge == 0 ? LLVMGetOperand(v, 1) == taken : is_complement(LLVMGetOperand(v, 1), taken)))
        return true;
    if (n == NAME_ACTIVEMASK || n == NAME_BALLOT || n == NAME_MATCH_ANY32 || n == NAME_MATCH_ANY64)
        return cfg_dominates(m->c, block, cfg_block_of(m->c, v));
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAnd:
        return computed_after(m, LLVMGetOperand(v, 0), branch, edge, seen) ||
               computed_after(m, LLVMGetOperand(v, 1), branch, edge, seen);
    case LLVMSelect:
        return computed_after(m, LLVMGetOperand(v, 1), branch, edge, seen) &&
               computed_after(m, LLVMGetOperand(v, 2), branch, edge, seen);
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (!computed_after(m, LLVMGetIncomingValue(v, i), branch, edge, seen)) return false;
        return true;
    default: return false;
    }
}

/* Only lanes that took this edge are members. */
static bool is_of_side(const CallSites *m, const CallSite *p, int branch, int edge) {
    int to = m->c->b[branch].succ[edge];
    if (m->c->b[to].npred != 1) return false;
    PtrMap seen = map_new(m->a);
    return computed_after(m, p->mask, branch, edge, &seen);
}

/* ---- where lanes diverge ---- */

typedef struct Point {
    int at;      /* a block, or a call site */
    bool around; /* in a later iteration of a loop that the branch is in */
} Point;
typedef Vec(Point) Points;

/* The outermost loop around the branch that its other successor leaves; -1: none. */
static int loop_left(const Cfg *c, int branch, int edge) {
    int left = -1;
    for (int x = c->b[branch].loop; x >= 0 && !cfg_loop_contains(c, x, c->b[branch].succ[!edge]); x = c->l[x].parent)
        left = x;
    return left;
}

/* The first call site like `like` in a block, -1: none; stops: nothing after the block is reached without it or a
** barrier. */
static int first_in(const CallSites *m, int b, const CallSite *like, bool *stops) {
    *stops = m->barrier[b];
    for (int i = m->first[b]; i < m->end[b] && !m->all.v[i].after_barrier; i++)
        if (may_be_equal(&m->all.v[i], like)) {
            *stops = true;
            return i;
        }
    return -1;
}

/* The call sites like `like` that an edge of a branch leads to, none after another. A branch on the same condition
** takes the same edge. */
static void call_sites_after(const CallSites *m, int branch, int edge, const CallSite *like, Points *found) {
    const Cfg *c = m->c;
    Bits seen[2] = {bits_new(m->a, c->n), bits_new(m->a, c->n)};
    Points work = {0};
    LLVMValueRef decided = LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[branch].bb));
    int left = loop_left(c, branch, edge), first = c->b[branch].succ[edge];
    vec_push(m->a, &work, ((Point){first, first <= branch}));
    while (work.n) {
        Point w = work.v[--work.n];
        int b = w.at;
        if (bits_has(seen[w.around], b)) continue;
        bits_add(seen[w.around], b);
        bool stops;
        int site = first_in(m, b, like, &stops);
        if (site >= 0) vec_push(m->a, found, ((Point){site, w.around}));
        LLVMValueRef t = LLVMGetBasicBlockTerminator(c->b[b].bb);
        bool same = !w.around && c->b[b].nsucc == 2 && b != branch && LLVMGetCondition(t) == decided;
        for (int e = 0; e < c->b[b].nsucc && !stops; e++) {
            int to = c->b[b].succ[e], loop = c->b[to].loop;
            bool back = to <= b,
                 follows = !back || (left >= 0 && cfg_loop_contains(c, left, to)) ||
                           (LLVMIsAConstantInt(like->mask) && !w.around && cfg_loop_contains(c, loop, branch));
            if (follows && !(same && e != edge)) vec_push(m->a, &work, ((Point){to, w.around || back}));
        }
    }
}

/* Lanes of one mask that diverge at this branch may be at two call sites then, or at one in different iterations. */
static bool synchronise_after(CallSites *m, int branch, const CallSite *like) {
    Points reached[2] = {{0}, {0}};
    call_sites_after(m, branch, 0, like, &reached[0]);
    if (reached[0].n) call_sites_after(m, branch, 1, like, &reached[1]);
    for (int i = 0; i < reached[0].n; i++)
        for (int j = 0; j < reached[1].n; j++) {
            const Point *x = &reached[0].v[i], *y = &reached[1].v[j];
            const CallSite *p = &m->all.v[x->at], *q = &m->all.v[y->at];
            if ((p == q && x->around == y->around) || (x->around && y->around) || !may_be_equal(p, q)) continue;
            int part = p->part < q->part ? p->part : q->part;
            if (!part || !shapes_branch_divergent(shapes_of_parts(m, part), branch)) continue;
            if (!is_of_side(m, p, branch, 0) && !is_of_side(m, q, branch, 1)) return true;
        }
    return false;
}

/* The first call site of each kind (function, and mask if it is a constant), of those at several points, or in a
** loop. */
static bool is_first_of_kind(const CallSites *m, int i) {
    const CallSite *p = &m->all.v[i];
    bool several = LLVMIsAConstantInt(p->mask) && m->c->b[p->block].loop >= 0;
    for (int j = 0; j < m->all.n; j++) {
        const CallSite *q = &m->all.v[j];
        bool alike = p->name == q->name &&
                     (p->mask == q->mask || (!LLVMIsAConstantInt(p->mask) && !LLVMIsAConstantInt(q->mask)));
        if (alike && j < i) return false;
        several |= q->block != p->block && may_be_equal(p, q);
    }
    return several;
}

bool converges_across_branch(Kernel *k, const Cfg *c, const Shapes *s) {
    CallSites m = {.k = k, .a = k->arena, .c = c};
    while (1 << m.log < k->width) m.log++;
    m.of[m.log] = s;
    find_meetings(&m, s);
    for (int i = 0; i < m.all.n; i++) {
        if (!is_first_of_kind(&m, i)) continue;
        for (int b = 0; b < c->n; b++)
            if (c->b[b].nsucc == 2 && shapes_branch_divergent(s, b) && synchronise_after(&m, b, &m.all.v[i]))
                return true;
    }
    return false;
}
