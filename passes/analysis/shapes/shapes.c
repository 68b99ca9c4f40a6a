/* shapes.c: the solver of the shapes analysis and its queries; see shapes.h, rules in docs/shapes.md.
**
** Optimistic: all facts start at "unreachable" and only grow, one worklist over instructions. When the condition of a
** branch loses scope, the joins after the branch (divergence.c) lose the same scope: phis there are evaluated again. So
** one run finds, for grid, block and group at once, which values are equal. When the worklist is empty, local objects
** (shapes_memory.c) that turn out to differ between lanes are retracted, and the solver goes on. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"

int shapes_bits(const Shapes *s, LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned w = LLVMGetIntTypeWidth(type);
        return w >= 2 && w <= 64 ? (int)w : 0;
    }
    case LLVMPointerTypeKind: return (int)(8 * LLVMPointerSizeForAS(s->layout, LLVMGetPointerAddressSpace(type)));
    default: return 0;
    }
}

static Fact constant_fact(Shapes *s, LLVMValueRef v) {
    int bits = shapes_bits(s, LLVMTypeOf(v));
    if (LLVMIsPoison(v)) return fact_bottom();
    if (LLVMIsAConstantInt(v) && bits) return fact_const(bits, LLVMConstIntGetSExtValue(v));
    if (LLVMIsAConstantPointerNull(v)) return fact_const(bits, 0);
    if (LLVMIsAGlobalVariable(v)) {
        /* shared memory has a new address for each block */
        bool shared = LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
        Fact f = fact_uniform(bits, shared ? SCOPE_BLOCK : SCOPE_GRID);
        uint32_t align = LLVMGetAlignment(v);
        if (align) f.s.align = low_bit(align);
        return f;
    }
    if (LLVMIsAConstantExpr(v)) {
        Scope scope = SCOPE_GRID;
        for (int i = 0; i < LLVMGetNumOperands(v); i++) {
            Fact o = constant_fact(s, LLVMGetOperand(v, (unsigned)i));
            Scope os = fact_scope(&s->g, &o);
            if (os > scope) scope = os;
        }
        return fact_uniform(bits, scope);
    }
    return fact_uniform(bits, SCOPE_GRID);
}

Fact shapes_operand(Shapes *s, LLVMValueRef v) {
    uintptr_t k = map_get(&s->index, v, 0);
    if (k) return s->fact[k - 1];
    if (LLVMIsConstant(v)) return constant_fact(s, v);
    return fact_uniform(0, SCOPE_GRID); /* labels, metadata, asm */
}

/* ---- worklist ---- */

static void enqueue(Shapes *s, int k) {
    if (s->queued[k]) return;
    s->queued[k] = 1;
    s->queue[(s->head + s->count++) % s->n] = k;
}

void shapes_touch(Shapes *s, LLVMValueRef v) {
    uintptr_t k = map_get(&s->index, v, 0);
    if (k && s->block[k - 1] >= 0) enqueue(s, (int)k - 1);
}

void shapes_touch_users(Shapes *s, LLVMValueRef v) {
    for_each_user(user, v) shapes_touch(s, user);
}

static void touch_phis(Shapes *s, int block) {
    for (int k = s->first[block]; k < s->end[block] && LLVMIsAPHINode(s->value[k]); k++) enqueue(s, k);
}

/* The threads of `scope` still agree at the terminator of `block`, those of wider scopes do not. */
static void lose_branch(Shapes *s, int block, Scope scope) {
    if (scope <= s->branch[block]) return;
    s->branch[block] = scope;
    const Joins *j = divergence_joins(s->div, block);
    for (int i = 0; i < j->nsync; i++)
        if (s->sync[j->sync[i]] < scope) {
            s->sync[j->sync[i]] = scope;
            touch_phis(s, j->sync[i]);
        }
    for (int i = 0; i < j->ntemporal; i++)
        if (s->temporal[j->temporal[i]] < scope) {
            s->temporal[j->temporal[i]] = scope;
            touch_phis(s, j->temporal[i]);
        }
    for (int i = 0; i < j->nloops; i++)
        if (s->loop_exit[j->loops[i]] < scope) s->loop_exit[j->loops[i]] = scope;
}

static void visit_terminator(Shapes *s, LLVMValueRef t, int block) {
    LLVMOpcode op = LLVMGetInstructionOpcode(t);
    if (LLVMGetNumSuccessors(t) < 2) return;
    if (s->lose_branch && s->lose_branch[block]) lose_branch(s, block, SCOPE_NONE);
    bool known = op == LLVMSwitch || op == LLVMIndirectBr || LLVMIsABranchInst(t);
    if (!known) {
        lose_branch(s, block, s->g.width > 1 ? SCOPE_NONE : SCOPE_GROUP);
        return;
    }
    Fact f = shapes_operand(s, LLVMIsABranchInst(t) ? LLVMGetCondition(t) : LLVMGetOperand(t, 0));
    lose_branch(s, block, fact_scope(&s->g, &f));
}

/* Ranges of values that depend on themselves would grow step by step: after some steps they are widened to the
** limits. */
static void widen_range(Fact *f, const Fact *old, int changes) {
    if (changes < 4 || !f->bits || old->s.bottom) return;
    if (f->lo < old->lo) f->lo = min_of(f->bits);
    if (f->hi > old->hi) f->hi = max_of(f->bits);
}

static void visit_value(Shapes *s, int k) {
    LLVMValueRef v = s->value[k];
    if (LLVMIsATerminatorInst(v)) {
        visit_terminator(s, v, s->block[k]);
        return;
    }
    Fact f = shapes_transfer(s, v), old = s->fact[k];
    if (!LLVMIsAPHINode(v) && !LLVMIsASelectInst(v)) f.symbol = f.s.bottom ? 0 : shapes_symbol(s, v);
    if (s->lose_value && s->lose_value[k] && fact_group_uniform(&s->g, &f) && !f.s.bottom) f = fact_varying(f.bits);
    shapes_limit_degree(s, &f);
    f = fact_join(&s->g, old, f, SCOPE_GRID);
    widen_range(&f, &old, s->changes[k]);
    if (f.lo >= 0 && f.sx > f.ux && !f.s.bottom && old.s.bottom) f.ux = f.sx;
    if (fact_equal(&f, &old) && f.symbol == old.symbol) return;
    if (s->changes[k] < 255) s->changes[k]++;
    s->fact[k] = f;
    shapes_touch_users(s, v);
}

static void solve(Shapes *s) {
    for (int k = 0; k < s->n; k++)
        if (s->block[k] >= 0) enqueue(s, k);
    do {
        while (s->count) {
            int k = s->queue[s->head];
            s->head = (s->head + 1) % s->n;
            s->count--;
            s->queued[k] = 0;
            visit_value(s, k);
        }
    } while (shapes_check_allocas(s));
}

/* ---- activity ---- */

LLVMValueRef shapes_block_mask(Shapes *s, int b) {
    for (int k = s->first[b]; k < s->end[b]; k++) {
        if (LLVMIsAPHINode(s->value[k]) || !LLVMIsACallInst(s->value[k])) continue;
        if (shapes_name(s, s->value[k]) != NAME_MASK) continue;
        LLVMValueRef m = LLVMGetOperand(s->value[k], 0);
        return LLVMIsACallInst(m) && shapes_name(s, m) == NAME_ACTIVE ? NULL : m;
    }
    return NULL;
}

void shapes_compute_activity(Shapes *s) {
    for (int b = 0; b < s->cfg->n; b++) {
        LLVMValueRef mask = shapes_block_mask(s, b);
        if (!mask) continue;
        Fact f = shapes_operand(s, mask);
        s->activity[b] = fact_scope(&s->g, &f);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < s->cfg->n; b++) {
            int n;
            const int *by = divergence_deciders(s->div, b, &n);
            for (int i = 0; i < n; i++) {
                Scope t = s->branch[by[i]] > s->activity[by[i]] ? s->branch[by[i]] : s->activity[by[i]];
                if (t > s->activity[b]) s->activity[b] = t, changed = true;
            }
        }
    }
}

/* Comparisons rely on the activity of their blocks, which is found to be no better than was assumed. */
static bool touch_comparisons(Shapes *s, const Scope *was) {
    bool touched = false;
    for (int b = 0; b < s->cfg->n; b++)
        for (int k = s->first[b]; k < s->end[b] && was[b] < s->activity[b]; k++)
            if (LLVMIsAICmpInst(s->value[k])) enqueue(s, k), touched = true;
    return touched;
}

static void solve_with_activity(Shapes *s) {
    Scope *was = arena_array(s->a, Scope, s->cfg->n);
    do {
        memcpy(was, s->activity, (size_t)s->cfg->n * sizeof *was);
        solve(s);
        shapes_compute_activity(s);
    } while (touch_comparisons(s, was));
}

/* ---- set-up ---- */

static void number_facts(Shapes *s) {
    const Cfg *c = s->cfg;
    int n = (int)LLVMCountParams(c->fn);
    for_each_cfg_instruction(i, b, c) n++;
    s->value = arena_array(s->a, LLVMValueRef, n + 1);
    s->fact = arena_array(s->a, Fact, n + 1);
    s->block = arena_array(s->a, int, n + 1);
    s->changes = arena_array(s->a, uint8_t, n + 1);
    s->queue = arena_array(s->a, int, n + 1);
    s->queued = arena_array(s->a, uint8_t, n + 1);
    map_init(&s->index, s->a);
    for (unsigned p = 0; p < LLVMCountParams(c->fn); p++) {
        LLVMValueRef v = LLVMGetParam(c->fn, p);
        int bits = shapes_bits(s, LLVMTypeOf(v));
        Fact f = s->kernel ? fact_uniform(bits, SCOPE_GRID) : fact_varying(bits);
        fact_normalise(&s->g, &f);
        f.symbol = shapes_symbol(s, v);
        s->value[s->n] = v;
        s->fact[s->n] = f;
        s->block[s->n++] = -1;
        map_put(&s->index, v, (uintptr_t)s->n);
    }
    for (int b = 0; b < c->n; b++) {
        s->first[b] = s->n;
        for_each_in_block(i, c->b[b].bb) {
            s->value[s->n] = i;
            s->fact[s->n] = fact_bottom();
            s->fact[s->n].bits = shapes_bits(s, LLVMTypeOf(i));
            s->block[s->n++] = b;
            map_put(&s->index, i, (uintptr_t)s->n);
        }
        s->end[b] = s->n;
    }
}

/* Also before import_nvvm. */
static bool is_kernel_entry(LLVMValueRef fn) {
    enum { PTX_KERNEL = 71 };
    return LLVMGetFunctionCallConv(fn) == PTX_KERNEL || is_kernel(fn);
}

/* Its blocks of several rows never get the layout ROWS (abi.h). */
static bool uses_warps(LLVMValueRef fn) { return fn_attr_int(fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_WARP; }

Shapes *shapes_compute_warp(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3],
                            int warp_size) {
    Shapes *s = arena_alloc(a, sizeof *s);
    s->a = a;
    s->cfg = cfg;
    s->module = LLVMGetGlobalParent(cfg->fn);
    s->layout = LLVMGetModuleDataLayout(s->module);
    s->kernel = is_kernel_entry(cfg->fn);
    s->sums = fn_has_attr(cfg->fn, ATTR_SUMS);
    s->degree = (int)fn_attr_int(cfg->fn, ATTR_DEGREE, 2);
    s->step = (uint64_t)fn_attr_int(cfg->fn, ATTR_STEP, 0);
    const Variant v = variant_of(cfg->fn);
    s->swapped_grid = v.swapped_grid;
    s->deep = v.along == 2;
    for (int i = 0; i < 3; i++) s->g.block[i] = block ? block[i] : 0;
    if (layout == LAYOUT_ROWS && uses_warps(cfg->fn)) s->g.block[1] = s->g.block[2] = 1;
    bool one_row = s->g.block[1] == 1 && s->g.block[2] == 1;
    s->g.width = width;
    s->g.rows = layout != LAYOUT_GENERAL || one_row;
    s->g.full = layout == LAYOUT_ROWS_FULL || width == 1;
    s->g.warp_size = warp_size;
    s->g.patterns = width > 1 ? patterns_new(a) : NULL;
    if (!s->g.rows) group_set_ids(&s->g);
    if (!s->g.rows && s->g.block[0] && s->g.block[1] && s->g.block[2])
        s->g.full |= s->g.block[0] * s->g.block[1] * s->g.block[2] % (unsigned)width == 0;
    s->g.in_warp = width == 1 || (width <= warp_size && (layout != LAYOUT_ROWS || one_row));
    s->div = divergence_new(a, cfg);
    s->memory = memory_spaces(a, cfg->fn);
    map_init(&s->names, a);
    s->branch = arena_array(a, Scope, cfg->n);
    s->sync = arena_array(a, Scope, cfg->n);
    s->temporal = arena_array(a, Scope, cfg->n);
    s->activity = arena_array(a, Scope, cfg->n);
    s->first = arena_array(a, int, cfg->n);
    s->end = arena_array(a, int, cfg->n);
    s->loop_exit = arena_array(a, Scope, cfg->nloops + 1);
    number_facts(s);
    shapes_ablate(s);
    shapes_find_allocas(s);
    solve_with_activity(s);
    return s;
}

Shapes *shapes_compute(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3]) {
    return shapes_compute_warp(a, cfg, width, layout, block, width > 32 ? width : 32);
}

/* ---- queries ---- */

static Fact fact_of(const Shapes *s, LLVMValueRef v) { return shapes_operand((Shapes *)(uintptr_t)s, v); }

Shape shapes_of(const Shapes *s, LLVMValueRef v) { return fact_of(s, v).s; }

bool shapes_is_uniform(const Shapes *s, LLVMValueRef v) {
    Fact f = fact_of(s, v);
    return fact_group_uniform(&s->g, &f);
}

unsigned shapes_value_bits(const Shapes *s, LLVMValueRef v) {
    unsigned bits = int_bits(v);
    Fact f = fact_of(s, v);
    if (!f.bits || f.lo > f.hi) return bits;
    unsigned n = 1;
    while (n < bits && n < 63 &&
           !(f.lo >= 0 ? f.hi < INT64_C(1) << n : f.lo >= -(INT64_C(1) << (n - 1)) && f.hi < INT64_C(1) << (n - 1)))
        n++;
    return n < 63 && n < bits ? n : bits;
}

Scope shapes_scope(const Shapes *s, LLVMValueRef v) {
    Fact f = fact_of(s, v);
    return fact_scope(&s->g, &f);
}

bool shapes_lane_stride(const Shapes *s, LLVMValueRef v, int64_t *stride) {
    Fact f = fact_of(s, v);
    return fact_lane_stride(&s->g, &f, stride);
}

bool shapes_is_affine(const Shapes *s, LLVMValueRef v) {
    int64_t stride;
    return shapes_is_uniform(s, v) || shapes_lane_stride(s, v, &stride);
}

bool shapes_in_order(const Shapes *s, LLVMValueRef v, bool is_signed) {
    Fact f = fact_of(s, v);
    return (is_signed ? f.sx : f.ux) != EXACT_NO;
}

bool shapes_rebased(const Shapes *s, LLVMValueRef ext) {
    Fact a = fact_of(s, LLVMGetOperand(ext, 0)), r = fact_of(s, ext);
    if (a.s.bottom || r.s.bottom || a.sx != EXACT_NO || s->g.width == 1) return false;
    if (LLVMIsAZExtInst(ext) && !LLVMGetNNeg(ext)) return false;
    return !fact_group_uniform(&s->g, &r) && pattern_run(&s->g, &r) == s->g.width;
}

bool shapes_compares_first(const Shapes *s, LLVMValueRef icmp) {
    uintptr_t k = map_get(&s->index, icmp, 0);
    if (s->g.width == 1 || !k || !LLVMIsAICmpInst(icmp) || s->activity[s->block[k - 1]] != SCOPE_NONE) return false;
    Fact a = fact_of(s, LLVMGetOperand(icmp, 0)), b = fact_of(s, LLVMGetOperand(icmp, 1));
    Fact all = arith_icmp(&s->g, LLVMGetICmpPredicate(icmp), a, b);
    return !fact_group_uniform(&s->g, &all) && fact_group_uniform(&s->g, &s->fact[k - 1]);
}

bool shapes_has_unknown_stride(const Shapes *s, LLVMValueRef v) {
    Fact f = fact_of(s, v);
    int64_t stride;
    return fact_scalar(&s->g, &f) && !fact_lane_stride(&s->g, &f, &stride) && !pattern_run(&s->g, &f);
}

bool shapes_runs_active(const Shapes *s, LLVMValueRef v) {
    Fact f = fact_of(s, v);
    return !f.s.bottom && f.pat && f.pat->loose;
}

int shapes_runs(const Shapes *s, LLVMValueRef v, int64_t *offset) {
    Fact f = fact_of(s, v);
    Lanes l;
    if (!read_lanes(&s->g, &f, &l)) return 0;
    memcpy(offset, l.off, (size_t)s->g.width * sizeof *offset);
    return l.run;
}

uint32_t shapes_align(const Shapes *s, LLVMValueRef v) {
    Fact f = fact_of(s, v);
    return fact_align_lane0(&s->g, &f);
}

bool shapes_branch_divergent(const Shapes *s, int block) { return s->branch[block] == SCOPE_NONE; }
bool shapes_loop_divergent(const Shapes *s, int loop) { return s->loop_exit[loop] == SCOPE_NONE; }
bool shapes_block_divergent(const Shapes *s, int block) { return s->activity[block] == SCOPE_NONE; }
Scope shapes_branch_scope(const Shapes *s, int block) { return s->branch[block]; }
Scope shapes_block_scope(const Shapes *s, int block) { return s->activity[block]; }
Scope shapes_loop_scope(const Shapes *s, int loop) { return s->loop_exit[loop]; }
Scope shapes_sync_scope(const Shapes *s, int block) { return s->sync[block]; }
Scope shapes_temporal_scope(const Shapes *s, int block) { return s->temporal[block]; }

bool shapes_branch_block_uniform(const Shapes *s, int block) {
    return s->branch[block] <= SCOPE_BLOCK && s->activity[block] <= SCOPE_BLOCK;
}

bool shapes_alloca_uniform(const Shapes *s, LLVMValueRef alloca) { return shapes_alloca_is_uniform(s, alloca); }
