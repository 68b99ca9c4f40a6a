/* warp_convergence.c: do lanes of a warp meet in a function of the warp from different places?
**
** A warp-level function with a member mask waits for all lanes of the mask, at whatever place they call the same function with the same
** mask (PTX ISA: "the same qualifiers and the same membermask").  Code of several lanes runs one place after the other, each with the
** lanes that are there, and so is right only if the members of a mask come to one place.  They may come to two, P and Q, if
**   both call one function, with masks that may be equal;
**   lanes of one mask part at some branch, of which one side leads to P and another one to Q, neither past a barrier of the block nor past
**   another such call; where the branch ends a loop, one side goes round once more.
** If the mask is a constant, the one side may also come to P, or to Q = P, in a later iteration: lanes that are not in `if (x) P` go round to it.
** A mask that lanes have found themselves on a side of the branch (__activemask, __ballot), or by a ballot on its condition, has no members elsewhere.  Where lanes differ in their
** mask (tiles of a warp), its members are taken to be the largest aligned part of the warp in which it is uniform, and the branch is asked
** about these only; of masks that follow no such order (labels) nothing is known, and each place is taken to be one of its own.
** Two sides that both go on in the next iteration come together there. */
#include "passes/analysis/divergence.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/kernel.h"
#include "passes/ir/value.h"

typedef struct Meeting {
    LLVMValueRef call, mask;
    Name name;
    int block, part; /* lanes in a row that share the mask, 0 = no order */
    bool behind;     /* a barrier stands in front of it in its block */
} Meeting;

typedef struct Meetings {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    const Shapes *of[7]; /* by the logarithm of the number of lanes: for parts of so many; the group itself: the last */
    bool *barrier;       /* of each block */
    int *first, *end;    /* of each block, its meetings */
    Vec(Meeting) all;
    int log;
} Meetings;

/* The shapes for aligned parts of 2^log lanes. */
static const Shapes *shapes_of_parts(Meetings *m, int log) {
    if (!m->of[log])
        m->of[log] = shapes_compute_warp(m->a, m->c, 1 << log, m->k->layout, m->k->block, m->k->m->opt->warp_size);
    return m->of[log];
}

static int parts_of_mask(Meetings *m, LLVMValueRef mask) {
    for (int log = m->log; log > 0; log--)
        if (shapes_is_uniform(shapes_of_parts(m, log), mask)) return log;
    return 0;
}

static bool is_block_barrier(LLVMValueRef i) {
    Name n = name_of_call(i);
    return n != NAME_BARRIER_N && (name_is_barrier(n) || name_leaves_block(n));
}

static void find_meetings(Meetings *m, const Shapes *s) {
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
            vec_push(m->a, &m->all, ((Meeting){i, mask, n, b, parts_of_mask(m, mask), m->barrier[b]}));
        }
        m->end[b] = m->all.n;
    }
}

/* ---- masks ---- */

static bool may_be_equal(const Meeting *p, const Meeting *q) {
    return p->name == q->name && (p->mask == q->mask || !LLVMIsAConstantInt(p->mask) || !LLVMIsAConstantInt(q->mask));
}

static bool is_complement(LLVMValueRef v, LLVMValueRef of) {
    return opcode(v) == LLVMXor && LLVMGetOperand(v, 0) == of && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
}

/* Made of what __activemask or a vote said on this side of the branch, or a ballot on its condition: only lanes that take the side are in it. */
static bool found_behind(const Meetings *m, LLVMValueRef v, int branch, int edge, PtrMap *seen) {
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
        return found_behind(m, LLVMGetOperand(v, 0), branch, edge, seen) ||
               found_behind(m, LLVMGetOperand(v, 1), branch, edge, seen);
    case LLVMSelect:
        return found_behind(m, LLVMGetOperand(v, 1), branch, edge, seen) &&
               found_behind(m, LLVMGetOperand(v, 2), branch, edge, seen);
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (!found_behind(m, LLVMGetIncomingValue(v, i), branch, edge, seen)) return false;
        return true;
    default: return false;
    }
}

/* Only lanes that took this edge are members. */
static bool is_of_side(const Meetings *m, const Meeting *p, int branch, int edge) {
    int to = m->c->b[branch].succ[edge];
    if (m->c->b[to].npred != 1) return false;
    PtrMap seen = map_new(m->a);
    return found_behind(m, p->mask, branch, edge, &seen);
}

/* ---- where lanes part ---- */

typedef struct Place {
    int at;      /* a block, or a meeting */
    bool around; /* in a later iteration of a loop that the branch is in */
} Place;
typedef Vec(Place) Places;

/* The outermost loop around the branch that its other side leaves; -1: none. */
static int loop_left(const Cfg *c, int branch, int edge) {
    int left = -1;
    for (int x = c->b[branch].loop; x >= 0 && !cfg_loop_contains(c, x, c->b[branch].succ[!edge]); x = c->l[x].parent)
        left = x;
    return left;
}

/* The first meeting like `like` in a block, -1: none; stops: nothing behind the block is reached without it or a barrier. */
static int first_in(const Meetings *m, int b, const Meeting *like, bool *stops) {
    *stops = m->barrier[b];
    for (int i = m->first[b]; i < m->end[b] && !m->all.v[i].behind; i++)
        if (may_be_equal(&m->all.v[i], like)) {
            *stops = true;
            return i;
        }
    return -1;
}

/* The meetings like `like` that an edge of a branch leads to, none behind another.  A branch on the same condition goes the same way. */
static void places_behind(const Meetings *m, int branch, int edge, const Meeting *like, Places *found) {
    const Cfg *c = m->c;
    Bits seen[2] = {bits_new(m->a, c->n), bits_new(m->a, c->n)};
    Places work = {0};
    LLVMValueRef decided = LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[branch].bb));
    int left = loop_left(c, branch, edge), first = c->b[branch].succ[edge];
    vec_push(m->a, &work, ((Place){first, first <= branch}));
    while (work.n) {
        Place w = work.v[--work.n];
        int b = w.at;
        if (bits_has(seen[w.around], b)) continue;
        bits_add(seen[w.around], b);
        bool stops;
        int meeting = first_in(m, b, like, &stops);
        if (meeting >= 0) vec_push(m->a, found, ((Place){meeting, w.around}));
        LLVMValueRef t = LLVMGetBasicBlockTerminator(c->b[b].bb);
        bool same = !w.around && c->b[b].nsucc == 2 && b != branch && LLVMGetCondition(t) == decided;
        for (int e = 0; e < c->b[b].nsucc && !stops; e++) {
            int to = c->b[b].succ[e], loop = c->b[to].loop;
            bool back = to <= b,
                 follows = !back || (left >= 0 && cfg_loop_contains(c, left, to)) ||
                           (LLVMIsAConstantInt(like->mask) && !w.around && cfg_loop_contains(c, loop, branch));
            if (follows && !(same && e != edge)) vec_push(m->a, &work, ((Place){to, w.around || back}));
        }
    }
}

/* Lanes of one mask that part at this branch may be at two places then, or at one in different iterations. */
static bool meet_behind(Meetings *m, int branch, const Meeting *like) {
    Places side[2] = {{0}, {0}};
    places_behind(m, branch, 0, like, &side[0]);
    if (side[0].n) places_behind(m, branch, 1, like, &side[1]);
    for (int i = 0; i < side[0].n; i++)
        for (int j = 0; j < side[1].n; j++) {
            const Place *x = &side[0].v[i], *y = &side[1].v[j];
            const Meeting *p = &m->all.v[x->at], *q = &m->all.v[y->at];
            if ((p == q && x->around == y->around) || (x->around && y->around) || !may_be_equal(p, q)) continue;
            int part = p->part < q->part ? p->part : q->part;
            if (!part || !shapes_branch_divergent(shapes_of_parts(m, part), branch)) continue;
            if (!is_of_side(m, p, branch, 0) && !is_of_side(m, q, branch, 1)) return true;
        }
    return false;
}

/* The first meeting of each kind (function, and mask if it is a constant), of those that are met at several places, or in a loop. */
static bool is_first_of_kind(const Meetings *m, int i) {
    const Meeting *p = &m->all.v[i];
    bool several = LLVMIsAConstantInt(p->mask) && m->c->b[p->block].loop >= 0;
    for (int j = 0; j < m->all.n; j++) {
        const Meeting *q = &m->all.v[j];
        bool alike = p->name == q->name &&
                     (p->mask == q->mask || (!LLVMIsAConstantInt(p->mask) && !LLVMIsAConstantInt(q->mask)));
        if (alike && j < i) return false;
        several |= q->block != p->block && may_be_equal(p, q);
    }
    return several;
}

bool converges_across_branch(Kernel *k, const Cfg *c, const Shapes *s) {
    Meetings m = {.k = k, .a = k->arena, .c = c};
    while (1 << m.log < k->width) m.log++;
    m.of[m.log] = s;
    find_meetings(&m, s);
    for (int i = 0; i < m.all.n; i++) {
        if (!is_first_of_kind(&m, i)) continue;
        for (int b = 0; b < c->n; b++)
            if (c->b[b].nsucc == 2 && shapes_branch_divergent(s, b) && meet_behind(&m, b, &m.all.v[i])) return true;
    }
    return false;
}
