/* access_groups.c: see access_groups.h. */
#include "passes/analysis/access_groups.h"
#include "passes/analysis/accesses.h"
#include "passes/analysis/affine.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"
#include <string.h>

enum { MAX_ROWS = 4 /* between two members */, MAX_LOADS = 64 /* of a block */, DEPTH = 3 };
enum { SUMS = OP_ADD | OP_MUL | OP_SHL | OP_BITWISE /* disjoint or */ };

typedef struct Load {
    LLVMValueRef inst, mask; /* mask: NULL, none */
    Affine address;
    int leader, row;   /* index of the leader; relative to its row */
    int group, lowest; /* of a leader */
} Load;

typedef struct Finder {
    Arena *a;
    const Cfg *cfg;
    PtrMap differs; /* value -> it is not known to be the same in all rows */
    LLVMValueRef y; /* the first tid.y; the others are the same value */
    AffineRules rules;
    Vec(Load) loads; /* since the last write */
    AccessGroups *found;
} Finder;

/* ---- what rows share ---- */

static bool differs(const Finder *f, LLVMValueRef v) { return map_get(&f->differs, v, 0) != 0; }

static bool is_source(LLVMValueRef i) {
    Name n = name_of_call(i);
    if (LLVMIsAAllocaInst(i) || LLVMIsALoadInst(i)) return true;
    if (!LLVMIsACallInst(i)) return opcode(i) == LLVMAtomicRMW || opcode(i) == LLVMAtomicCmpXchg;
    if (n == NAME_NONE) return !is_pure_intrinsic(i);
    return n == NAME_TID_Y || !((n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X || n == NAME_ACTIVE ||
                                n == NAME_SHARED || n == NAME_ANY);
}

static void find_differences(Finder *f) {
    map_init(&f->differs, f->a);
    for (bool changed = true; changed;) {
        changed = false;
        for_each_cfg_instruction(i, b, f->cfg) {
            if (differs(f, i)) continue;
            bool own = is_source(i);
            for (int k = 0; k < LLVMGetNumOperands(i) && !own; k++) own = differs(f, LLVMGetOperand(i, (unsigned)k));
            if (!own) continue;
            if (!f->y && name_of_call(i) == NAME_TID_Y) f->y = i;
            map_put(&f->differs, i, 1);
            changed = true;
        }
    }
}

/* ---- forms ---- */

static bool is_scale(const void *finder, LLVMValueRef v) {
    return !differs(finder, v) && !is_op(v, SUMS) && !LLVMIsAConstant(v);
}

static LLVMValueRef one_id(const void *finder, LLVMValueRef v) {
    const Finder *f = finder;
    return v != f->y && name_of_call(v) == NAME_TID_Y ? f->y : NULL;
}

/* The form of the row that is this much further along y: only terms of tid.y itself change. */
static bool move_form(const Finder *f, Affine *a, int rows) {
    for (int k = 0, n = a->n; k < n; k++) {
        const AffineTerm *t = &a->term[k];
        int scales = 0;
        if (t->v != f->y) continue;
        while (scales < AFFINE_SCALES && t->scale[scales]) scales++;
        if (!scales) {
            a->constant += rows * t->factor;
            continue;
        }
        AffineTerm more = *t;
        more.v = t->scale[--scales];
        more.scale[scales] = NULL;
        more.factor = rows * t->factor;
        more.by = AFFINE_SAME;
        int other = 0;
        for (; other < a->n; other++) {
            if (affine_same_product(&a->term[other], &more)) break;
        }
        if (other == AFFINE_TERMS) return false;
        if (other == a->n) a->term[a->n++] = more;
        else a->term[other].factor += more.factor;
    }
    int kept = 0;
    for (int k = 0; k < a->n; k++)
        if (a->term[k].factor) a->term[kept++] = a->term[k];
    a->n = kept;
    return true;
}

static bool same_when_moved(const Finder *f, const Affine *a, const Affine *b, int rows, int depth);

/* The term of a, in the row that is this much further, is that of b. */
static bool same_term(const Finder *f, const AffineTerm *a, const AffineTerm *b, int rows, int depth) {
    if (a->factor != b->factor) return false;
    if (affine_same_product(a, b) && (!differs(f, a->v) || a->v == f->y || !rows)) return true;
    if (a->by != b->by || memcmp(a->scale, b->scale, sizeof a->scale)) return false;
    if (depth == DEPTH || LLVMTypeOf(a->v) != LLVMTypeOf(b->v) || !is_integer(a->v)) return false;
    if (!is_op(a->v, SUMS) || !is_op(b->v, SUMS)) return false;
    Affine x, y;
    return affine_of(&f->rules, a->v, AFFINE_SAME, &x) && affine_of(&f->rules, b->v, AFFINE_SAME, &y) &&
           same_when_moved(f, &x, &y, rows, depth + 1);
}

static bool same_when_moved(const Finder *f, const Affine *a, const Affine *b, int rows, int depth) {
    Affine moved = *a;
    bool taken[AFFINE_TERMS] = {false};
    if (!move_form(f, &moved, rows) || moved.n != b->n || moved.constant != b->constant) return false;
    for (int k = 0; k < moved.n; k++) {
        int other = 0;
        while (other < b->n && (taken[other] || !same_term(f, &moved.term[k], &b->term[other], rows, depth))) other++;
        if (other == b->n) return false;
        taken[other] = true;
    }
    return true;
}

/* ---- groups ---- */

static bool read_load(const Finder *f, LLVMValueRef i, Load *l) {
    MaskedOperands m;
    LLVMValueRef p = NULL;
    *l = (Load){.inst = i};
    if (LLVMIsALoadInst(i) && is_plain_access(i) && !is_undivided(i)) p = LLVMGetOperand(i, 0);
    else if (masked_operands(i, &m) && !m.store && !m.scattered && LLVMIsPoison(LLVMGetOperand(i, m.value)))
        p = LLVMGetOperand(i, m.pointer), l->mask = LLVMGetOperand(i, m.mask);
    if (!p || !differs(f, p) || (l->mask && differs(f, l->mask))) return false;
    return affine_of(&f->rules, p, AFFINE_SAME, &l->address);
}

/* i is the leader's load of a row before or after. */
static bool follows(const Finder *f, const Load *leader, Load *l) {
    if (LLVMTypeOf(l->inst) != LLVMTypeOf(leader->inst) || l->mask != leader->mask) return false;
    for (int row = -MAX_ROWS; row <= MAX_ROWS; row++) {
        bool same = row >= 0 ? same_when_moved(f, &leader->address, &l->address, row, 0)
                             : same_when_moved(f, &l->address, &leader->address, -row, 0);
        if (!same) continue;
        l->row = row;
        return true;
    }
    return false;
}

/* The leader's group gets a number if it has several rows. */
static void number_group(Finder *f, int leader) {
    int lowest = 0, highest = 0;
    for (int k = leader + 1; k < f->loads.n; k++) {
        const Load *l = &f->loads.v[k];
        if (l->leader == leader && l->row < lowest) lowest = l->row;
        if (l->leader == leader && l->row > highest) highest = l->row;
    }
    f->loads.v[leader].lowest = lowest;
    f->loads.v[leader].group = lowest == highest ? -1 : f->found->rows.n;
    if (lowest != highest) vec_push(f->a, &f->found->rows, highest - lowest + 1);
}

static void end_groups(Finder *f, int block) {
    for (int k = 0; k < f->loads.n; k++)
        if (f->loads.v[k].leader == k) number_group(f, k);
    for (int k = 0; k < f->loads.n; k++) {
        const Load *l = &f->loads.v[k], *leader = &f->loads.v[l->leader];
        AccessMember m = {l->inst, block, leader->group, l->row - leader->lowest};
        if (m.group < 0) continue;
        vec_push(f->a, &f->found->members, m);
        map_put(&f->found->of, l->inst, (uintptr_t)f->found->members.n);
    }
    f->loads.n = 0;
}

static bool is_masked_load(LLVMValueRef i) {
    MaskedOperands m;
    return masked_operands(i, &m) && !m.store;
}

static void find_in_block(Finder *f, int block) {
    for_each_in_block(i, f->cfg->b[block].bb) {
        Load l;
        if (stands_between(i, false) && !is_masked_load(i)) end_groups(f, block);
        if (f->loads.n == MAX_LOADS || !read_load(f, i, &l)) continue;
        l.leader = f->loads.n;
        for (int k = 0; k < f->loads.n && l.leader == f->loads.n; k++)
            if (f->loads.v[k].leader == k && follows(f, &f->loads.v[k], &l)) l.leader = k;
        vec_push(f->a, &f->loads, l);
    }
    end_groups(f, block);
}

AccessGroups *access_groups(Arena *a, const Cfg *cfg, LLVMTargetDataRef layout, const bool *blocks) {
    Finder f = {.a = a, .cfg = cfg, .found = arena_alloc(a, sizeof *f.found)};
    *f.found = (AccessGroups){0};
    map_init(&f.found->of, a);
    find_differences(&f);
    f.rules = (AffineRules){.layout = layout, .is_scale = is_scale, .instead = one_id, .context = &f};
    for (int b = 0; f.y && b < cfg->n; b++)
        if (!blocks || blocks[b]) find_in_block(&f, b);
    return f.found;
}

const AccessMember *access_member(const AccessGroups *g, LLVMValueRef load) {
    uintptr_t k = map_get(&g->of, load, 0);
    return k ? &g->members.v[k - 1] : NULL;
}

double access_group_saves(const AccessGroups *g, int group, int rows) {
    bool loaded[2 * MAX_ROWS + 1 + 64] = {false};
    int all = 0, distinct = 0;
    for (int k = 0; k < g->members.n; k++)
        for (int r = 0; g->members.v[k].group == group && r < rows; r++) {
            bool *l = &loaded[g->members.v[k].row + r];
            distinct += !*l, all++;
            *l = true;
        }
    return all ? 1 - (double)distinct / all : 0;
}
