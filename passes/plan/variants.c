/* variants: which variants a kernel is compiled to, one for each mapping of its threads to lanes that pays.
**
** Width 1 needs one copy: with one lane every block is "rows full". Wider kernels get ROWS_FULL (whole groups inside a
** row, no masks), ROWS (one-dimensional blocks with a masked tail) and GENERAL (any block). Kernels with warp functions
** take groups of whole warps in linear order, or width 1 (where split_warps makes threads stop for each other).
**
** Kernels of bytes and shorts get ROWS_FULL with more lanes as well (choose_wide_rows), for blocks whose rows fill
** them. Where the runtime is to find out whether one lane is faster (choose_width) there is a scalar variant beside the
** others. Kernels with rows of threads get it with fewer lanes, for blocks of shorter rows (narrow_rows).
** Large kernels have no ROWS, and no ROWS_FULL where all known launches take another: GENERAL is right for these blocks
** as well, and compile time is proportional to the variants. The same holds for smaller ones whose launches are all
** known, where kernels are large together: they may never be launched otherwise. Where kernels are many and large
** together, those of some size do so, and have neither more lanes for some blocks nor a scalar variant beside the wide
** one: only the one that is estimated faster. Kernels that are huge by themselves have GENERAL alone.
**
** A kernel with .reqntid gets the one variant that it can be launched with. Where blockDims are known from launches
** (cucpu.launches), up to two more variants take these alone: blockDim is a constant there, so group loops have
** constant trip counts, and rows shorter than a group fill it with patterns; the threads of a column, 1 x n, are
** consecutive lanes (ordered after rows of neighbouring blocks, where these exist and are estimated faster). A block of
** one row may be compiled as one of several, or with lanes along y (reshape_block); blocks that are not known may have
** lanes along y or z as well.
**
** The list depends on the kernel with its attributes, the launches and the target alone. Estimates of what another form
** of the kernel would take are made on copies, which are deleted. */
#include "passes/plan/variants.h"
#include "cpu-runtime/variants.h"
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <stdlib.h>
#include <string.h>

enum { LARGE = 3000, LARGE_AMONG_MANY = 1000 };                /* instructions of a kernel */
enum { SEVERAL = 15000, MANY = 60000 };                        /* instructions of all kernels */
enum { MAX_BLOCKS = 4, MAX_BLOCKS_OF_LARGE = 2, SMALL = 500 }; /* blockDims that get variants; instructions */

static const char *const layout_names[] = {"rows_full", "rows", "general"};

typedef struct Planner {
    Module *m;
    LLVMValueRef fn;
    VariantBudget budget;
    unsigned flags;
    bool large, few, huge; /* few: large among many */
    bool tiles;            /* in shared memory, which variants of known blocks keep transposed */
    int width;
    double gain; /* of Width; 0 = keep the width */
    VariantPlan plan;
} Planner;

VariantBudget variant_budget(LLVMValueRef *kernels, int n) {
    long all = 0;
    for (int i = 0; i < n; i++) all += function_size(kernels[i]);
    return (VariantBudget){.several = all > SEVERAL && n > 1, .many = all > MANY && n > 1};
}

/* ---- the list ---- */

static Variant groups(int width, Layout layout) { return (Variant){.width = width, .layout = (int)layout}; }

static Variant of_block(int width, Layout layout, const unsigned block[3]) {
    Variant v = groups(width, layout);
    memcpy(v.block, block, sizeof v.block);
    return v;
}

static void add(Planner *p, const Variant *v, const char *why) {
    int bits = (int)p->m->vector_bits, vectors = (v->width * 32 + bits - 1) / bits;
    VariantSpec spec = {*v, variant_kind(v), vectors, variant_rank(v), why};
    vec_push(&p->m->arena, &p->plan.list, spec);
}

/* A format with one %d. */
static const char *as_text(Planner *p, const char *format, int n) { return arena_printf(&p->m->arena, format, n); }

/* As the runtime would choose, but for groups of several short rows. */
static Layout layout_for(const unsigned block[3], int width, unsigned flags) {
    unsigned w = (unsigned)width;
    if (cucpu_layout_fits(CUCPU_LAYOUT_ROWS_FULL, w, flags, 1, block)) return LAYOUT_ROWS_FULL;
    if (block[1] * block[2] > 1 && cucpu_fills_groups(block, w)) return LAYOUT_GENERAL;
    return cucpu_layout_fits(CUCPU_LAYOUT_ROWS, w, flags, 1, block) ? LAYOUT_ROWS : LAYOUT_GENERAL;
}

/* ---- lanes along y or z ---- */

/* With lanes along this dimension; as: the block with x and that swapped, NULL = any. */
static Variant swapped(LLVMValueRef fn, int lanes, int dimension, const unsigned as[3], const unsigned launch[3]) {
    Variant v = groups(lanes, LAYOUT_ROWS_FULL);
    v.along = dimension;
    v.swapped_grid = fn_attr_int(fn, ATTR_ORDER, 0) == dimension;
    if (as) memcpy(v.block, as, sizeof v.block), memcpy(v.launch, launch, sizeof v.launch);
    return v;
}

/* If it is estimated faster. */
static bool plan_swapped(Planner *p, Variant v) {
    bool remarks = be_quiet(p->m);
    LLVMValueRef copy = build_variant(p->m, p->fn, &v, NULL);
    unsigned percent = swapped_time(p->m, p->fn, p->width, copy, v.width, v.block);
    bool joined = fn_has_attr(copy, ATTR_JOINED);
    LLVMDeleteFunction(copy);
    p->m->diag.remarks = remarks;
    if (!percent) return false;
    v.along_time = (int)percent;
    if (joined) p->plan.flags |= CUCPU_KERNEL_TOGETHER;
    add(p, &v, as_text(p, "estimated at %d %% of the time with lanes along x", v.along_time));
    return true;
}

static bool plan_swapped_block(Planner *p, const unsigned block[3]) {
    unsigned as[3];
    for (int dimension = 1; dimension <= 2; dimension++) {
        int lanes = swapped_block(p->m, p->fn, p->width, block, dimension, as);
        if (lanes && plan_swapped(p, swapped(p->fn, lanes, dimension, as, block))) return true;
    }
    return false;
}

/* The same for blocks of any size: with this width, and for shorter columns with half of it. */
static void plan_columns(Planner *p) {
    bool kept = false;
    for (int dimension = 1; dimension <= 2 && !kept; dimension++)
        for (int lanes = may_swap_dimension(p->m, p->fn, p->width, dimension) ? p->width : 0;
             lanes > 1 && lanes >= p->width / 2; lanes /= 2) {
            if (!plan_swapped(p, swapped(p->fn, lanes, dimension, NULL, NULL))) break;
            kept = true;
        }
}

/* ---- one blockDim ---- */

static bool may_be_narrow(const Planner *p) { return !(p->flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_JOINED)); }

/* Groups of the block in this layout, relative to groups of a block that has neither idle lanes nor several rows. */
static double group_gain(const Planner *p, const Variant *v) {
    const CucpuVariant row = variant_row(v);
    return cucpu_lanes_in_use(p->flags, &row, v->block);
}

/* A column, in a kernel whose rows of neighbouring blocks run as one: its groups take longer than those. */
static bool rows_are_faster(Planner *p, const Variant *v) {
    if (!(p->flags & CUCPU_KERNEL_JOINED) || !cucpu_column(v->block) || v->width == 1) return false;
    bool remarks = be_quiet(p->m);
    LLVMValueRef column = build_variant(p->m, p->fn, v, NULL);
    bool faster = column_is_faster(p->m, p->fn, column, v->width, v->block);
    LLVMDeleteFunction(column);
    p->m->diag.remarks = remarks;
    return !faster;
}

/* One blockDim compiled as another of as many threads. */
static bool plan_reshaped(Planner *p, const unsigned block[3]) {
    unsigned rows[3];
    if ((p->gain > 0 && p->gain < 1) || !reshaped_block(p->m, p->fn, p->width, block, rows)) return false;
    Variant v = of_block(p->width, LAYOUT_ROWS_FULL, rows);
    memcpy(v.launch, block, sizeof v.launch);
    add(p, &v,
        arena_printf(&p->m->arena, "compiled as %ux%ux%u, by which the kernel divides", rows[0], rows[1], rows[2]));
    return true;
}

/* Lanes along x, for this block. */
static void plan_block(Planner *p, const unsigned block[3], const char *why) {
    int row = (int)block[0], width = p->width;
    double gain = p->gain;
    if (may_be_narrow(p) && row < width && narrow_rows(p->m, p->fn, width, 2 * row, block) == row) {
        gain *= (double)row / width, width = row;
        why = "as many lanes as a row has threads";
    }
    Variant v = of_block(width, layout_for(block, width, p->flags), block);
    if (gain > 0 && gain * group_gain(p, &v) < 1) {
        v = of_block(1, LAYOUT_ROWS_FULL, block);
        why = "idle lanes: one lane is estimated faster";
    }
    v.after_rows = rows_are_faster(p, &v);
    add(p, &v, v.after_rows ? "a column; rows of neighbouring blocks are estimated faster" : why);
}

/* A variant for a known blockDim is profitable where lanes or whole groups of the others would be idle, or where loops
** over groups run: barriers; and where tiles are transposed in it. Not where blocks are joined to rows of any length,
** columns are none. NULL: it is not. */
static const char *why_block(Planner *p, const unsigned block[3]) {
    unsigned rows[3];
    if (!is_block(block)) return NULL;
    if (reshaped_block(p->m, p->fn, p->width, block, rows)) return "the kernel divides threadIdx.x";
    if (p->flags & CUCPU_KERNEL_JOINED && block[1] * block[2] > 1 && !cucpu_column(block)) return NULL;
    if (p->tiles) return "tiles are transposed";
    if (layout_for(block, p->width, p->flags) != LAYOUT_ROWS_FULL) return "its rows are not whole groups";
    return p->flags & CUCPU_KERNEL_BARRIER ? "loops between barriers get constant trip counts" : NULL;
}

/* ---- launches ---- */

/* Kernels with __launch_bounds__ are mostly launched with exactly that many threads. */
static const char *usual_block(Module *m, LLVMValueRef fn) {
    enum { USUAL = 256, USUAL_ROW = 16 };
    unsigned maximum[3], threads = USUAL;
    fn_attr_three(fn, ATTR_MAXNTID, maximum);
    if (maximum[1] > 1) return arena_printf(&m->arena, "%u,%u,%u", maximum[0], maximum[1], maximum[2]);
    if (maximum[0]) threads = maximum[0];
    if (!reads_thread_id(fn, 1)) return arena_printf(&m->arena, "%u,1,1", threads);
    return arena_printf(&m->arena, "%u,%u,1", USUAL_ROW, threads / USUAL_ROW);
}

/* What kernels are mostly launched with, and what this one seems to be, where no host code is known. */
static const char *usual_blocks(Module *m, LLVMValueRef fn) {
    unsigned len;
    const char *guess = fn_attr(fn, ATTR_USUAL, &len);
    if (guess) return arena_printf(&m->arena, "%.*s;%s", len, guess, usual_block(m, fn));
    return usual_block(m, fn);
}

static unsigned max_blocks(const Planner *p) {
    return !p->budget.many && function_size(p->fn) <= SMALL ? MAX_BLOCKS : MAX_BLOCKS_OF_LARGE;
}

/* No launch is known, and known blocks matter. */
static bool needs_guess(const Planner *p, const char *launches) {
    if (launches ? strpbrk(launches, "0123456789") != NULL : p->m->opt->host != NULL) return false;
    if (fn_has_attr(p->fn, ATTR_SUMS)) return !launches;
    return p->flags & CUCPU_KERNEL_BARRIER && !p->few;
}

/* Else blocks for which groups are bad get variants. */
static bool has_unknown_launches(LLVMValueRef fn) {
    unsigned len;
    const char *text = fn_attr(fn, ATTR_LAUNCHES, &len);
    return !text || memchr(text, '?', len);
}

/* The next block of the list of launches; false where it ends. *known: it is a constant. */
static bool next_block(const char **at, unsigned b[3], bool *known) {
    if (!*at) return false;
    b[0] = 0, b[1] = b[2] = 1;
    *known = **at != '?' && sscanf(*at, "%u,%u,%u", &b[0], &b[1], &b[2]) > 0;
    *at = strchr(*at, ';');
    if (*at) ++*at;
    return true;
}

typedef struct OwnBlock {
    unsigned size[3];
    const char *why; /* NULL: its variant has lanes along y and is in the list */
} OwnBlock;

/* Blocks of launches for which a variant is profitable; *others: there are more launches, or some that are not
** known. */
static int blocks_of_launches(Planner *p, OwnBlock own[MAX_BLOCKS], bool *others) {
    unsigned len, b[3], n = 0, maximum = max_blocks(p);
    const char *text = fn_attr(p->fn, ATTR_LAUNCHES, &len);
    bool known;
    *others = !text || p->huge;
    if (p->huge) return 0;
    if (!text) text = p->m->opt->blocks;
    if (needs_guess(p, text)) *others = true, text = usual_blocks(p->m, p->fn);
    if (!text || pass_disabled(p->m, "launch_sites")) return *others = true, 0;
    p->plan.launches = text;
    for (const char *at = text; next_block(&at, b, &known);) {
        bool done = false;
        for (unsigned i = 0; i < n; i++) done |= !memcmp(own[i].size, b, sizeof b);
        if (done) continue;
        bool fits = known && n < maximum && is_block(b), made = fits && plan_swapped_block(p, b);
        const char *why = fits && !made ? why_block(p, b) : NULL;
        if (made || why) own[n++] = (OwnBlock){{b[0], b[1], b[2]}, why};
        else *others = true;
    }
    return (int)n;
}

/* ---- any block ---- */

/* For short rows of any block. */
static void plan_narrow_rows(Planner *p) {
    if (!may_be_narrow(p) || !has_unknown_launches(p->fn)) return;
    for (int n = p->width; (n = narrow_rows(p->m, p->fn, p->width, n, NULL));) {
        Variant v = groups(n, LAYOUT_ROWS_FULL);
        v.below = p->width;
        add(p, &v, "rows shorter than a group");
    }
}

/* Returns the most lanes. */
static int plan_wide_rows(Planner *p) {
    int widest = p->width;
    if (p->flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_BARRIER) || p->few) return widest;
    for (int wide = choose_wide_rows(p->m, p->fn, p->width); wide > p->width; wide /= 2) {
        Variant v = groups(wide, LAYOUT_ROWS_FULL);
        v.wide = true;
        add(p, &v, "rows that fill more lanes");
        if (wide > widest) widest = wide;
    }
    return widest;
}

/* The variant whose plane loop is interchanged; its entry calls that of the variant for full rows (kernel_table). */
static void plan_interchanged(Planner *p, int width) {
    Variant v = groups(width, LAYOUT_ROWS_FULL);
    LLVMValueRef copy = plane_loop_variant(p->m, p->fn, &v);
    if (!copy) return;
    drop_plane_loop_variant(p->m, copy, &v);
    add(p, &v, "its plane loop is interchanged, where that is profitable at the launch");
}

/* The variant with private counters: for the block that is known, if there is only one, else for any of full rows. */
static void plan_counting(Planner *p, const unsigned *block) {
    Variant v = {0};
    LLVMValueRef copy = privatised_variant(p->m, p->fn, v.counters);
    if (!copy) return;
    bool remarks = be_quiet(p->m);
    Width choice = choose_width(p->m, copy);
    p->m->diag.remarks = remarks;
    LLVMDeleteFunction(copy);
    v.width = choice.scalar_first ? 1 : choice.lanes;
    if (block && v.width > 1) {
        memcpy(v.block, block, sizeof v.block);
        v.layout = (int)layout_for(block, v.width, p->flags);
    }
    add(p, &v, "counters of each worker");
}

/* Bits of layouts. */
static unsigned wanted_layouts(const Planner *p, bool others) {
    unsigned all = 1u << LAYOUT_ROWS_FULL | 1u << LAYOUT_ROWS | 1u << LAYOUT_GENERAL;
    if (p->m->opt->layouts) return p->m->opt->layouts;
    if (p->huge) return 1u << LAYOUT_GENERAL;
    bool waits = p->flags & CUCPU_KERNEL_BARRIER;
    if (!p->large && (others || !p->budget.several)) return others || !waits ? all : all & ~(1u << LAYOUT_ROWS);
    all &= ~(1u << LAYOUT_ROWS);
    return others ? all : all & ~(1u << LAYOUT_ROWS_FULL);
}

static void plan_layouts(Planner *p, unsigned wanted) {
    static const char *const why[] = {"rows of whole groups", "rows whose last group has idle lanes", "any block"};
    for (int layout = LAYOUT_ROWS_FULL; layout <= LAYOUT_GENERAL; layout++) {
        if (!(wanted >> layout & 1)) continue;
        bool idle = layout == LAYOUT_GENERAL && p->gain > 0 && p->gain * CUCPU_ANYWHERE < 1;
        Variant v = idle ? groups(1, LAYOUT_ROWS_FULL) : groups(p->width, (Layout)layout);
        add(p, &v, idle ? "any block: one lane is estimated faster than lanes anywhere in it" : why[layout]);
    }
}

static void plan_any_block(Planner *p) {
    OwnBlock own[MAX_BLOCKS];
    bool others;
    int n = blocks_of_launches(p, own, &others);
    unsigned wanted = wanted_layouts(p, others);
    if (wanted >> LAYOUT_ROWS_FULL & 1) {
        int widest = plan_wide_rows(p);
        if (!p->few) plan_interchanged(p, widest);
        if (!p->few) plan_narrow_rows(p);
        if (others && !p->large) plan_columns(p);
    }
    plan_layouts(p, wanted);
    for (int k = 0; k < n; k++)
        if (own[k].why && !plan_reshaped(p, own[k].size)) plan_block(p, own[k].size, own[k].why);
    if (!p->few && !p->huge) plan_counting(p, n == 1 && !others ? own[0].size : NULL);
}

/* ---- the width ---- */

/* A copy in which tiles are transposed, for estimates: for the first of the blocks that the kernel is launched with,
** all of which are known and have variants; NULL: no tile is. */
static LLVMValueRef with_tiles(Planner *p) {
    Module *m = p->m;
    unsigned len, n, block[3] = {0, 1, 1}, others = 0;
    const char *launches = fn_attr(p->fn, ATTR_REQNTID, &n);
    if (!launches && !pass_disabled(m, "launch_sites")) launches = fn_attr(p->fn, ATTR_LAUNCHES, &n);
    if (!launches || !fn_attr(p->fn, ATTR_ARRAYS, &len)) return NULL;
    for (unsigned i = 0; i < n; i++) others += launches[i] == ';' ? 1 : launches[i] == '?' ? MAX_BLOCKS : 0;
    sscanf(launches, "%u,%u,%u", &block[0], &block[1], &block[2]);
    if (!is_block(block) || others >= max_blocks(p)) return NULL;
    int width = (int)m->vector_bits / 32;
    const Variant v = of_block(width, layout_for(block, width, 0), block);
    LLVMValueRef copy = sketch_variant(m, p->fn, &v);
    Kernel k = kernel_of(m, copy, &m->arena);
    bool remarks = be_quiet(m), transposed = transpose_tiles(&k);
    m->diag.remarks = remarks;
    if (transposed) return copy;
    LLVMDeleteFunction(copy);
    return NULL;
}

/* Without autotuning, rows that fill just more than half of their lanes may be faster with one lane: blockDim decides,
** at the launch. */
static bool leaves_to_block(LLVMValueRef fn, const Width *choice) {
    double min_in_use = (choice->lanes + 1) / (2.0 * choice->lanes);
    return choice->gain > 0 && choice->gain * min_in_use < 1 && has_unknown_launches(fn);
}

static Width choose(Planner *p) {
    LLVMValueRef tiles = p->m->opt->simd == 1 ? NULL : with_tiles(p);
    Width choice = choose_width(p->m, tiles ? tiles : p->fn);
    p->tiles = tiles != NULL;
    if (tiles) LLVMDeleteFunction(tiles);
    if (p->few && choice.scalar)
        choice = (Width){.lanes = choice.scalar_first || choice.scalar < COST_UNTRIED * 100 ? 1 : choice.lanes};
    if (!(p->flags & CUCPU_KERNEL_WARP)) return choice;
    int width = choice.lanes, warp = p->m->opt->warp_size;
    choice.gain = 0;
    if (width == warp || p->m->opt->simd == 1) return choice;
    if (p->m->opt->simd) diag_remark(&p->m->diag, p->fn, WHOLE_WARP, warp, width);
    choice.lanes = warp;
    return choice;
}

static unsigned flags_of_variants(const Width *choice, bool untried) {
    return (choice->scalar_first ? CUCPU_KERNEL_SCALAR_FIRST : 0) | (choice->sums ? CUCPU_KERNEL_SUMS : 0) |
           (untried ? CUCPU_KERNEL_UNTRIED : 0);
}

/* percent: its estimated time. */
static void plan_scalar(Planner *p, int percent, const unsigned block[3], const char *why) {
    Variant v = of_block(1, LAYOUT_ROWS_FULL, block);
    v.scalar = percent;
    add(p, &v, why);
}

/* A function that is not inlined is told of the thread before it is called, which the lanes of a group share. */
static bool tells_thread(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (LLVMIsACallInst(i) && !strcmp(called_name(i), CHECK_THREAD)) return true;
    return false;
}

/* Operands of CHECK_ACCESS. */
enum { CHECKED_BYTES = 3, CHECKED_FLAGS = 7 };

/* Its checks are of accesses that order nothing, and of barriers of the block. */
static bool is_plain(LLVMValueRef fn) {
    static const char prefix[] = "cucpu_check_";
    for_each_instruction(i, fn) {
        const char *name = LLVMIsACallInst(i) ? called_name(i) : "";
        if (strncmp(name, prefix, sizeof prefix - 1) || !strcmp(name, CHECK_BLOCK) ||
            !strcmp(name, "cucpu_check_barrier"))
            continue;
        if (strcmp(name, CHECK_ACCESS) || !LLVMIsAConstantInt(LLVMGetOperand(i, CHECKED_BYTES))) return false;
        unsigned long long flags = LLVMConstIntGetZExtValue(LLVMGetOperand(i, CHECKED_FLAGS));
        if (flags & (CUCPU_SITE_VOLATILE | CUCPU_SITE_ACQUIRE | CUCPU_SITE_RELEASE)) return false;
    }
    return true;
}

/* --check: the scalar variant is for races of kernels that are not plain, and for misuse of functions of the warp: the
** runtime sees each thread's accesses in its order.  One for groups is for all else. */
static void plan_checked(Planner *p, const unsigned block[3]) {
    Module *m = p->m;
    bool one_block = is_block(block);
    bool waits = p->flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS);
    int width = m->opt->simd || tells_thread(p->fn) || waits ? 1 : choose_width(m, p->fn).lanes;
    if (m->opt->simd > 1 && !waits) width = m->opt->simd;
    if (p->flags & CUCPU_KERNEL_WARP && width > 1) width = m->opt->warp_size;
    bool plain = !waits && !(p->flags & CUCPU_KERNEL_WARP) && is_plain(p->fn);
    if (plain) p->plan.flags |= CUCPU_KERNEL_PLAIN;
    else if (width > 1) plan_scalar(p, 100, block, "races are found in threads one by one");
    for (int layout = LAYOUT_ROWS_FULL; layout <= LAYOUT_GENERAL; layout += LAYOUT_GENERAL - LAYOUT_ROWS_FULL) {
        Variant v = width == 1 || !one_block ? of_block(width, (Layout)layout, block)
                                             : of_block(width, layout_for(block, width, p->flags), block);
        add(p, &v, one_block ? ".reqntid" : layout == LAYOUT_GENERAL ? "any block" : "rows of whole groups");
        if (one_block || width == 1) break;
    }
}

static void plan_kernel(Planner *p, const unsigned block[3]) {
    Width choice = choose(p);
    bool known = is_block(block), untried = !p->few && !known && leaves_to_block(p->fn, &choice);
    p->width = choice.lanes;
    p->gain = choice.gain;
    if (untried) choice.scalar = (int)(choice.gain * 100);
    const char *why =
        untried ? "blockDim decides: estimated at %d %% of theirs" : "time decides: %d %% of theirs, as estimated";
    if (choice.scalar) plan_scalar(p, choice.scalar, block, as_text(p, why, choice.scalar));
    p->plan.flags |= flags_of_variants(&choice, untried);
    if (known) {
        if (!plan_reshaped(p, block) && !plan_swapped_block(p, block)) plan_block(p, block, ".reqntid");
        plan_counting(p, block);
    } else if (p->width == 1) {
        const Variant v = groups(1, LAYOUT_ROWS_FULL);
        add(p, &v, "any block");
        plan_counting(p, NULL);
    } else {
        plan_any_block(p);
    }
}

/* For launches whose arguments overlap, of the kernel as it was: rows of whole groups, and one lane for any block. */
static void plan_overlapping(Planner *p) {
    const char *before = arena_printf(&p->m->arena, "%s" OVERLAPPING, value_name(p->fn));
    if (!LLVMGetNamedFunction(p->m->mod, before)) return;
    for (int width = p->width;; width = 1) {
        Variant v = groups(width, LAYOUT_ROWS_FULL);
        v.overlapping = true;
        add(p, &v, "arguments that overlap");
        if (width == 1) break;
    }
}

VariantPlan plan_variants(Module *m, LLVMValueRef fn, VariantBudget budget) {
    Planner p = {.m = m, .fn = fn, .budget = budget, .flags = (unsigned)fn_attr_int(fn, ATTR_FLAGS, 0)};
    unsigned block[3];
    p.large = function_size(fn) > (budget.many ? LARGE_AMONG_MANY : LARGE);
    p.few = budget.many && p.large;
    p.huge = function_size(fn) > GROWTH_VARIANTS;
    p.plan = (VariantPlan){.kernel = fn, .flags = p.flags};
    fn_attr_three(fn, ATTR_REQNTID, block);
    if (!is_block(block)) memset(block, 0, sizeof block);
    if (m->opt->check) plan_checked(&p, block);
    else plan_kernel(&p, block);
    plan_overlapping(&p);
    return p.plan;
}

/* ---- the printer ---- */

static int by_rank(const void *p, const void *q) {
    const VariantSpec *a = *(const VariantSpec *const *)p, *b = *(const VariantSpec *const *)q;
    return a->rank != b->rank ? (a->rank < 0) - (b->rank < 0) ? a->rank < 0 ? 1 : -1 : a->rank - b->rank
                              : (a > b) - (a < b);
}

/* In the order in which the runtime tries them; those beside the list last. */
static const VariantSpec **sorted(Arena *a, const VariantPlan *plan) {
    const VariantSpec **all = arena_array(a, const VariantSpec *, plan->list.n + 1);
    for (int i = 0; i < plan->list.n; i++) all[i] = &plan->list.v[i];
    qsort(all, (size_t)plan->list.n, sizeof *all, by_rank);
    return all;
}

static void print_launches_of(const Variant *v, FILE *f) {
    const unsigned *block = variant_launch(v);
    if (block[0]) fprintf(f, " block %ux%ux%u", block[0], block[1], block[2]);
    if (v->along) fprintf(f, " along %c", 'x' + v->along);
    if (v->below) fprintf(f, " below %d", v->below);
}

static void print_spec(const VariantSpec *s, int number, FILE *f) {
    if (s->rank >= 0) fprintf(f, "  %d:", number);
    else fprintf(f, "  beside:");
    fprintf(f, " %s w%d x%d %s", variant_kind_name(s->kind), s->v.width, s->vectors, layout_names[s->v.layout]);
    print_launches_of(&s->v, f);
    fprintf(f, "  (%s)\n", s->why);
}

/* Which of them a launch of several blocks takes, if no time speaks against it. */
static void print_choice(const VariantPlan *plan, const VariantSpec **list, const unsigned b[3], FILE *f) {
    static const uint32_t grid[3] = {1024, 1, 1};
    for (int i = 0; i < plan->list.n && list[i]->rank >= 0; i++) {
        const CucpuVariant row = variant_row(&list[i]->v);
        if (!cucpu_variant_fits(plan->flags, &row, grid, b)) continue;
        fprintf(f, "  launch %ux%ux%u: %d\n", b[0], b[1], b[2], i + 1);
        return;
    }
}

void print_plan(const VariantPlan *plan, FILE *f) {
    Arena a = {0};
    const VariantSpec **list = sorted(&a, plan);
    unsigned b[3];
    bool known;
    fprintf(f, "%s:\n", value_name(plan->kernel));
    for (int i = 0; i < plan->list.n; i++) print_spec(list[i], i + 1, f);
    for (const char *at = plan->launches; next_block(&at, b, &known);)
        if (known && is_block(b)) print_choice(plan, list, b, f);
    arena_free(&a);
}
