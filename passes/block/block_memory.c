/* block_memory: the loads and stores of a block's private memory, the addresses of their lanes, and the division of the
** memory into cells, the pieces that lanes load and store, and slots, cells that share a register. */
#include "passes/block/block_memory.h"
#include "passes/analysis/cost.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/analysis/accesses.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 16, MAX_LANES = 64, MAX_STEPS = 16 };
#define OFF INT64_MIN

/* ---- addresses ---- */

/* Constant lane `l` of an index; false if it is no constant. */
static bool lane_constant(LLVMValueRef v, unsigned l, int64_t *c) {
    if (is_vector(v)) v = LLVMIsConstant(v) ? LLVMGetAggregateElement(v, l) : NULL;
    if (!v || !LLVMIsAConstantInt(v)) return false;
    *c = LLVMConstIntGetSExtValue(v);
    return true;
}

/* One index of a getelementptr: steps into *t and adds to *sum. */
static bool add_index(const BlockMemory *b, LLVMTypeRef *t, LLVMValueRef index, unsigned lane, bool first,
                      int64_t *sum) {
    int64_t c;
    if (!lane_constant(index, lane, &c)) return false;
    LLVMTypeKind k = LLVMGetTypeKind(*t);
    if (!first && k == LLVMStructTypeKind) {
        *sum += (int64_t)LLVMOffsetOfElement(b->m->dl, *t, (unsigned)c);
        *t = LLVMStructGetTypeAtIndex(*t, (unsigned)c);
        return true;
    }
    if (!first && k != LLVMArrayTypeKind && k != LLVMVectorTypeKind) return false;
    if (!first) *t = LLVMGetElementType(*t);
    *sum += c * (int64_t)LLVMABISizeOfType(b->m->dl, *t);
    return true;
}

/* The byte offset from base that lane `l` of a pointer has. */
static bool lane_offset(const BlockMemory *b, LLVMValueRef p, unsigned l, int64_t *at) {
    *at = 0;
    for (int step = 0; p != b->base; step++) {
        LLVMValueRef same = LLVMIsAInstruction(p) ? splat_value(p) : NULL;
        if (same) {
            p = same;
            continue;
        }
        if (step == MAX_STEPS || !LLVMIsAGetElementPtrInst(p)) return false;
        LLVMTypeRef t = LLVMGetGEPSourceElementType(p);
        for (int i = 1; i < LLVMGetNumOperands(p); i++)
            if (!add_index(b, &t, LLVMGetOperand(p, (unsigned)i), l, i == 1, at)) return false;
        p = LLVMGetOperand(p, 0);
    }
    return *at > -MAX_BYTES && *at < MAX_BYTES;
}

/* ---- accesses ---- */

/* The operands of an access; pointer -1: not an access. */
typedef struct Form {
    int pointer, mask, value;
    bool store;
} Form;

static Form form_of(LLVMValueRef i) {
    MaskedOperands m;
    if (masked_operands(i, &m)) return (Form){(int)m.pointer, (int)m.mask, (int)m.value, m.store};
    if (!is_plain_access(i)) return (Form){-1, -1, -1, false};
    return LLVMIsALoadInst(i) ? (Form){0, -1, -1, false} : (Form){1, -1, 0, true};
}

/* The lanes of whole bytes that a value consists of; a vector of bits is one integer. */
static bool divide(const BlockMemory *b, LLVMTypeRef t, unsigned *lanes, unsigned *bytes) {
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMTypeRef e = vector ? LLVMGetElementType(t) : t;
    LLVMTypeKind kind = LLVMGetTypeKind(e);
    if (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind && !is_float_type(e)) return false;
    unsigned long long bits = LLVMSizeOfTypeInBits(b->m->dl, e);
    *lanes = vector ? LLVMGetVectorSize(t) : 1;
    if (vector && bits == 1) {
        bits = *lanes;
        *lanes = 1;
    }
    *bytes = (unsigned)(bits / 8);
    return bits >= 8 && bits <= 64 && !(bits & (bits - 1)) && *lanes <= MAX_LANES;
}

/* No two lanes have the same address. */
static bool is_distinct(const MemoryAccess *x) {
    for (unsigned i = 0; i < x->lanes; i++)
        for (unsigned k = 0; k < i; k++)
            if (x->at[i] != OFF && x->at[i] == x->at[k]) return false;
    return true;
}

/* The addresses of an access through pointer p, one for each lane or one for all in a row. */
static bool find_addresses(BlockMemory *b, MemoryAccess *x, LLVMValueRef p, LLVMValueRef mask) {
    bool each = is_vector(p), known = mask && LLVMIsConstant(mask);
    if (mask && lanes_of(LLVMTypeOf(mask)) != x->lanes) return false;
    x->varies = mask && !known;
    x->at = arena_array(b->a, int64_t, x->lanes);
    for (unsigned l = 0; l < x->lanes; l++) {
        LLVMValueRef on = known ? LLVMGetAggregateElement(mask, l) : NULL;
        x->at[l] = OFF;
        if (known && !on) return false;
        if (on && (LLVMIsUndef(on) || LLVMIsNull(on))) continue;
        if (!lane_offset(b, p, each ? l : 0, &x->at[l])) {
            b->obstacle = p;
            return false;
        }
        if (!each) x->at[l] += (int64_t)(l * x->bytes);
    }
    return !(x->store && x->varies) || is_distinct(x);
}

static bool add_access(BlockMemory *b, LLVMValueRef i) {
    Form f = form_of(i);
    if (f.pointer < 0) return false;
    MemoryAccess x = {.inst = i, .store = f.store, .mask = f.mask, .value = f.value};
    x.type = f.store ? LLVMTypeOf(LLVMGetOperand(i, (unsigned)f.value)) : LLVMTypeOf(i);
    LLVMValueRef mask = f.mask >= 0 ? LLVMGetOperand(i, (unsigned)f.mask) : NULL;
    if (!divide(b, x.type, &x.lanes, &x.bytes)) return false;
    bool vector = LLVMGetTypeKind(x.type) == LLVMVectorTypeKind;
    x.pointers = LLVMGetTypeKind(vector ? LLVMGetElementType(x.type) : x.type) == LLVMPointerTypeKind;
    if (!find_addresses(b, &x, LLVMGetOperand(i, (unsigned)f.pointer), mask)) return false;
    vec_push(b->a, &b->access, x);
    map_put(&b->of, i, (uintptr_t)b->access.n);
    return true;
}

/* An instruction that computes another address from p. */
static bool is_address(LLVMValueRef i, LLVMValueRef p) {
    if (LLVMIsAGetElementPtrInst(i)) return LLVMGetOperand(i, 0) == p;
    return LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i);
}

/* The accesses that count, and the others. */
typedef struct Search {
    BlockMemory *b;
    const Cfg *cfg;
    int root, head; /* blocks of `start`, and `head` */
    Vec(int) others;
    PtrMap seen, before_start; /* before_start: instructions before `start` in its block */
} Search;

static bool collect_access(Search *s, LLVMValueRef i, LLVMValueRef p, Form f) {
    int n = cfg_block_of(s->cfg, i);
    if (n < 0) return true;
    if (f.store && LLVMGetOperand(i, (unsigned)f.value) == p) return false; /* the address itself */
    if (n == s->root && map_get(&s->before_start, i, 0)) return false;
    if (cfg_dominates(s->cfg, s->root, n)) return add_access(s->b, i);
    vec_push(s->b->a, &s->others, n);
    return true;
}

static bool collect_uses(Search *s, LLVMValueRef p, int depth) {
    for_each_user(i, p) {
        if (map_get(&s->seen, i, 0)) continue;
        map_put(&s->seen, i, 1);
        Form f = form_of(i);
        if (is_address(i, p)) {
            if (depth == MAX_STEPS || !collect_uses(s, i, depth + 1)) return false;
        } else if (f.pointer >= 0) {
            if (!collect_access(s, i, p, f)) return false;
        } else if (cfg_dominates(s->cfg, s->root, cfg_block_of(s->cfg, i))) {
            if (LLVMIsASelectInst(i)) s->b->obstacle = i;
            return false;
        } else if (!LLVMIsASelectInst(i) || !collect_uses(s, i, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* Marks blocks reachable from a block, forward or backward, without passing through the head. */
static void mark_reached(const Search *s, int from, bool backward, bool *reached) {
    const Block *b = &s->cfg->b[from];
    int n = backward ? b->npred : b->nsucc;
    for (int k = 0; k < n; k++) {
        int to = backward ? b->pred[k] : b->succ[k];
        if (reached[to] || to == s->head) continue;
        reached[to] = true;
        mark_reached(s, to, backward, reached);
    }
}

/* Also false if the start runs again in the same block of the grid: the memory would have its first contents again. */
static bool others_are_separate(const Search *s) {
    for (int backward = 0; backward < 2; backward++) {
        bool *reached = arena_array(s->b->a, bool, s->cfg->n);
        mark_reached(s, s->root, backward, reached);
        if (reached[s->root]) return false;
        for (int k = 0; k < s->others.n; k++)
            if (reached[s->others.v[k]] || (backward && s->others.v[k] == s->head)) return false;
    }
    return true;
}

bool memory_collect(BlockMemory *b) {
    Search s = {.b = b, .cfg = cfg_build(b->a, b->fn)};
    s.root = cfg_block_of(s.cfg, b->start);
    s.head = cfg_number(s.cfg, b->head);
    map_init(&s.seen, b->a);
    map_init(&s.before_start, b->a);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(b->start); i; i = LLVMGetPreviousInstruction(i))
        map_put(&s.before_start, i, 1);
    map_init(&b->of, b->a);
    b->access.n = 0;
    b->obstacle = NULL;
    return s.root >= 0 && collect_uses(&s, b->base, 0) && others_are_separate(&s);
}

/* In a row, as far as lanes are active. */
static bool is_row(const MemoryAccess *x) {
    int64_t first = OFF;
    for (unsigned l = 0; l < x->lanes; l++) {
        if (x->at[l] == OFF) continue;
        int64_t start = x->at[l] - (int64_t)(l * x->bytes);
        if (first != OFF && start != first) return false;
        first = start;
    }
    return true;
}

/* Why a load stalls that follows COST_RECENT accesses or less after a store: a processor forwards what one store has
** written as a whole, else the load waits until the stores have left its queue. */

typedef struct Written {
    const MemoryAccess *by; /* the last store to a cell in this basic block */
    int order;
} Written;

static bool must_wait(const MemoryAccess *load, const Written *cell, int now) {
    const MemoryAccess *store = NULL;
    bool recent = false, whole = true;
    for (unsigned l = 0, seen = 0; l < load->lanes; l++) {
        if (load->cell[l] < 0) continue;
        const Written *w = &cell[load->cell[l]];
        whole = whole && (!seen++ || w->by == store) && !(w->by && w->by->varies);
        store = w->by;
        recent = recent || (w->by && now - w->order <= COST_RECENT);
    }
    return recent && !whole;
}

static int cost_of_waits(const BlockMemory *b, LLVMBasicBlockRef bb, Written *cell) {
    int cost = 0, now = 0;
    for_each_in_block(i, bb) {
        uintptr_t k = map_get(&b->of, i, 0);
        if (!k) continue;
        const MemoryAccess *x = &b->access.v[k - 1];
        now++;
        if (!x->store && must_wait(x, cell, now)) cost += (int)COST_STALL;
        for (unsigned l = 0; x->store && l < x->lanes; l++)
            if (x->cell[l] >= 0) cell[x->cell[l]] = (Written){x, now};
    }
    return cost;
}

int memory_cost(const BlockMemory *b) {
    int cost = 0;
    for (int i = 0; i < b->access.n; i++) {
        const MemoryAccess *x = &b->access.v[i];
        int64_t size = (int64_t)(x->lanes * x->bytes);
        if (!is_row(x)) cost += (int)x->lanes;
        else cost += 1 + (x->at[0] == OFF || x->at[0] % size != 0);
    }
    Written *cell = arena_array(b->a, Written, b->ncells + 1);
    for_each_block(bb, b->fn) {
        memset(cell, 0, (size_t)b->ncells * sizeof *cell);
        cost += cost_of_waits(b, bb, cell);
    }
    return cost;
}

/* ---- cells and slots ---- */

typedef struct Piece {
    int64_t at;
    unsigned bytes;
    bool pointer;
} Piece;

static int by_address(const void *p, const void *q) {
    const Piece *a = p, *b = q;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* The last cell that begins at or before `at`. */
static int find_cell(const Piece *cell, int n, int64_t at) {
    int low = 0, high = n;
    while (low + 1 < high) {
        int mid = (low + high) / 2;
        if (cell[mid].at <= at) low = mid;
        else high = mid;
    }
    return low;
}

/* Distinct pieces in order; -1 if two overlap in part, or are a pointer and an integer. */
static int find_cells(const BlockMemory *b, Piece **cells) {
    int total = 0, n = 0;
    for (int i = 0; i < b->access.n; i++) total += (int)b->access.v[i].lanes;
    Piece *all = arena_array(b->a, Piece, total + 1);
    total = 0;
    for (int i = 0; i < b->access.n; i++)
        for (unsigned l = 0; l < b->access.v[i].lanes; l++)
            if (b->access.v[i].at[l] != OFF)
                all[total++] = (Piece){b->access.v[i].at[l], b->access.v[i].bytes, b->access.v[i].pointers};
    qsort(all, (size_t)total, sizeof *all, by_address);
    for (int i = 0; i < total; i++) {
        if (n && all[n - 1].at == all[i].at && all[n - 1].bytes == all[i].bytes && all[n - 1].pointer == all[i].pointer)
            continue;
        if (n && all[n - 1].at + all[n - 1].bytes > all[i].at) return -1;
        all[n++] = all[i];
    }
    *cells = all;
    return n;
}

static void add_slot(BlockMemory *b, const int *cells, int n, const Piece *first) {
    MemorySlot *s = &b->slot[b->nslots];
    *s = (MemorySlot){first->at, n, first->bytes, first->pointer, arena_array(b->a, int, n)};
    b->nvectors += n > 1;
    for (int l = 0; l < n; l++) {
        s->cell[l] = cells[l];
        b->slot_of[cells[l]] = b->nslots;
    }
    b->nslots++;
}

/* The block may read this memory before it has written it. */
static bool is_within(const BlockMemory *b, int64_t at) { return at >= 0 && at < b->bytes; }

/* What is stored together is kept together in a register; whole registers first. */
static void add_stored(BlockMemory *b, const Piece *cell, unsigned minimum, unsigned maximum) {
    for (int i = 0; i < b->access.n; i++) {
        const MemoryAccess *x = &b->access.v[i];
        unsigned size = x->lanes * x->bytes;
        if (!x->store || !is_row(x) || x->lanes == 1 || size < minimum || size > maximum) continue;
        bool free = is_within(b, x->at[0]) == is_within(b, x->at[0] + (int64_t)(size - 1)); /* not partly */
        for (unsigned l = 0; l < x->lanes; l++) free = free && x->cell[l] >= 0 && b->slot_of[x->cell[l]] < 0;
        if (free) add_slot(b, x->cell, (int)x->lanes, &cell[x->cell[0]]);
    }
}

/* The rest: consecutive cells; a cell that is only accessed as a scalar is kept as one. */
static void add_runs(BlockMemory *b, const Piece *cell, unsigned slot_bytes) {
    bool *vector = arena_array(b->a, bool, b->ncells + 1);
    for (int i = 0; i < b->access.n; i++)
        for (unsigned l = 0; l < b->access.v[i].lanes; l++)
            if (b->access.v[i].lanes > 1 && b->access.v[i].cell[l] >= 0) vector[b->access.v[i].cell[l]] = true;
    for (int c = 0; c < b->ncells;) {
        if (b->slot_of[c] >= 0) {
            c++;
            continue;
        }
        int run[MAX_LANES], k = 0, from = c;
        int64_t size = cell[from].bytes;
        while (c < b->ncells && b->slot_of[c] < 0 && cell[c].bytes == size && k * size < slot_bytes &&
               cell[c].at == cell[from].at + k * size && vector[c] == vector[from] &&
               is_within(b, cell[c].at) == is_within(b, cell[from].at) && cell[c].pointer == cell[from].pointer) {
            run[k++] = c++;
            if (!vector[from]) break;
        }
        add_slot(b, run, k, &cell[from]);
    }
}

bool memory_divide(BlockMemory *b, unsigned slot_bytes, int maximum) {
    Piece *cell;
    int n = find_cells(b, &cell);
    if (n < 0) return false;
    b->ncells = n;
    b->nslots = b->nvectors = 0;
    b->slot_of = arena_array(b->a, int, n + 1);
    b->slot = arena_array(b->a, MemorySlot, n + 1);
    for (int c = 0; c < n; c++) b->slot_of[c] = -1;
    for (int i = 0; i < b->access.n; i++) {
        MemoryAccess *x = &b->access.v[i];
        x->cell = arena_array(b->a, int, x->lanes);
        for (unsigned l = 0; l < x->lanes; l++) x->cell[l] = x->at[l] == OFF ? -1 : find_cell(cell, n, x->at[l]);
    }
    add_stored(b, cell, slot_bytes, slot_bytes);
    add_stored(b, cell, 0, slot_bytes);
    add_runs(b, cell, slot_bytes);
    return b->nvectors <= maximum;
}
