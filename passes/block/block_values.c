/* block_values: the loads and stores that block_memory.c has found become values.
**
** The function is visited in reverse postorder, and each cell is known as a lane of some value; a load shuffles its
** lanes out of those values, a store only changes what is known. So a gather of a column or of a diagonal is a few
** shuffles of the vectors that were stored, and a store costs nothing. At merge points cells are combined into slots,
** vectors of full width, with a phi each (after Braun et al., Simple and Efficient Construction of Static Single
** Assignment Form, CC 2013, with slots in place of variables). Unused phis are erased later, and so are loads of the
** contents of the memory at the start of a block, for cells that are read before they are written. */
#include "passes/ir/cfg.h"
#include "passes/block/block_memory.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_LANES = 64 };

/* What a cell holds: a lane of a vector of integers, or an integer (lane -1); v NULL: not known yet. */
typedef struct Content {
    LLVMValueRef v;
    int lane;
} Content;

typedef struct Promotion {
    BlockMemory *mem;
    Arena *a;
    const Cfg *cfg;
    LLVMBuilderRef b;
    Content **out;               /* block -> contents at its end; NULL: not yet visited */
    LLVMValueRef *phi;           /* block * nslots + slot */
    int made;                    /* instructions */
    Vec(struct Matrix *) matrix; /* of the current block */
    LLVMTypeRef i32;
} Promotion;

/* The type that the cells of an access are held as: integers, or pointers. */
static LLVMTypeRef lanes_type(const Promotion *p, unsigned bytes, bool pointers, unsigned lanes) {
    LLVMContextRef c = p->mem->m->ctx;
    LLVMTypeRef one = pointers ? LLVMPointerTypeInContext(c, 0) : LLVMIntTypeInContext(c, 8 * bytes);
    return lanes == 1 ? one : LLVMVectorType(one, lanes);
}

static LLVMValueRef cast(Promotion *p, LLVMValueRef v, LLVMTypeRef t) {
    return LLVMTypeOf(v) == t ? v : LLVMBuildBitCast(p->b, v, t, "");
}

static LLVMValueRef number(const Promotion *p, int n) { return LLVMConstInt(p->i32, (unsigned)n, 0); }

/* ---- vectors from lanes ---- */

static LLVMValueRef make_shuffle(Promotion *p, LLVMValueRef x, LLVMValueRef y, const int *index, unsigned n) {
    p->made++;
    return build_shuffle(p->b, x, y, index, n);
}

/* One value in all lanes. */
static LLVMValueRef broadcast(Promotion *p, const Content *c, LLVMTypeRef t, unsigned n) {
    int lane[MAX_LANES];
    for (unsigned l = 0; l < n; l++) lane[l] = c->lane < 0 ? 0 : c->lane;
    if (c->lane >= 0) return make_shuffle(p, c->v, NULL, lane, n);
    LLVMValueRef one = LLVMGetPoison(t);
    return make_shuffle(p, LLVMBuildInsertElement(p->b, one, c->v, number(p, 0), ""), NULL, lane, n);
}

/* Some lanes of a result; lane[l]: the lane of v that becomes lane l of the result, -1: not in v. */
typedef struct Part {
    LLVMValueRef v;
    int lane[MAX_LANES];
} Part;

/* A vector of n lanes, each at its index. */
static LLVMValueRef at_own_lanes(Promotion *p, const Part *a, unsigned n) {
    bool same = LLVMGetVectorSize(LLVMTypeOf(a->v)) == n;
    for (unsigned l = 0; l < n; l++) same = same && (a->lane[l] < 0 || a->lane[l] == (int)l);
    return same ? a->v : make_shuffle(p, a->v, NULL, a->lane, n);
}

/* The lanes of both; a keeps the result, in place. */
static void merge(Promotion *p, Part *a, Part *b, unsigned n) {
    if (LLVMTypeOf(a->v) != LLVMTypeOf(b->v)) {
        Part *both[2] = {a, b};
        for (int k = 0; k < 2; k++) {
            both[k]->v = at_own_lanes(p, both[k], n);
            for (unsigned l = 0; l < n; l++) both[k]->lane[l] = both[k]->lane[l] < 0 ? -1 : (int)l;
        }
    }
    int index[MAX_LANES], size = (int)LLVMGetVectorSize(LLVMTypeOf(a->v));
    for (unsigned l = 0; l < n; l++) index[l] = a->lane[l] >= 0 ? a->lane[l] : b->lane[l] >= 0 ? size + b->lane[l] : -1;
    a->v = make_shuffle(p, a->v, b->v, index, n);
    for (unsigned l = 0; l < n; l++) a->lane[l] = index[l] < 0 ? -1 : (int)l;
}

/* Lanes of vectors, merged pairwise: a chain of few steps. */
static LLVMValueRef put_vectors(Promotion *p, const Content *c, unsigned n) {
    Part *part = arena_array(p->a, Part, n);
    unsigned parts = 0;
    for (unsigned l = 0; l < n; l++) {
        if (!c[l].v || c[l].lane < 0) continue;
        unsigned k = 0;
        while (k < parts && part[k].v != c[l].v) k++;
        if (k == parts) {
            part[parts++].v = c[l].v;
            for (unsigned i = 0; i < n; i++) part[k].lane[i] = -1;
        }
        part[k].lane[l] = c[l].lane;
    }
    if (!parts) return NULL;
    for (unsigned step = 1; step < parts; step *= 2)
        for (unsigned k = 0; k + step < parts; k += 2 * step) merge(p, &part[k], &part[k + step], n);
    return at_own_lanes(p, &part[0], n);
}

/* ---- columns of a matrix ---- */

/* n vectors of n lanes that are read across, lane by lane: the network that transposes them in n * log2(n) steps, as
** far as it was needed yet. A step swaps blocks of d * d across the diagonal, for d = n / 2 ... 1: it leaves most lanes
** in place, which makes it a cheap shuffle. node[level * n + i]: row i after the steps up to level. */
typedef struct Matrix {
    LLVMValueRef *row, *node;
    unsigned n;
} Matrix;

static LLVMValueRef matrix_node(Promotion *p, Matrix *m, unsigned level, unsigned i) {
    LLVMValueRef *node = &m->node[level * m->n + i];
    unsigned d = m->n >> (level + 1);
    if (*node) return *node;
    LLVMValueRef low = level ? matrix_node(p, m, level - 1, i & ~d) : m->row[i & ~d];
    LLVMValueRef high = level ? matrix_node(p, m, level - 1, i | d) : m->row[i | d];
    int index[MAX_LANES];
    for (unsigned l = 0; l < m->n; l++) {
        unsigned from = i & d ? (l & d ? l : l + d) : (l & d ? l - d : l);
        index[l] = (int)(l & d ? m->n + from : from);
    }
    return *node = make_shuffle(p, low, high, index, m->n);
}

static Matrix *find_matrix(Promotion *p, const Content *c, unsigned n) {
    for (int k = 0; k < p->matrix.n; k++) {
        Matrix *m = p->matrix.v[k];
        bool same = m->n == n;
        for (unsigned l = 0; same && l < n; l++) same = m->row[l] == c[l].v;
        if (same) return m;
    }
    Matrix *m = arena_array(p->a, Matrix, 1);
    *m = (Matrix){arena_array(p->a, LLVMValueRef, n), arena_array(p->a, LLVMValueRef, n * 8), n};
    for (unsigned l = 0; l < n; l++) m->row[l] = c[l].v;
    vec_push(p->a, &p->matrix, m);
    return m;
}

/* Lane j of n different vectors of n lanes each. */
static bool is_column(const Content *c, unsigned n) {
    if (n & (n - 1)) return false;
    for (unsigned l = 0; l < n; l++) {
        if (!c[l].v || c[l].lane < 0 || c[l].lane != c[0].lane || LLVMGetVectorSize(LLVMTypeOf(c[l].v)) != n)
            return false;
        for (unsigned k = 0; k < l; k++)
            if (c[k].v == c[l].v) return false;
    }
    return true;
}

static LLVMValueRef column(Promotion *p, const Content *c, unsigned n) {
    unsigned last = 0;
    while (2u << last < n) last++;
    return matrix_node(p, find_matrix(p, c, n), last, (unsigned)c[0].lane);
}

static LLVMValueRef put_scalars(Promotion *p, LLVMValueRef sum, const Content *c, unsigned n) {
    for (unsigned l = 0; l < n; l++) {
        if (!c[l].v || c[l].lane >= 0) continue;
        sum = LLVMBuildInsertElement(p->b, sum, c[l].v, number(p, (int)l), "");
        p->made++;
    }
    return sum;
}

/* The vector t (for n = 1 the scalar) with these contents; poison where there are none. */
static LLVMValueRef assemble(Promotion *p, const Content *c, LLVMTypeRef t, unsigned n) {
    LLVMValueRef none = LLVMGetPoison(t);
    if (n == 1 && (!c->v || c->lane < 0)) return c->v ? c->v : none;
    if (n == 1) {
        p->made++;
        return LLVMBuildExtractElement(p->b, c->v, number(p, c->lane), "");
    }
    bool same = c->v != NULL;
    for (unsigned l = 1; l < n; l++) same = same && c[l].v == c->v && c[l].lane == c->lane;
    if (same) return broadcast(p, c, t, n);
    if (is_column(c, n)) return column(p, c, n);
    LLVMValueRef sum = put_vectors(p, c, n);
    return put_scalars(p, sum ? sum : none, c, n);
}

/* The contents of n cells (-1: none); a cell that is not the block's holds an arbitrary, but fixed value. */
static LLVMValueRef contents(Promotion *p, const Content *state, const int *cell, LLVMTypeRef t, unsigned n) {
    Content c[MAX_LANES] = {{0}};
    bool unknown = false;
    for (unsigned l = 0; l < n; l++) {
        c[l] = cell[l] < 0 ? (Content){NULL, 0} : state[cell[l]];
        unknown = unknown || (cell[l] >= 0 && !c[l].v);
    }
    LLVMValueRef v = assemble(p, c, t, n);
    return unknown ? LLVMBuildFreeze(p->b, v, "") : v;
}

/* ---- accesses ---- */

static LLVMTypeRef access_value_type(const Promotion *p, const MemoryAccess *x) {
    return lanes_type(p, x->bytes, x->pointers, x->lanes);
}

/* Lanes that are never active get the load's value for inactive lanes. */
static LLVMValueRef fill_up(Promotion *p, const MemoryAccess *x, LLVMValueRef v, LLVMValueRef other) {
    LLVMValueRef on[MAX_LANES];
    LLVMTypeRef i1 = LLVMInt1TypeInContext(p->mem->m->ctx);
    bool all = true;
    for (unsigned l = 0; l < x->lanes; l++) {
        on[l] = LLVMConstInt(i1, x->cell[l] >= 0, 0);
        all = all && x->cell[l] >= 0;
    }
    if (all || LLVMIsPoison(other)) return v;
    p->made++;
    return LLVMBuildSelect(p->b, LLVMConstVector(on, x->lanes), v, other, "");
}

static void replace_load(Promotion *p, const MemoryAccess *x, const Content *state) {
    LLVMValueRef v = cast(p, contents(p, state, x->cell, access_value_type(p, x), x->lanes), x->type);
    if (x->varies) {
        LLVMValueRef mask = LLVMGetOperand(x->inst, (unsigned)x->mask);
        v = LLVMBuildSelect(p->b, mask, v, LLVMGetOperand(x->inst, (unsigned)x->value), "");
        p->made++;
    } else if (x->mask >= 0) {
        v = fill_up(p, x, v, LLVMGetOperand(x->inst, (unsigned)x->value));
    }
    LLVMReplaceAllUsesWith(x->inst, v);
}

static void replace_store(Promotion *p, const MemoryAccess *x, Content *state) {
    LLVMValueRef v = cast(p, LLVMGetOperand(x->inst, (unsigned)x->value), access_value_type(p, x));
    if (x->varies) {
        LLVMValueRef old = contents(p, state, x->cell, access_value_type(p, x), x->lanes);
        v = LLVMBuildSelect(p->b, LLVMGetOperand(x->inst, (unsigned)x->mask), v, old, "");
        p->made++;
    }
    for (unsigned l = 0; l < x->lanes; l++)
        if (x->cell[l] >= 0) state[x->cell[l]] = (Content){v, x->lanes == 1 ? -1 : (int)l};
}

/* At the start of a block: the initial contents of the memory, as far as it is memory of the block. */
static void load_slots(Promotion *p, LLVMValueRef before, Content *state) {
    LLVMContextRef c = p->mem->m->ctx;
    LLVMPositionBuilderBefore(p->b, before);
    for (int s = 0; s < p->mem->nslots; s++) {
        const MemorySlot *slot = &p->mem->slot[s];
        bool inside = slot->at >= 0 && slot->at + slot->lanes * (int64_t)slot->bytes <= p->mem->bytes;
        LLVMValueRef v = NULL, at = LLVMConstInt(LLVMInt64TypeInContext(c), (uint64_t)slot->at, 1);
        if (inside) {
            LLVMValueRef address = LLVMBuildInBoundsGEP2(p->b, LLVMInt8TypeInContext(c), p->mem->base, &at, 1, "");
            v = LLVMBuildLoad2(p->b, lanes_type(p, slot->bytes, slot->pointers, (unsigned)slot->lanes), address,
                               "found");
            LLVMSetAlignment(v, 1);
        }
        for (int l = 0; l < slot->lanes; l++) state[slot->cell[l]] = (Content){v, slot->lanes == 1 ? -1 : l};
    }
}

static void visit_block(Promotion *p, LLVMBasicBlockRef bb, Content *state) {
    p->matrix.n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (i == p->mem->start) load_slots(p, next, state);
        uintptr_t k = map_get(&p->mem->of, i, 0);
        if (!k) continue;
        const MemoryAccess *x = &p->mem->access.v[k - 1];
        set_insert_point(p->b, i);
        if (x->store) replace_store(p, x, state);
        else replace_load(p, x, state);
        map_put(&p->mem->of, i, 0); /* a phi of a later block may reuse its address */
        LLVMInstructionEraseFromParent(i);
    }
}

/* ---- merge points ---- */

/* Which slots the blocks of a loop write or invalidate. */
static bool *changed_in(const Promotion *p, const Loop *l) {
    bool *changed = arena_array(p->a, bool, p->mem->nslots + 1);
    for (int i = 0; i < p->mem->access.n; i++) {
        const MemoryAccess *x = &p->mem->access.v[i];
        int b = cfg_block_of(p->cfg, x->inst);
        for (unsigned k = 0; x->store && b >= l->first && b <= l->last && k < x->lanes; k++)
            if (x->cell[k] >= 0) changed[p->mem->slot_of[x->cell[k]]] = true;
    }
    int s = cfg_block_of(p->cfg, p->mem->start);
    for (int k = 0; s >= l->first && s <= l->last && k < p->mem->nslots; k++) changed[k] = true;
    return changed;
}

/* All predecessors visited so far agree about the slot, and the others do not change it. */
static bool agree(const Promotion *p, const Block *b, const MemorySlot *s, bool changed) {
    const Content *first = NULL;
    for (int k = 0; k < b->npred; k++) {
        const Content *c = p->out[b->pred[k]];
        if (!c && changed) return false;
        if (!c) continue;
        if (!first) first = c;
        for (int l = 0; l < s->lanes; l++)
            if (c[s->cell[l]].v != first[s->cell[l]].v || c[s->cell[l]].lane != first[s->cell[l]].lane) return false;
    }
    return true;
}

/* The contents at the start of a block, from its predecessors. */
static void enter_block_state(Promotion *p, int number, Content *state, bool *const *changed) {
    const Block *b = &p->cfg->b[number];
    const Content *from = NULL;
    for (int k = 0; k < b->npred && !from; k++) from = p->out[b->pred[k]];
    if (!from) return; /* the block of mem->start */
    memcpy(state, from, (size_t)p->mem->ncells * sizeof *state);
    bool header = b->loop >= 0 && p->cfg->l[b->loop].header == number;
    LLVMSetCurrentDebugLocation2(p->b, NULL);
    for (int s = 0; s < p->mem->nslots; s++) {
        const MemorySlot *slot = &p->mem->slot[s];
        if (agree(p, b, slot, header ? changed[b->loop][s] : true)) continue;
        LLVMPositionBuilderBefore(p->b, LLVMGetFirstInstruction(b->bb));
        LLVMValueRef phi =
            LLVMBuildPhi(p->b, lanes_type(p, slot->bytes, slot->pointers, (unsigned)slot->lanes), "kept");
        p->phi[number * p->mem->nslots + s] = phi;
        for (int l = 0; l < slot->lanes; l++) state[slot->cell[l]] = (Content){phi, slot->lanes == 1 ? -1 : l};
    }
}

/* A slot at the end of a block. */
static LLVMValueRef slot_at_end(Promotion *p, int number, int s) {
    const MemorySlot *slot = &p->mem->slot[s];
    LLVMPositionBuilderBefore(p->b, LLVMGetBasicBlockTerminator(p->cfg->b[number].bb));
    LLVMSetCurrentDebugLocation2(p->b, NULL);
    p->matrix.n = 0;
    return contents(p, p->out[number], slot->cell, lanes_type(p, slot->bytes, slot->pointers, (unsigned)slot->lanes),
                    (unsigned)slot->lanes);
}

static void connect_slot_phis(Promotion *p) {
    int n = p->mem->nslots;
    LLVMValueRef *at_end = arena_array(p->a, LLVMValueRef, p->cfg->n * n + 1);
    for (int b = 0; b < p->cfg->n; b++)
        for (int s = 0; s < n; s++) {
            LLVMValueRef phi = p->phi[b * n + s];
            for (int k = 0; phi && k < p->cfg->b[b].npred; k++) {
                int from = p->cfg->b[b].pred[k];
                LLVMValueRef *v = &at_end[from * n + s];
                if (!*v) *v = slot_at_end(p, from, s);
                LLVMAddIncoming(phi, v, &p->cfg->b[from].bb, 1);
            }
        }
}

/* Checks that accesses were collected from the current function: old ones would be left as they are, or be confused
** with instructions that have reused their address. */
static void check_accesses(const Promotion *p) {
    int found = 0;
    for_each_cfg_instruction(i, b, p->cfg) {
        uintptr_t k = map_get(&p->mem->of, i, 0);
        found += k && p->mem->access.v[k - 1].inst == i;
    }
    if (found != p->mem->access.n)
        bug("%d of %d accesses are not in the function any more", p->mem->access.n - found, p->mem->access.n);
}

int memory_promote(BlockMemory *mem) {
    Promotion p = {
        .mem = mem, .a = mem->a, .cfg = cfg_build(mem->a, mem->fn), .b = LLVMCreateBuilderInContext(mem->m->ctx)};
    check_accesses(&p);
    p.i32 = LLVMInt32TypeInContext(mem->m->ctx);
    p.out = arena_array(p.a, Content *, p.cfg->n);
    p.phi = arena_array(p.a, LLVMValueRef, p.cfg->n * mem->nslots + 1);
    bool **changed = arena_array(p.a, bool *, p.cfg->nloops + 1);
    for (int l = 0; l < p.cfg->nloops; l++) changed[l] = changed_in(&p, &p.cfg->l[l]);
    int root = cfg_block_of(p.cfg, mem->start);
    for (int b = 0; b < p.cfg->n; b++) {
        if (!cfg_dominates(p.cfg, root, b)) continue;
        Content *state = arena_array(p.a, Content, mem->ncells + 1);
        enter_block_state(&p, b, state, changed);
        visit_block(&p, p.cfg->b[b].bb, state);
        p.out[b] = state;
    }
    connect_slot_phis(&p);
    LLVMDisposeBuilder(p.b);
    return p.made;
}
