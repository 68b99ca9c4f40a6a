/* make_variants: one copy of a kernel for each mapping of its threads to lanes.
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
** one: only the one that is estimated faster.
**
** A kernel with .reqntid gets the one variant that it can be launched with. Where blockDims are known from launches
** (cucpu.launches), up to two more variants take these alone: blockDim is a constant there, so group loops have
** constant trip counts, and rows shorter than a group fill it with patterns; the threads of a column, 1 x n, are
** consecutive lanes (ordered after rows of neighbouring blocks, where these exist and are estimated faster). A block of
** one row may be compiled as one of several, or with lanes along y (reshape_block); blocks that are not known may have
** lanes along y or z as well.
** The order of blocks (block_order) is the same for all variants of a kernel. */
#include "passes/passes.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/spin_loops.h"
#include "passes/analysis/warp_synchronous.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "cpu-runtime/variants.h"
#include <stdio.h>
#include <string.h>

enum { LARGE = 3000, LARGE_AMONG_MANY = 1000 }; /* instructions of a kernel */
enum { SEVERAL = 15000, MANY = 60000 };         /* instructions of all kernels */

static const char *const layout_names[] = {"rows_full", "rows", "general"};

/* It is for clusters of several blocks, or queries its index in one. */
static bool knows_clusters(LLVMValueRef fn) {
    unsigned blocks[3];
    fn_attr_three(fn, ATTR_CLUSTER, blocks);
    bool knows = blocks[0] * blocks[1] * blocks[2] > 1;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        knows |= n >= NAME_CLUSTER_X && n <= NAME_CLUSTER_SET;
    }
    return knows;
}

static unsigned kernel_flags(LLVMValueRef fn, const MemorySpaces *memory, bool polls) {
    unsigned len, flags = (fn_attr(fn, ATTR_JOINED, &len) ? CUCPU_KERNEL_JOINED : 0) | (polls ? CUCPU_KERNEL_POLLS : 0);
    if (flags & CUCPU_KERNEL_JOINED && calls_name(fn, NAME_NCTAID_X, NAME_NCTAID_Z)) flags |= CUCPU_KERNEL_GRID_STRIDE;
    if (fn_attr(fn, ATTR_FLUSH, &len)) flags |= CUCPU_KERNEL_FLUSH;
    if (fn_attr(fn, ATTR_EXPLICIT_CLUSTER, &len)) flags |= CUCPU_KERNEL_EXPLICIT_CLUSTER;
    if (polls && knows_clusters(fn)) flags |= CUCPU_KERNEL_CLUSTER;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (name_is_barrier(n)) flags |= CUCPU_KERNEL_BARRIER;
        if (n == NAME_GRID_SYNC) flags |= CUCPU_KERNEL_GRID_SYNC;
        if (name_is_cluster(n) || n == NAME_CLUSTER_BASE) flags |= CUCPU_KERNEL_CLUSTER;
        if (is_warp_synchronous(memory, i, polls)) flags |= CUCPU_KERNEL_WARP;
        if (name_is_warp_op(n) || n == NAME_LANE) flags |= CUCPU_KERNEL_WARP;
    }
    return flags;
}

/* Some loop may wait for another block. */
static bool polls(Arena *a, LLVMValueRef fn) {
    Cfg *c = cfg_build(a, fn);
    const bool *loops = find_spin_loops(a, c);
    for (int x = 0; x < c->nloops; x++)
        if (loops[x]) return true;
    return false;
}

/* In a column the linear index of the thread is all of its id: consecutive lanes instead of a pattern. */
static LLVMValueRef replace_id_by_linear(Module *m, LLVMValueRef id) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderBefore(b, id);
    LLVMValueRef linear = name_call(b, m->mod, NAME_LINEAR, NULL, 0, "");
    LLVMDisposeBuilder(b);
    replace_instruction(id, linear);
    return linear;
}

/* blockDim is a constant, and ids are below it. */
static void fix_block(Module *m, LLVMValueRef fn, const unsigned block[3]) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx);
    unsigned range = LLVMGetEnumAttributeKindForName("range", 5);
    for_each_block(b, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            bool size = n >= NAME_NTID_X && n <= NAME_NTID_Z, id = n >= NAME_TID_X && n <= NAME_TID_Z;
            if (size || (id && block[n - NAME_TID_X] == 1)) {
                replace_instruction(i, LLVMConstInt(i32, size ? block[n - NAME_NTID_X] : 0, 0));
            } else if (id) {
                uint64_t lo = 0, hi = block[n - NAME_TID_X];
                if (n > NAME_TID_X && (int)(n - NAME_TID_X) == cucpu_column(block)) i = replace_id_by_linear(m, i);
                LLVMAddCallSiteAttribute(i, LLVMAttributeReturnIndex,
                                         LLVMCreateConstantRangeAttribute(m->ctx, range, 32, &lo, &hi));
            }
        }
}

static void restrict_to(Module *m, LLVMValueRef variant, const unsigned block[3]) {
    fn_set_attr(variant, ATTR_BLOCK, arena_printf(&m->arena, "%u,%u,%u", block[0], block[1], block[2]));
    fix_block(m, variant, block);
}

/* A copy of `from`, which is the kernel or a variant of it for any block. launch: of a reshaped block, else NULL. */
static LLVMValueRef clone_variant(Module *m, LLVMValueRef from, const char *base, int width, Layout layout,
                                  const unsigned block[3], const unsigned launch[3]) {
    char *name = arena_printf(&m->arena, "%s.w%d.%s", base, width, layout_names[layout]);
    const unsigned *named = launch ? launch : block;
    if (named) name = arena_printf(&m->arena, "%s.%ux%ux%u", name, named[0], named[1], named[2]);
    LLVMValueRef copy = shim_clone_function(from, name);
    fn_set_attr(copy, ATTR_BASE, base);
    fn_set_attr(copy, ATTR_WIDTH, arena_printf(&m->arena, "%d", width));
    fn_set_attr(copy, ATTR_LAYOUT, arena_printf(&m->arena, "%d", (int)layout));
    if (width == 1) widen_global_ids(m, copy);
    if (launch) reshape_block(m, copy, launch, block);
    if (block) restrict_to(m, copy, block);
    return copy;
}

/* Functions of the warp that vectorise_calls made calls, which no single lane can make. */
static void inline_exchanges(Module *m, LLVMValueRef fn) {
    Vec(LLVMValueRef) calls = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (name_of_call(i) == NAME_CALLED) vec_push(&m->arena, &calls, i);
    for (int k = 0; k < calls.n; k++) shim_inline_call(calls.v[k]);
    if (calls.n) restore_normal_form(m, fn);
}

static LLVMValueRef simplify_variant(Module *m, LLVMValueRef copy, int width) {
    /* short vectors (float4) are scalarised: a lane holds one value, a group a vector of them; consecutive range tests
    ** become one, which version_all_active tests for all lanes */
    if (width == 1) {
        inline_cas_loops(m, copy);
        inline_exchanges(m, copy);
        return copy;
    }
    run_llvm_passes_on(m, copy,
                       "simplifycfg<bonus-inst-threshold=6>,scalarizer<load-store>,instcombine<no-verify-fixpoint>");
    /* instcombine knows from the branches around a division that some guards are always true: for a thread that runs
    ** it, but not for an inactive lane */
    restore_normal_form(m, copy);
    return copy;
}

static LLVMValueRef add_folded(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3],
                               const unsigned launch[3]) {
    return simplify_variant(m, clone_variant(m, fn, value_name(fn), width, layout, block, launch), width);
}

LLVMValueRef add_variant(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]) {
    return add_folded(m, fn, width, layout, block, NULL);
}

/* ---- one blockDim ---- */

/* As the runtime would choose, but for groups of several short rows. */
static Layout layout_for(const unsigned block[3], int width, unsigned flags) {
    unsigned w = (unsigned)width;
    if (cucpu_layout_fits(CUCPU_LAYOUT_ROWS_FULL, w, flags, 1, block)) return LAYOUT_ROWS_FULL;
    if (block[1] * block[2] > 1 && cucpu_fills_groups(block, w)) return LAYOUT_GENERAL;
    return cucpu_layout_fits(CUCPU_LAYOUT_ROWS, w, flags, 1, block) ? LAYOUT_ROWS : LAYOUT_GENERAL;
}

static bool is_block(const unsigned b[3]) {
    return b[0] && b[1] && b[2] && b[0] <= 1024 && b[1] <= 1024 && b[2] <= 64 && b[0] * b[1] * b[2] <= 1024;
}

static bool may_be_narrow(unsigned flags) { return !(flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_JOINED)); }

/* ---- lanes without a thread ---- */

/* Groups of the block in this layout, relative to groups of a block that has neither idle lanes nor several rows. */
static double group_gain(const unsigned block[3], int width, Layout layout, unsigned flags) {
    const CucpuVariant v = {
        .width = (uint32_t)width, .layout = (uint32_t)layout, .block = {block[0], block[1], block[2]}};
    return cucpu_lanes_in_use(flags, &v, block);
}

/* If it is estimated faster. */
static bool keep_swapped(Module *m, LLVMValueRef fn, int width, LLVMValueRef copy, int lanes, const unsigned block[3]) {
    unsigned len, percent = swapped_time(m, fn, width, copy, lanes, block);
    if (!percent) {
        LLVMDeleteFunction(copy);
        return false;
    }
    fn_set_attr(copy, ATTR_ALONG_TIME, arena_printf(&m->arena, "%u", percent));
    if (fn_attr(copy, ATTR_JOINED, &len))
        fn_set_attr(fn, ATTR_FLAGS,
                    arena_printf(&m->arena, "%ld", fn_attr_int(fn, ATTR_FLAGS, 0) | CUCPU_KERNEL_TOGETHER));
    return true;
}

/* With lanes along this dimension; as: the block with x and that swapped, NULL = any. */
static LLVMValueRef clone_swapped(Module *m, LLVMValueRef fn, int lanes, int dimension, const unsigned as[3],
                                  const unsigned launch[3]) {
    static const char *const along[] = {"", "along_y", "along_z"};
    const char *base = value_name(fn);
    LLVMValueRef copy = clone_variant(m, fn, base, lanes, LAYOUT_ROWS_FULL, NULL, NULL);
    char *name = arena_printf(&m->arena, "%s.w%d.%s", base, lanes, along[dimension]);
    swap_dimension(m, copy, dimension);
    if (as) {
        name = arena_printf(&m->arena, "%s.%ux%ux%u", name, launch[0], launch[1], launch[2]);
        fn_set_attr(copy, ATTR_LAUNCH, arena_printf(&m->arena, "%u,%u,%u", launch[0], launch[1], launch[2]));
        restrict_to(m, copy, as);
    }
    LLVMSetValueName2(copy, name, strlen(name));
    return simplify_variant(m, copy, lanes);
}

/* Lanes along y or z, where that is estimated faster. */
static bool add_swapped(Module *m, LLVMValueRef fn, int width, const unsigned block[3]) {
    unsigned as[3];
    for (int dimension = 1; dimension <= 2; dimension++) {
        int lanes = swapped_block(m, fn, width, block, dimension, as);
        if (lanes && keep_swapped(m, fn, width, clone_swapped(m, fn, lanes, dimension, as, block), lanes, as))
            return true;
    }
    return false;
}

/* The same for blocks of any size: with this width, and for shorter columns with half of it. */
static void add_columns(Module *m, LLVMValueRef fn, int width) {
    static const unsigned any[3];
    bool kept = false;
    for (int dimension = 1; dimension <= 2 && !kept; dimension++)
        for (int lanes = may_swap_dimension(m, fn, width, dimension) ? width : 0; lanes > 1 && lanes >= width / 2;
             lanes /= 2) {
            if (!keep_swapped(m, fn, width, clone_swapped(m, fn, lanes, dimension, NULL, NULL), lanes, any)) break;
            kept = true;
        }
}

/* gain: of Width, 0 = keep the width. */
static void add_for_block(Module *m, LLVMValueRef fn, int width, double gain, unsigned flags, const unsigned block[3]) {
    int row = (int)block[0];
    unsigned rows[3];
    if (!is_block(block)) return;
    if (!(gain > 0 && gain < 1) && reshaped_block(m, fn, width, block, rows)) {
        add_folded(m, fn, width, LAYOUT_ROWS_FULL, rows, block);
        return;
    }
    if (add_swapped(m, fn, width, block)) return;
    if (may_be_narrow(flags) && row < width && narrow_rows(m, fn, width, 2 * row, block) == row)
        gain *= (double)row / width, width = row;
    Layout layout = layout_for(block, width, flags);
    if (gain > 0 && gain * group_gain(block, width, layout, flags) < 1) width = 1, layout = LAYOUT_ROWS_FULL;
    LLVMValueRef copy = add_variant(m, fn, width, layout, block);
    if (flags & CUCPU_KERNEL_JOINED && cucpu_column(block) && width > 1 && !column_is_faster(m, fn, copy, width, block))
        fn_set_attr(copy, ATTR_AFTER_ROWS, "");
}

/* A variant for a known blockDim is profitable where lanes or whole groups of the others would be idle, or where loops
** over groups run: barriers; and where tiles are transposed in it. Not where blocks are joined to rows of any length,
** columns are none. */
static bool is_profitable(Module *m, LLVMValueRef fn, unsigned flags, int width, bool tiles, const unsigned block[3]) {
    unsigned rows[3];
    if (is_block(block) && reshaped_block(m, fn, width, block, rows)) return true;
    if (!is_block(block) || (flags & CUCPU_KERNEL_JOINED && block[1] * block[2] > 1 && !cucpu_column(block)))
        return false;
    return tiles || layout_for(block, width, flags) != LAYOUT_ROWS_FULL || (flags & CUCPU_KERNEL_BARRIER);
}

enum { MAX_BLOCKS = 4, MAX_BLOCKS_OF_LARGE = 2, SMALL = 500 }; /* blockDims that get variants; instructions */

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

static bool is_large(const Module *m, LLVMValueRef fn) {
    return function_size(fn) > (m->many_kernels ? LARGE_AMONG_MANY : LARGE);
}

static unsigned max_blocks(const Module *m, LLVMValueRef fn) {
    return !m->many_kernels && function_size(fn) <= SMALL ? MAX_BLOCKS : MAX_BLOCKS_OF_LARGE;
}

/* No launch is known, and known blocks matter. */
static bool needs_guess(const Module *m, LLVMValueRef fn, unsigned flags, const char *launches) {
    unsigned len;
    if (launches ? strpbrk(launches, "0123456789") != NULL : m->opt->host != NULL) return false;
    return fn_attr(fn, ATTR_SUMS, &len) ? !launches
                                        : (flags & CUCPU_KERNEL_BARRIER) && !(m->many_kernels && is_large(m, fn));
}

typedef struct OwnBlock {
    unsigned size[3];
    bool made; /* its variant exists: lanes along y */
} OwnBlock;

/* Blocks of launches for which a variant is profitable; *others: there are more launches, or some that are not
** known. */
static unsigned blocks_of_launches(Module *m, LLVMValueRef fn, int width, unsigned flags, bool tiles,
                                   OwnBlock own[MAX_BLOCKS], bool *others) {
    unsigned len, n = 0, maximum = max_blocks(m, fn);
    const char *text = fn_attr(fn, ATTR_LAUNCHES, &len);
    if (text) text = arena_printf(&m->arena, "%.*s", (int)len, text);
    *others = !text;
    if (!text) text = m->opt->blocks;
    if (needs_guess(m, fn, flags, text)) *others = true, text = usual_blocks(m, fn);
    if (!text || pass_disabled(m, "launch_sites")) return *others = true, 0;
    for (const char *p = text; p; p = strchr(p, ';'), p += p != NULL) {
        unsigned b[3] = {0, 1, 1};
        bool known = *p != '?' && sscanf(p, "%u,%u,%u", &b[0], &b[1], &b[2]) > 0, done = false;
        for (unsigned i = 0; i < n; i++) done |= !memcmp(own[i].size, b, sizeof b);
        if (done) continue;
        bool made = known && n < maximum && is_block(b) && add_swapped(m, fn, width, b);
        if (made || (known && n < maximum && is_profitable(m, fn, flags, width, tiles, b)))
            own[n++] = (OwnBlock){{b[0], b[1], b[2]}, made};
        else *others = true;
    }
    return n;
}

/* Else blocks for which groups are bad get variants. */
static bool has_unknown_launches(LLVMValueRef fn) {
    unsigned len;
    const char *text = fn_attr(fn, ATTR_LAUNCHES, &len);
    return !text || memchr(text, '?', len);
}

/* For short rows of any block. */
static void add_narrow_rows(Module *m, LLVMValueRef fn, int width, unsigned flags) {
    if (!may_be_narrow(flags) || !has_unknown_launches(fn)) return;
    for (int n = width; (n = narrow_rows(m, fn, width, n, NULL));)
        fn_set_attr(add_variant(m, fn, n, LAYOUT_ROWS_FULL, NULL), ATTR_BELOW, arena_printf(&m->arena, "%d", width));
}

/* Bits of layouts. */
static unsigned wanted_layouts(const Module *m, LLVMValueRef fn, bool others) {
    unsigned all = 1u << LAYOUT_ROWS_FULL | 1u << LAYOUT_ROWS | 1u << LAYOUT_GENERAL;
    if (m->opt->layouts) return m->opt->layouts;
    bool waits = fn_attr_int(fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_BARRIER;
    if (!is_large(m, fn) && (others || !m->several_kernels)) return others || !waits ? all : all & ~(1u << LAYOUT_ROWS);
    all &= ~(1u << LAYOUT_ROWS);
    return others ? all : all & ~(1u << LAYOUT_ROWS_FULL);
}

/* Launches have the clusters that the kernel was compiled for. */
static void fix_cluster(LLVMValueRef fn) {
    unsigned blocks[3];
    fn_attr_three(fn, ATTR_CLUSTER, blocks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b && blocks[0]; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (n < NAME_CLUSTER_X || n > NAME_CLUSTER_SET) continue;
            unsigned value = n == NAME_CLUSTER_SET ? 1 : blocks[n - NAME_CLUSTER_X];
            replace_instruction(i, LLVMConstInt(LLVMTypeOf(i), value, 0));
        }
}

static bool be_quiet(Module *m) {
    bool remarks = m->diag.remarks;
    m->diag.remarks = false;
    return remarks;
}

/* The variant with private counters: for the block that is known, if there is only one, else for any of full rows. */
static void add_counting(Module *m, LLVMValueRef fn, unsigned flags, const unsigned block[3]) {
    LLVMValueRef copy = privatised_variant(m, fn);
    if (!copy) return;
    bool remarks = be_quiet(m); /* its remarks would repeat those of the kernel */
    Width choice = choose_width(m, copy);
    m->diag.remarks = remarks;
    int width = choice.scalar_first ? 1 : choice.lanes;
    Layout layout = block && width > 1 ? layout_for(block, width, flags) : LAYOUT_ROWS_FULL;
    LLVMValueRef variant = add_variant(m, copy, width, layout, width > 1 ? block : NULL);
    fn_set_attr(variant, ATTR_BASE, value_name(fn));
    LLVMDeleteFunction(copy);
}

/* The variant whose plane loop is interchanged; its entry calls that of the variant for full rows (kernel_table). */
static void add_interchanged(Module *m, LLVMValueRef fn, int width) {
    LLVMValueRef copy = plane_loop_variant(m, fn, width);
    if (!copy) return;
    LLVMValueRef variant = add_variant(m, copy, width, LAYOUT_ROWS_FULL, NULL);
    fn_set_attr(variant, ATTR_BASE, value_name(fn));
    LLVMDeleteFunction(copy);
}

/* A copy in which tiles are transposed, for estimates: for the first of the blocks that the kernel is launched with,
** all of which are known and have variants; NULL: no tile is. */
static LLVMValueRef with_tiles(Module *m, LLVMValueRef fn) {
    unsigned len, n, block[3] = {0, 1, 1}, others = 0;
    const char *launches = fn_attr(fn, ATTR_REQNTID, &n);
    if (!launches && !pass_disabled(m, "launch_sites")) launches = fn_attr(fn, ATTR_LAUNCHES, &n);
    if (!launches || !fn_attr(fn, ATTR_ARRAYS, &len)) return NULL;
    for (unsigned i = 0; i < n; i++) others += launches[i] == ';' ? 1 : launches[i] == '?' ? MAX_BLOCKS : 0;
    sscanf(arena_printf(&m->arena, "%.*s", (int)n, launches), "%u,%u,%u", &block[0], &block[1], &block[2]);
    if (!is_block(block) || others >= max_blocks(m, fn)) return NULL;
    int width = (int)m->vector_bits / 32;
    LLVMValueRef copy = clone_variant(m, fn, "cucpu.tried", width, layout_for(block, width, 0), block, NULL);
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

static unsigned flags_of_variants(const Width *choice, bool untried) {
    return (choice->scalar_first ? CUCPU_KERNEL_SCALAR_FIRST : 0) | (choice->sums ? CUCPU_KERNEL_SUMS : 0) |
           (untried ? CUCPU_KERNEL_UNTRIED : 0);
}

/* For all variants: a launch may run some blocks by one of them and some by another. */
static unsigned order_blocks(Module *m, LLVMValueRef fn, unsigned flags) {
    int along = block_order(m, fn, flags);
    if (!along) return flags;
    diag_remark(&m->diag, fn, BLOCK_ORDER, 'x' + along);
    fn_set_attr(fn, ATTR_ORDER, along == 1 ? "1" : "2");
    LLVMRemoveStringAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, ATTR_JOINED,
                                     sizeof ATTR_JOINED - 1);
    return flags & ~(unsigned)CUCPU_KERNEL_JOINED;
}

/* A function that is not inlined is told of the thread before it is called, which the lanes of a group share. */
static bool tells_thread(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (LLVMIsACallInst(i) && !strcmp(called_name(i), CHECK_THREAD)) return true;
    return false;
}

/* --check: the scalar variant is for races, for which the runtime must see each thread's accesses in its order, and for
** misuse of functions of the warp; one for groups, for all other checks. */
static void vary_checked(Module *m, LLVMValueRef fn, unsigned flags) {
    unsigned block[3];
    fn_attr_three(fn, ATTR_REQNTID, block);
    bool one_block = is_block(block);
    bool waits = flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS);
    int width = m->opt->simd || tells_thread(fn) || waits ? 1 : choose_width(m, fn).lanes;
    if (m->opt->simd > 1 && !waits) width = m->opt->simd;
    if (flags & CUCPU_KERNEL_WARP && width > 1) width = m->opt->warp_size;
    if (width > 1) fn_set_attr(add_variant(m, fn, 1, LAYOUT_ROWS_FULL, one_block ? block : NULL), ATTR_SCALAR, "100");
    if (width == 1 && one_block) add_variant(m, fn, 1, LAYOUT_ROWS_FULL, block);
    else if (one_block) add_variant(m, fn, width, layout_for(block, width, flags), block);
    else if (width == 1) add_variant(m, fn, 1, LAYOUT_ROWS_FULL, NULL);
    else
        for (int layout = LAYOUT_ROWS_FULL; layout <= LAYOUT_GENERAL; layout += LAYOUT_GENERAL - LAYOUT_ROWS_FULL)
            add_variant(m, fn, width, (Layout)layout, NULL);
}

static void vary(Module *m, LLVMValueRef fn) {
    fix_cluster(fn);
    const MemorySpaces *memory = memory_spaces(&m->arena, fn);
    unsigned flags = kernel_flags(fn, memory, polls(&m->arena, fn)) | (m->opt->shuffle ? CUCPU_KERNEL_SHUFFLE : 0),
             block[3];
    mark_block_atomics(m, fn, memory);
    flags = order_blocks(m, fn, flags);
    fn_set_attr(fn, ATTR_FLAGS, arena_printf(&m->arena, "%u", flags));
    if (!(flags & CUCPU_KERNEL_JOINED) && !shapes_has_row(fn)) fn_set_attr(fn, ATTR_ANY_ROW, "");
    unsigned long long step = shapes_step(fn);
    if (step) fn_set_attr(fn, ATTR_STEP, arena_printf(&m->arena, "%llu", step));
    if (pass_disabled(m, "uniform_values")) fn_set_attr(fn, ATTR_VECTOR_VALUES, "");
    if (pass_disabled(m, "uniform_control_flow")) fn_set_attr(fn, ATTR_LINEAR_FLOW, "");
    if (m->opt->check) {
        vary_checked(m, fn, flags);
        return;
    }
    LLVMValueRef tried = m->opt->simd == 1 ? NULL : with_tiles(m, fn);
    Width choice = choose_width(m, tried ? tried : fn);
    bool tiles = tried != NULL;
    if (tiles) LLVMDeleteFunction(tried);
    bool few = m->many_kernels && is_large(m, fn);
    if (few && choice.scalar)
        choice = (Width){.lanes = choice.scalar_first || choice.scalar < COST_UNTRIED * 100 ? 1 : choice.lanes};
    int width = choice.lanes, warp = m->opt->warp_size;
    if (flags & CUCPU_KERNEL_WARP) choice.gain = 0;
    if (flags & CUCPU_KERNEL_WARP && width != warp && m->opt->simd != 1) {
        if (m->opt->simd) diag_remark(&m->diag, fn, WHOLE_WARP, warp, width);
        width = warp;
    }
    fn_attr_three(fn, ATTR_REQNTID, block);
    bool untried = !few && !is_block(block) && leaves_to_block(fn, &choice);
    if (untried) choice.scalar = (int)(choice.gain * 100);
    if (choice.scalar)
        fn_set_attr(add_variant(m, fn, 1, LAYOUT_ROWS_FULL, is_block(block) ? block : NULL), ATTR_SCALAR,
                    arena_printf(&m->arena, "%d", choice.scalar));
    unsigned codes = flags_of_variants(&choice, untried);
    if (codes) fn_set_attr(fn, ATTR_FLAGS, arena_printf(&m->arena, "%u", flags | codes));
    if (is_block(block)) {
        add_for_block(m, fn, width, choice.gain, flags, block);
        add_counting(m, fn, flags, block);
        return;
    }
    if (width == 1) {
        add_variant(m, fn, width, LAYOUT_ROWS_FULL, NULL);
        add_counting(m, fn, flags, NULL);
        return;
    }
    const char *base = value_name(fn);
    OwnBlock own[MAX_BLOCKS];
    bool others;
    unsigned nown = blocks_of_launches(m, fn, width, flags, tiles, own, &others),
             wanted = wanted_layouts(m, fn, others);
    bool full = wanted >> LAYOUT_ROWS_FULL & 1;
    int widest = width;
    if (!(flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_BARRIER)) && full && !few)
        for (int wide = choose_wide_rows(m, fn, width); wide > width; wide /= 2) {
            fn_set_attr(add_variant(m, fn, wide, LAYOUT_ROWS_FULL, NULL), ATTR_WIDE, "");
            if (wide > widest) widest = wide;
        }
    if (full && !few) add_interchanged(m, fn, widest);
    if (full && !few) add_narrow_rows(m, fn, width, flags);
    if (full && others && !is_large(m, fn)) add_columns(m, fn, width);
    LLVMValueRef first = NULL; /* the others are copies of it */
    for (int layout = LAYOUT_ROWS_FULL; layout <= LAYOUT_GENERAL; layout++) {
        if (!(wanted >> layout & 1)) continue;
        if (layout == LAYOUT_GENERAL && choice.gain > 0 && choice.gain * CUCPU_ANYWHERE < 1)
            add_variant(m, fn, 1, LAYOUT_ROWS_FULL, NULL);
        else if (first) clone_variant(m, first, base, width, (Layout)layout, NULL, NULL);
        else first = add_variant(m, fn, width, (Layout)layout, NULL);
    }
    for (unsigned k = 0; k < nown; k++)
        if (!own[k].made) add_for_block(m, fn, width, choice.gain, flags, own[k].size);
    if (!few) add_counting(m, fn, flags, nown == 1 && !others ? own[0].size : NULL);
}

bool make_variants(Module *m) {
    Vec(LLVMValueRef) kernels = {0};
    find_launch_sites(m);
    for_each_function(f, m->mod) {
        unsigned len;
        if (fn_has_attr(f, ATTR_VECTOR)) continue;
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !fn_attr(f, ATTR_BASE, &len)) vec_push(&m->arena, &kernels, f);
    }
    long all = 0;
    for (int i = 0; i < kernels.n; i++) all += function_size(kernels.v[i]);
    m->several_kernels = all > SEVERAL && kernels.n > 1;
    m->many_kernels = all > MANY && kernels.n > 1;
    for (int i = 0; i < kernels.n; i++) vary(m, kernels.v[i]);
    add_vector_functions(m);
    return true;
}
