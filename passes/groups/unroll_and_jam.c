/* unroll_and_jam: the form of the group loop of a region: the part of loop_groups that decides.
**
** in:  regions of the group code, shapes for width 1
**      Region.jam_factor   so many neighbouring groups run in lockstep: each instruction for all of them, then
**                          the next.  What they share (rows of a tile, broadcasts, loop counters) is then
**                          loaded and computed once: LLVM merges the equal copies.  This is the brush of
**                          Moll's tensorization, obtained by unroll-and-jam of the group loop.
**      Region.keep_inside  LLVM must not hoist out of the loop over a row: so many vectors would be live
**                          across it that they are spilled, where each is one broadcast load at its use.
**      Region.leave        `if (tid.x < n) ...` followed only by a barrier: once it is false, it
**                          is false for the rest of the row, and the row is left.
**
** Any interleaving of groups between two barriers is legal, so neither needs dependence analysis; but a former atomic,
** or a store of a vector that changes some of its elements, must not be split (is_undivided): a load and a store that
** are both marked run group by group. Lockstep needs branches that all neighbours in the jammed dimension take alike,
** or, outside loops and where nothing has been written yet, can test (Region.queries: range tests): those that disagree
** run one by one. It is profitable where a good part of the work does not depend on that dimension, accesses the same
** cache lines, is loaded by several rows (access_groups), or is a tile of a matrix (tile_accesses); the factor is
** bounded by vector registers: factor * (live values of one group) + (live shared values). */
#include "passes/groups/loop_groups.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/monotone.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"

enum {
    CODE_LIMIT = 1200,
    MAX_SHARING = 8 /* groups, where they share values */,
    MIN_TILE = 4 /* rows */,
    MIN_WORK = 5,
    MIN_WORK_FOR_QUERY = 24 /* in loops */,
    LINE = 64 /* bytes, of the cache */
};

/* What a value depends on; MEMORY: on what other threads may write. */
typedef enum Dim { DIM_X = 1, DIM_Y = 2, MEMORY = 4 } Dim;

typedef struct Lockstep {
    Loops *l;
    const Shapes *shapes; /* NULL: not computed yet */
    Liveness *live;       /* of vectors */
    bool without_tiled;   /* ... that are not in `tiled` */
    PtrMap depends;       /* value -> set of Dim */
    PtrMap values;        /* the same without masks: what groups share that take all branches alike */
    AccessGroups *groups; /* of loads along y; NULL: not wanted */
    PtrMap tiled;         /* accesses of tiles, and their addresses: of the first row only */
    bool uses_y;          /* the kernel reads tid.y */
} Lockstep;

/* ---- dependence on the index of the group ---- */

static unsigned depends_of(const Lockstep *j, LLVMValueRef v) { return (unsigned)map_get(&j->depends, v, 0); }
static unsigned value_depends(const Lockstep *j, LLVMValueRef v) { return (unsigned)map_get(&j->values, v, 0); }

static unsigned source(const Lockstep *j, LLVMValueRef i) {
    Name n = name_of_call(i);
    if (LLVMIsAAllocaInst(i)) return DIM_X | DIM_Y;
    if (n == NAME_TID_X || n == NAME_GLOBAL_X) return DIM_X;
    if (n == NAME_TID_Y) return DIM_Y;
    if (n == NAME_ACTIVE) return j->l->k->layout == LAYOUT_ROWS ? DIM_X : 0;
    if (LLVMIsALoadInst(i)) return MEMORY;
    if (n == NAME_LINEAR || n == NAME_LANE || n == NAME_DEBUG_RECORD || n == NAME_FRAME_SLOT) return DIM_X | DIM_Y;
    return 0;
}

static void find_dependences(Lockstep *j, PtrMap *of, bool masks) {
    const Cfg *c = j->l->cfg;
    map_init(of, j->l->a);
    for (bool changed = true; changed;) {
        changed = false;
        for_each_cfg_instruction(i, b, c) {
            unsigned d = source(j, i);
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
                if (masks || !is_vector_of_bits(o)) d |= (unsigned)map_get(of, o, 0);
            }
            if (name_of_call(i) == NAME_TID_Y) j->uses_y = true;
            if (d == map_get(of, i, 0)) continue;
            map_put(of, i, d);
            changed = true;
        }
    }
}

/* ---- unroll-and-jam: cost and gain ---- */

static bool is_light(LLVMValueRef call) {
    return is_fma(call) || is_intrinsic(call, "llvm.masked.load") || is_intrinsic(call, "llvm.masked.store") ||
           is_intrinsic(call, "llvm.vector.reduce.or");
}

static int op_cost(const Lockstep *j, LLVMValueRef i) {
    int vectors = vector_registers(j->l->k->m, LLVMTypeOf(i));
    if (is_of_columns(i)) return 2 * j->l->k->width;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: return vectors ? vectors : 1;
    case LLVMFDiv: return 8 * (vectors ? vectors : 1);
    case LLVMCall: return is_light(i) ? (vectors ? vectors : 1) : name_of_call(i) != NAME_NONE && !vectors ? 0 : 16;
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMPHI: return 0;
    default: return vectors;
    }
}

/* Loops without a barrier around the block, 8 iterations each. */
static int loop_weight(const Lockstep *j, int block) {
    const Cfg *c = j->l->cfg;
    int w = 1;
    for (int loop = c->b[block].loop; loop >= 0 && w < 512; loop = c->l[loop].parent) {
        for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
            if (j->l->region_of[b] >= 0) return w;
        w *= 8;
    }
    return w;
}

static bool is_short(const Lockstep *j, const Region *r) {
    const Cfg *c = j->l->cfg;
    int code = 0;
    for (int b = 0; b < c->n; b++)
        for (LLVMValueRef i = r->has[b] ? LLVMGetFirstInstruction(c->b[b].bb) : NULL; i; i = LLVMGetNextInstruction(i))
            if (2 * ++code > CODE_LIMIT) return false;
    return true;
}

/* All groups that are neighbours in d take the branch alike. */
static bool is_alike(Lockstep *j, int block, Dim d) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(j->l->cfg->b[block].bb);
    if (!(depends_of(j, LLVMGetOperand(t, 0)) & (d | MEMORY))) return true;
    if (!j->shapes) j->shapes = shapes_compute(j->l->a, j->l->cfg, 1, LAYOUT_GENERAL, j->l->k->block);
    return shapes_branch_block_uniform(j->shapes, block);
}

/* A block slot has one value for the whole block: writing it again has no effect. */
static bool writes_block_slot(LLVMValueRef i) {
    return LLVMIsAStoreInst(i) && name_of_call(LLVMGetOperand(i, 1)) == NAME_BLOCK_NEXT;
}

static bool changes_nothing(LLVMValueRef i, LLVMValueRef barrier) {
    MaskedOperands m;
    if (i == barrier || LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i)) return true;
    if (LLVMIsALoadInst(i)) return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAStoreInst(i)) return false;
    if (is_pure_intrinsic(i) || (masked_operands(i, &m) && !m.store)) return true;
    if (!LLVMIsACallInst(i))
        return LLVMGetInstructionOpcode(i) != LLVMAtomicRMW && LLVMGetInstructionOpcode(i) != LLVMAtomicCmpXchg &&
               LLVMGetInstructionOpcode(i) != LLVMFence;
    Name n = name_of_call(i);
    return n == NAME_ANY || (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X || n == NAME_ACTIVE ||
           n == NAME_SHARED || n == NAME_FRAME_SLOT || n == NAME_BLOCK_CUR || n == NAME_BLOCK_NEXT;
}

/* All paths from the start of the region to the end of block b have no effects: groups can run them again. */
static bool is_leading(const Lockstep *j, const Region *r, int b, bool *seen) {
    const Block *k = &j->l->cfg->b[b];
    if (seen[b]) return true;
    seen[b] = true;
    for_each_in_block(i, k->bb)
        if (!changes_nothing(i, r->barrier)) return false;
    for (int p = 0; b != r->start && p < k->npred; p++)
        if (r->has[k->pred[p]] && !is_leading(j, r, k->pred[p], seen)) return false;
    return true;
}

/* Range tests before all loops: those of data seldom agree. It costs too much where there is little to share
** afterwards. */
static bool may_query(const Lockstep *j, const Region *r, int b) {
    bool *seen = arena_array(j->l->a, bool, j->l->cfg->n);
    if (depends_of(j, LLVMGetOperand(LLVMGetBasicBlockTerminator(j->l->cfg->b[b].bb), 0)) & MEMORY) return false;
    return loop_weight(j, b) == 1 && is_leading(j, r, b, seen);
}

/* Groups that are neighbours in d can be jammed; queries: branches for which they must test whether they agree. */
static bool may_jam(Lockstep *j, const Region *r, Dim d, Query *queries, bool *needs_query) {
    const Cfg *c = j->l->cfg;
    *needs_query = false;
    for (int b = 0; b < c->n; b++) {
        if (!r->has[b]) continue;
        queries[b] = c->b[b].nsucc > 1 && !is_alike(j, b, d) ? QUERY_ALIKE : QUERY_NONE;
        if (queries[b] && !may_query(j, r, b)) return false;
        *needs_query |= queries[b] != QUERY_NONE;
        bool together = false;
        for_each_in_block(i, c->b[b].bb) {
            if (is_undivided(i)) {
                if (LLVMIsAStoreInst(i) && !together) return false;
                together = LLVMIsALoadInst(i) != NULL;
            }
            if (!LLVMIsACallInst(i) || name_of_call(i) != NAME_NONE) continue;
            LLVMValueRef f = LLVMGetCalledValue(i);
            if (!LLVMIsAFunction(f) || !LLVMGetIntrinsicID(f)) return false;
        }
    }
    return true;
}

/* A broadcast that one instruction of its block uses: it comes from memory before it, copy by copy, into one
** register. */
static bool is_broadcast(LLVMValueRef v) {
    LLVMUseRef u = LLVMGetFirstUse(v);
    if (!u || LLVMGetNextUse(u) || !LLVMIsAInstruction(v) ||
        LLVMGetInstructionParent(LLVMGetUser(u)) != LLVMGetInstructionParent(v))
        return false;
    if (LLVMIsAInsertElementInst(v)) return LLVMIsAShuffleVectorInst(LLVMGetUser(u)) && is_broadcast(LLVMGetUser(u));
    if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)) ||
        LLVMIsAPHINode(LLVMGetUser(u)))
        return false;
    for (unsigned k = 0; k < LLVMGetNumMaskElements(v); k++)
        if (LLVMGetMaskValue(v, k) != 0) return false;
    return true;
}

static bool takes_registers(const void *lockstep, LLVMValueRef v) {
    const Lockstep *j = lockstep;
    return vector_registers(j->l->k->m, LLVMTypeOf(v)) > 0 && !is_broadcast(v) && !map_get(&j->tiled, v, 0);
}

/* The maximum of live vector registers in a block: of one group, and shared. */
typedef struct Pressure {
    const Lockstep *j;
    Dim d;
    int own, shared, now[2], worst;
    int own_of_block; /* of the block that is scanned */
} Pressure;

static void count_pressure(void *context, int n, int by) {
    Pressure *p = context;
    LLVMValueRef v = p->j->live->value[n];
    p->now[(value_depends(p->j, v) & p->d) != 0] += by * vector_registers(p->j->l->k->m, LLVMTypeOf(v));
}

static void note_pressure(void *context) {
    Pressure *p = context;
    if (p->now[1] > p->own_of_block) p->own_of_block = p->now[1];
    if (p->now[0] + p->now[1] <= p->worst) return;
    p->worst = p->now[0] + p->now[1];
    if (p->now[1] > p->own) p->own = p->now[1];
    if (p->now[0] > p->shared) p->shared = p->now[0];
}

/* Steps through planes: neighbours in y access the same cache lines in the same iteration, and the rows of one may be
** evicted when the next one comes. */
static bool shares_rows(const Lockstep *j, LLVMValueRef i, int block, Dim d) {
    int loop = j->l->cfg->b[block].loop;
    if (d != DIM_Y || loop < 0 || !LLVMIsALoadInst(i) || !vector_registers(j->l->k->m, LLVMTypeOf(i))) return false;
    return strides_far(j->l->cfg, LLVMGetOperand(i, 0), loop, LINE) && has_neighbouring_row(j->l->cfg, i, loop);
}

/* ---- tiles ---- */

/* All groups in lockstep along y have its mask. */
static bool may_be_tile(const Lockstep *j, LLVMValueRef i) {
    MaskedOperands m;
    return is_of_columns(i) && masked_operands(i, &m) && !(depends_of(j, LLVMGetOperand(i, m.mask)) & (DIM_Y | MEMORY));
}

static bool only_for_tiles(const Lockstep *j, LLVMValueRef v) {
    for_each_user(user, v)
        if (!map_get(&j->tiled, user, 0)) return false;
    return LLVMGetFirstUse(v) != NULL;
}

/* Of a tile the addresses of the first row are used, one by one: no vectors of them. Blocks in `never` do not run in
** lockstep. Returns the bytes of the largest element; 0: there are no tiles. */
static uint64_t find_tiles(Lockstep *j, Region *r, const bool *never) {
    const Cfg *c = j->l->cfg;
    uint64_t size = 0;
    map_init(&j->tiled, j->l->a);
    map_init(&r->tiles, j->l->a);
    for (int b = c->n; b-- > 0;) {
        if (!r->has[b]) continue;
        for (LLVMValueRef i = LLVMGetLastInstruction(c->b[b].bb); i; i = LLVMGetPreviousInstruction(i)) {
            MaskedOperands m;
            if (!never[b] && may_be_tile(j, i) && masked_operands(i, &m)) {
                LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(i, m.value)));
                uint64_t own = LLVMStoreSizeOfType(j->l->k->m->dl, t);
                if (own > size) size = own;
                map_put(&r->tiles, i, 1);
                map_put(&j->tiled, LLVMGetOperand(i, m.pointer), 1);
            } else if (never[b] || only_for_tiles(j, i)) {
                map_put(&j->tiled, i, 1);
            }
        }
    }
    return size;
}

static void mark_reached(const Lockstep *j, const Region *r, int b, bool *seen) {
    const Block *k = &j->l->cfg->b[b];
    if (seen[b] || !r->has[b] || b == r->start) return;
    seen[b] = true;
    for (int s = 0; s < k->nsucc; s++) mark_reached(j, r, k->succ[s], seen);
}

/* What the blocks have that only this successor leads to: 1, tiles; -1, gathers and scatters that are none; 0,
** neither. */
static int rank_of_side(const Lockstep *j, const Region *r, const bool *reached, const bool *otherwise) {
    int rank = 0;
    for (int b = 0; b < j->l->cfg->n; b++)
        for (LLVMValueRef i = reached[b] && !otherwise[b] ? LLVMGetFirstInstruction(j->l->cfg->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i)) {
            MaskedOperands m;
            if (is_tile_access(r, i)) return 1;
            if (masked_operands(i, &m) && m.scattered) rank = -1;
        }
    return rank;
}

/* Where one side of a tested branch has tiles and the other has none, or the other alone has gathers, groups run in
** lockstep if all take the first. */
static void demand_tiles(const Lockstep *j, const Region *r, Query *queries, bool *never) {
    int n = j->l->cfg->n;
    for (int b = 0; b < n; b++) {
        const Block *k = &j->l->cfg->b[b];
        if (!queries[b] || k->nsucc != 2) continue;
        bool *reached[2] = {arena_array(j->l->a, bool, n), arena_array(j->l->a, bool, n)};
        for (int s = 0; s < 2; s++) mark_reached(j, r, k->succ[s], reached[s]);
        int first = rank_of_side(j, r, reached[0], reached[1]), second = rank_of_side(j, r, reached[1], reached[0]);
        if (first == second) continue;
        const bool *taken = reached[first < second], *other = reached[first > second];
        queries[b] = first > second ? QUERY_FIRST : QUERY_SECOND;
        for (int o = 0; o < n; o++) never[o] |= other[o] && !taken[o];
    }
}

/* Rows of a tile: a line of the cache, as far as the block has them. *least: for what remains of more than one row. */
static int rows_of_tile(const Lockstep *j, uint64_t size, bool queries, int *least) {
    int block = (int)j->l->k->block[1], most = (int)(LINE / size);
    if (most > MAX_JAM_FACTOR) most = MAX_JAM_FACTOR;
    while (block && most > block) most /= 2;
    *least = block && block % most ? MIN_TILE : most;
    if (block || most <= MAX_SHARING) return most;
    *least = MAX_SHARING;
    return queries ? MAX_SHARING : most;
}

static void choose_tiles(Lockstep *j, Region *r, uint64_t size, int least) {
    bool makes = size && r->jam_factor >= MIN_TILE;
    r->least_factor = makes && least < r->jam_factor ? least : r->jam_factor;
    r->strip = makes ? (int)(LINE / size) : 0;
    if (!makes) map_init(&r->tiles, j->l->a);
}

/* The remarks of one variant are printed. */
static bool makes_remarks(const Loops *l) {
    return l->k->layout == LAYOUT_ROWS_FULL && !l->k->block[0] && !l->variant.along;
}

/* What became of the columns that widen has found. */
static void report_columns(const Lockstep *j, const Region *r) {
    const Loops *l = j->l;
    Diag *diag = &l->k->m->diag;
    if (!makes_remarks(l)) return;
    for_each_cfg_instruction(i, b, l->cfg) {
        MaskedOperands m;
        if (!r->has[b] || !is_of_columns(i) || !masked_operands(i, &m)) continue;
        if (is_tile_access(r, i)) diag_remark(diag, i, TILE, l->k->width, r->jam_factor);
        else diag_remark_plain(diag, i, m.store ? REMARK_SCATTER : REMARK_GATHER);
    }
}

/* What a tile saves of a gather, in the units of op_cost: accesses and shuffles of registers remain. */
static int saved_by_tile(const Lockstep *j, LLVMValueRef i) {
    MaskedOperands m;
    masked_operands(i, &m);
    int steps = 0, left = vector_registers(j->l->k->m, LLVMTypeOf(LLVMGetOperand(i, m.value))), all = op_cost(j, i);
    for (int n = j->l->k->width / (left ? left : 1); n > 1; n /= 2) steps++;
    left *= 1 + steps;
    return left < all ? all - left : 0;
}

/* ---- loads of other rows ---- */

enum { USUAL_ROWS = 4 };

static bool shares_much(const Lockstep *j) { return j->groups && j->groups->members.n >= COST_SHARED_LOADS; }

/* The share of a load that rows in lockstep do not make, in percent: as another row makes it. */
static int saved_by_group(const Lockstep *j, LLVMValueRef i) {
    const AccessMember *m = shares_much(j) ? access_member(j->groups, i) : NULL;
    return m ? (int)(100 * access_group_saves(j->groups, m->group, USUAL_ROWS)) : 0;
}

static void share_rows(Lockstep *j, Region *r) {
    const AccessGroups *g = j->groups;
    double saved = 0;
    r->groups = g;
    j->l->shares_rows = true;
    if (!makes_remarks(j->l)) return;
    for (int k = 0; k < g->members.n; k++) saved += access_group_saves(g, g->members.v[k].group, r->jam_factor);
    diag_remark(&j->l->k->m->diag, g->members.v[0].load, SHARED_ROWS, r->jam_factor, g->members.n,
                100 * saved / g->members.n);
}

/* Elements of so many groups wait for the last row that needs them, at one time, in registers. */
static int waiting_registers(const Lockstep *j, int block) {
    const AccessGroups *g = j->groups;
    int most = 0, now = 0;
    for (int k = 0; k < g->members.n; k++) {
        const AccessMember *m = &g->members.v[k];
        if (m->block != block) continue;
        bool first = true, last = true;
        for (int o = 0; o < g->members.n; o++) {
            if (g->members.v[o].group != m->group || o == k) continue;
            if (o < k) first = false;
            else last = false;
        }
        int registers = vector_registers(j->l->k->m, LLVMTypeOf(m->load));
        if (first) now += registers;
        if (now > most) most = now;
        if (last) now -= registers;
    }
    return most;
}

/* Percent of the region's work that neighbours in d share; work: what one group does in loops. */
static int shared_percent(const Lockstep *j, const Region *r, Dim d, const bool *never, long *work) {
    const Cfg *c = j->l->cfg;
    long shared = 0, all = 0;
    *work = 0;
    for (int b = 0; b < c->n; b++) {
        if (!r->has[b] || never[b]) continue;
        int w = loop_weight(j, b);
        for_each_in_block(i, c->b[b].bb) {
            long x = (long)w * op_cost(j, i);
            all += x;
            if (w > 1) *work += x;
            int saved = d == DIM_Y ? saved_by_group(j, i) : 0;
            if (saved) shared += x * saved;
            else if (d == DIM_Y && is_tile_access(r, i)) shared += 100L * w * saved_by_tile(j, i);
            else if (!(value_depends(j, i) & d) || shares_rows(j, i, b, d)) shared += 100 * x;
        }
    }
    return all < MIN_WORK ? 0 : (int)(shared / all);
}

static void report_jam(const Lockstep *j, const Region *r, int percent) {
    LLVMValueRef at = LLVMGetBasicBlockTerminator(j->l->cfg->b[r->start].bb);
    if (!makes_remarks(j->l)) return;
    diag_remark(&j->l->k->m->diag, at, JAMMED, r->jam_factor, r->jam_along_y ? "rows of threads" : "groups", percent);
}

/* The most groups whose registers and code fit. */
static int fitting_factor(Lockstep *j, const Region *r, const bool *never, int most) {
    int registers = (int)j->l->k->m->vector_regs - 2; /* one for broadcasts, one for the rest */
    int code = 0;
    Pressure p = {.j = j, .d = r->jam_along_y ? DIM_Y : DIM_X};
    for (int b = 0; b < j->l->cfg->n; b++) {
        if (!r->has[b] || never[b]) continue;
        p.now[0] = p.now[1] = p.worst = p.own_of_block = 0;
        live_scan(j->live, b, count_pressure, note_pressure, &p);
        int waiting = r->jam_along_y && j->groups ? waiting_registers(j, b) : 0;
        if (waiting + p.own_of_block > p.own) p.own = waiting + p.own_of_block;
        for_each_in_block(i, j->l->cfg->b[b].bb) code += i != NULL;
    }
    int n = most;
    while (n > 1 && (n * p.own + p.shared > registers || n * code > CODE_LIMIT)) n /= 2;
    return n;
}

typedef struct Jam {
    Query *queries;
    bool *never; /* blocks that do not run in lockstep */
    int percent; /* of the work that is shared; 0: it is not to be done */
} Jam;

/* Along d; *tiles: as find_tiles. */
static Jam consider_jam(Lockstep *j, Region *r, Dim d, uint64_t *tiles) {
    int blocks = j->l->cfg->n;
    long work;
    bool needs_query;
    Jam jam = {arena_array(j->l->a, Query, blocks), arena_array(j->l->a, bool, blocks), 0};
    *tiles = d == DIM_Y ? find_tiles(j, r, jam.never) : 0;
    if (!may_jam(j, r, d, jam.queries, &needs_query)) return jam;
    if (needs_query && *tiles) {
        demand_tiles(j, r, jam.queries, jam.never);
        *tiles = find_tiles(j, r, jam.never);
    }
    int percent = shared_percent(j, r, d, jam.never, &work);
    bool much = *tiles || (d == DIM_Y && shares_much(j)) || work >= MIN_WORK_FOR_QUERY;
    if (percent >= 100 * COST_JAMMED_SHARE && (!needs_query || much)) jam.percent = percent;
    if (!needs_query) jam.queries = NULL;
    return jam;
}

/* Many groups are neighbours along x: a row of blocks is joined, which those of several rows are in code without loops
** alone (joined_blocks). */
static bool has_long_rows(const Loops *l) { return fn_has_attr(l->k->fn, ATTR_JOINED) && !l->cfg->nloops; }

static void choose_jam_factor(Lockstep *j, Region *r) {
    uint64_t tiles = 0;
    int least = 1, most = MAX_SHARING;
    Jam along_x = consider_jam(j, r, DIM_X, &tiles), along_y = {0};
    if (j->uses_y && !pass_disabled(j->l->k->m, "access_groups"))
        j->groups = access_groups(j->l->a, j->l->cfg, j->l->k->m->dl, r->has);
    if (j->uses_y) along_y = consider_jam(j, r, DIM_Y, &tiles);
    int x = along_x.percent, y = along_y.percent;
    bool long_rows = has_long_rows(j->l); /* neighbours in x: one address for all */
    r->jam_along_y = y && (y > x || (y == x && !long_rows));
    if (!x && !y) return;
    const Jam *jam = r->jam_along_y ? &along_y : &along_x;
    r->queries = jam->queries;
    if (!r->jam_along_y) tiles = 0, map_init(&j->tiled, j->l->a);
    if (!j->live || tiles || j->without_tiled) j->live = liveness(j->l->a, j->l->cfg, takes_registers, j);
    j->without_tiled = tiles != 0;
    if (tiles) most = rows_of_tile(j, tiles, r->queries != NULL, &least);
    r->jam_factor = fitting_factor(j, r, jam->never, most);
    choose_tiles(j, r, tiles, least);
    if (r->jam_factor == 1) return;
    if (r->jam_along_y && j->groups && j->groups->members.n) share_rows(j, r);
    else if (!r->strip) report_jam(j, r, jam->percent);
}

/* Vectors that are the same for the groups of a row: LLVM would keep them in registers around its loop. */
static int row_invariants(const Lockstep *j, const Region *r) {
    const Cfg *c = j->l->cfg;
    int n = 0;
    for (int b = 0; b < c->n; b++) {
        if (!r->has[b]) continue;
        for_each_in_block(i, c->b[b].bb) {
            if (depends_of(j, i) & DIM_X || LLVMIsAPHINode(i) || LLVMIsAInsertElementInst(i)) continue;
            n += vector_registers(j->l->k->m, LLVMTypeOf(i)) *
                 (r->jam_along_y && depends_of(j, i) & DIM_Y ? r->jam_factor : 1);
        }
    }
    return n;
}

/* ---- leaving a row ---- */

static bool fixed_in_row(const void *j, LLVMValueRef v) { return !(depends_of(j, v) & DIM_X); }

/* 0, or 1 + the successor that all later groups of the row take as well once one has. */
static int last_successor(const Lockstep *j, LLVMValueRef branch) {
    int successor = monotone_compare(LLVMGetCondition(branch), (RowFixed){fixed_in_row, j});
    return successor < 0 ? 2 : successor > 0 ? 1 : 0;
}

static void choose_leave(const Lockstep *j, Region *r) {
    const Cfg *c = j->l->cfg;
    const Block *first = &c->b[r->start];
    LLVMValueRef t = LLVMGetBasicBlockTerminator(first->bb);
    if (first->nsucc != 2) return;
    for_each_in_block(i, first->bb)
        if (!changes_nothing(i, r->barrier)) return;
    int successor = last_successor(j, t);
    if (!successor) return;
    for (int b = first->succ[successor - 1];; b = c->b[b].succ[0]) {
        if (j->l->region_of[b] >= 0) {
            Name n = name_of_call(j->l->r[j->l->region_of[b]].barrier);
            if (n == NAME_BAR_POPC || n == NAME_BAR_AND || n == NAME_BAR_OR) return;
            break;
        }
        for_each_in_block(i, c->b[b].bb)
            if (!changes_nothing(i, NULL) && !writes_block_slot(i)) return;
        if (!c->b[b].nsucc) break;
        if (c->b[b].nsucc > 1) return;
    }
    r->leave = successor;
}

void plan_lockstep(Loops *l, const Shapes *shapes) {
    for (int i = 0; i < l->n; i++) {
        l->r[i].jam_factor = l->r[i].least_factor = 1;
        map_init(&l->r[i].tiles, l->a);
    }
    if (l->dynamic || l->k->layout == LAYOUT_GENERAL || pass_disabled(l->k->m, "unroll_and_jam")) return;
    Lockstep j = {.l = l, .shapes = shapes};
    find_dependences(&j, &j.depends, true);
    find_dependences(&j, &j.values, false);
    for (int i = 0; i < l->n; i++) choose_leave(&j, &l->r[i]);
    if (l->k->width == 1 || pass_disabled(l->k->m, "frame_classes")) return;
    if (l->has_records) return; /* -G: a debugger shows one group */
    for (int i = 0; i < l->n; i++) {
        if (is_short(&j, &l->r[i])) choose_jam_factor(&j, &l->r[i]);
        report_columns(&j, &l->r[i]);
        l->r[i].keep_inside = row_invariants(&j, &l->r[i]) > (int)l->k->m->vector_regs / 2;
    }
}
