/* make_variants: one copy of a kernel for each way in which its threads become lanes.
**
** Width 1 needs one copy: with one lane every block is "rows full".  Wider kernels get ROWS_FULL
** (whole groups inside a row, no masks), ROWS (one-dimensional blocks with a masked tail) and
** GENERAL (any block).  Kernels that look at warps take groups of whole warps in linear order,
** or width 1 (where split_warps makes them stop for each other).
**
** Kernels of bytes and shorts get ROWS_FULL with more lanes as well (choose_wide_rows), for blocks whose rows fill them.
** Where times are to tell whether one lane is faster (choose_width) there is a copy for it beside the others.
** Kernels with rows of threads get it with fewer lanes, for blocks of shorter rows (narrow_rows).
** Large kernels do without ROWS, and without ROWS_FULL where all launches are known to take another: GENERAL is right for these
** blocks as well, and the time of a compilation is that of its variants.  So do smaller ones whose launches are all known, where kernels
** are large together: nobody may ever launch them otherwise.  Where kernels are many and large together, those of some
** size do so, and have neither more lanes for some blocks nor code of one lane beside that of several: the one that is estimated faster.
**
** A kernel with .reqntid gets the one variant that it can be launched with.  Where blockDims are known
** from launches (cucpu.launches), up to two more variants take these alone: blockDim is a constant
** there, so group loops have constant trips, and rows shorter than a group fill it with patterns; the threads of a column, 1 x n, are
** consecutive lanes (taken behind rows of neighbouring blocks, where these exist and are estimated faster).  A block of one row may be
** compiled as one of several, or with lanes along y (fold_block); blocks that are not known may have lanes along y or z as well.
** The order in which blocks follow each other (block_order) is one for all variants of a kernel. */
#include "passes/passes.h"
#include "passes/analysis/waits.h"
#include "passes/analysis/warp_synchronous.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "cpu-runtime/abi.h"
#include <stdio.h>
#include <string.h>

enum { LARGE = 3000, LARGE_AMONG_MANY = 1000 }; /* instructions of a kernel */
/* Percent: as much longer one lane must take, as estimated, for several lanes of large kernels among many, which have one code. */
enum { CLEARLY_FASTER = 150 };
enum { SEVERAL = 15000, MANY = 60000 }; /* instructions of all kernels */

static const char *const layout_names[] = {"rows_full", "rows", "general"};

/* It is for clusters of several blocks, or asks for its place in one. */
static bool knows_clusters(LLVMValueRef fn) {
    unsigned blocks[3];
    fn_attr_three(fn, ATTR_CLUSTER, blocks);
    bool knows = blocks[0] * blocks[1] * blocks[2] > 1;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            Name n = name_of_call(i);
            knows |= n >= NAME_CLUSTER_X && n <= NAME_CLUSTER_SET;
        }
    return knows;
}

static unsigned kernel_flags(LLVMValueRef fn, const MemorySpaces *memory, bool polls) {
    unsigned len, flags = (fn_attr(fn, ATTR_JOINED, &len) ? CUCPU_KERNEL_JOINED : 0) | (polls ? CUCPU_KERNEL_POLLS : 0);
    if (fn_attr(fn, ATTR_FLUSH, &len)) flags |= CUCPU_KERNEL_FLUSH;
    if (fn_attr(fn, ATTR_EXPLICIT_CLUSTER, &len)) flags |= CUCPU_KERNEL_EXPLICIT_CLUSTER;
    if (polls && knows_clusters(fn)) flags |= CUCPU_KERNEL_CLUSTER;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
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
    const bool *loops = waits_polling_loops(a, c);
    for (int x = 0; x < c->nloops; x++)
        if (loops[x]) return true;
    return false;
}

/* In a column the thread's number in the block is all of its id, which is consecutive lanes instead of a pattern. */
static LLVMValueRef replace_by_linear(Module *m, LLVMValueRef id) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderBefore(b, id);
    LLVMValueRef linear = name_call(b, m->mod, NAME_LINEAR, NULL, 0, "");
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(id, linear);
    LLVMInstructionEraseFromParent(id);
    return linear;
}

/* blockDim is a constant, and ids are below it. */
static void fix_block(Module *m, LLVMValueRef fn, const unsigned block[3]) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx);
    unsigned range = LLVMGetEnumAttributeKindForName("range", 5);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            bool size = n >= NAME_NTID_X && n <= NAME_NTID_Z, id = n >= NAME_TID_X && n <= NAME_TID_Z;
            if (size || (id && block[n - NAME_TID_X] == 1)) {
                LLVMReplaceAllUsesWith(i, LLVMConstInt(i32, size ? block[n - NAME_NTID_X] : 0, 0));
                LLVMInstructionEraseFromParent(i);
            } else if (id) {
                uint64_t lo = 0, hi = block[n - NAME_TID_X];
                if (n > NAME_TID_X && (int)(n - NAME_TID_X) == cucpu_column(block)) i = replace_by_linear(m, i);
                LLVMAddCallSiteAttribute(i, LLVMAttributeReturnIndex,
                                         LLVMCreateConstantRangeAttribute(m->ctx, range, 32, &lo, &hi));
            }
        }
}

static void restrict_to(Module *m, LLVMValueRef variant, const unsigned block[3]) {
    fn_set_attr(variant, ATTR_BLOCK, arena_printf(&m->arena, "%u,%u,%u", block[0], block[1], block[2]));
    fix_block(m, variant, block);
}

/* A copy of `from`, which is the kernel or a variant of it for any block.  launch: of a folded block, else NULL. */
static LLVMValueRef clone_variant(Module *m, LLVMValueRef from, const char *base, int width, Layout layout,
                                  const unsigned block[3], const unsigned launch[3]) {
    char *name = arena_printf(&m->arena, "%s.w%d.%s", base, width, layout_names[layout]);
    const unsigned *named = launch ? launch : block;
    if (named) name = arena_printf(&m->arena, "%s.%ux%ux%u", name, named[0], named[1], named[2]);
    LLVMValueRef copy = shim_clone_function(from, name);
    fn_set_attr(copy, ATTR_BASE, base);
    fn_set_attr(copy, ATTR_WIDTH, arena_printf(&m->arena, "%d", width));
    fn_set_attr(copy, ATTR_LAYOUT, arena_printf(&m->arena, "%d", (int)layout));
    if (launch) fold_block(m, copy, launch, block);
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
    /* short vectors (float4) become scalars: a lane holds one value, a group a vector of them; range tests one behind the other
    ** become one, about which copy_unmasked asks a group as a whole */
    if (width == 1) {
        inline_retries(m, copy);
        inline_exchanges(m, copy);
        return copy;
    }
    run_llvm_passes_on(m, copy,
                       "simplifycfg<bonus-inst-threshold=6>,scalarizer<load-store>,instcombine<no-verify-fixpoint>");
    /* instcombine knows from the branches around a division that some guards never act: for a thread
    ** that runs it, but not for a lane that is switched off there */
    restore_normal_form(m, copy);
    return copy;
}

static LLVMValueRef add_folded(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3],
                               const unsigned launch[3]) {
    size_t len;
    return simplify_variant(m, clone_variant(m, fn, LLVMGetValueName2(fn, &len), width, layout, block, launch), width);
}

LLVMValueRef add_variant(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]) {
    return add_folded(m, fn, width, layout, block, NULL);
}

/* ---- one blockDim ---- */

/* As the runtime would choose, but for groups of several short rows. */
static Layout layout_for(const unsigned block[3], int width, unsigned flags) {
    unsigned w = (unsigned)width;
    if (block[0] % w == 0) return LAYOUT_ROWS_FULL;
    if (block[1] * block[2] == 1) return LAYOUT_ROWS;
    if (cucpu_fills_groups(block, w)) return LAYOUT_GENERAL;
    return !(flags & CUCPU_KERNEL_WARP) && block[0] >= CUCPU_SHORT_ROW(w) ? LAYOUT_ROWS : LAYOUT_GENERAL;
}

static bool is_block(const unsigned b[3]) {
    return b[0] && b[1] && b[2] && b[0] <= 1024 && b[1] <= 1024 && b[2] <= 64 && b[0] * b[1] * b[2] <= 1024;
}

static bool may_be_narrow(unsigned flags) { return !(flags & (CUCPU_KERNEL_WARP | CUCPU_KERNEL_JOINED)); }

/* ---- lanes without a thread ---- */

/* Groups of the block in this layout, to groups of a block that has neither idle lanes nor several rows. */
static double group_gain(const unsigned block[3], int width, Layout layout) {
    unsigned w = (unsigned)width, lanes = layout == LAYOUT_GENERAL ? block[0] * block[1] * block[2] : block[0];
    double share = (double)lanes / ((lanes + w - 1) / w * w);
    return layout == LAYOUT_GENERAL && !cucpu_in_order(block, w, true) ? share * CUCPU_ANYWHERE : share;
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
    size_t len;
    const char *base = LLVMGetValueName2(fn, &len);
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

/* The same for blocks of any size: with this many lanes, and for shorter columns with half of them. */
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
    if (!(gain > 0 && gain < 1) && folded_block(m, fn, width, block, rows)) {
        add_folded(m, fn, width, LAYOUT_ROWS_FULL, rows, block);
        return;
    }
    if (add_swapped(m, fn, width, block)) return;
    if (may_be_narrow(flags) && row < width && narrow_rows(m, fn, width, 2 * row, block) == row)
        gain *= (double)row / width, width = row;
    Layout layout = layout_for(block, width, flags);
    if (gain > 0 && gain * group_gain(block, width, layout) < 1) width = 1, layout = LAYOUT_ROWS_FULL;
    LLVMValueRef copy = add_variant(m, fn, width, layout, block);
    if (flags & CUCPU_KERNEL_JOINED && cucpu_column(block) && width > 1 && !column_is_faster(m, fn, copy, width, block))
        fn_set_attr(copy, ATTR_BEHIND, "");
}

/* Code for a blockDim of its own pays where lanes or whole groups of the others' would be idle, or
** where it is loops over groups that run: barriers; and where tiles are transposed there.  Not where blocks are joined to rows of any length, columns are none. */
static bool worth_it(Module *m, LLVMValueRef fn, unsigned flags, int width, bool tiles, const unsigned block[3]) {
    unsigned rows[3];
    if (is_block(block) && folded_block(m, fn, width, block, rows)) return true;
    if (!is_block(block) || (flags & CUCPU_KERNEL_JOINED && block[1] * block[2] > 1 && !cucpu_column(block)))
        return false;
    return tiles || layout_for(block, width, flags) != LAYOUT_ROWS_FULL || (flags & CUCPU_KERNEL_BARRIER);
}

enum {
    OWN_BLOCKS = 4,
    OWN_BLOCKS_OF_LARGE = 2,
    SMALL = 500
}; /* blockDims that get variants of their own; instructions */

/* Kernels with __launch_bounds__ are mostly launched with just as many threads. */
static const char *usual_block(Module *m, LLVMValueRef fn) {
    enum { USUAL = 256, USUAL_ROW = 16 };
    unsigned most[3], threads = USUAL;
    fn_attr_three(fn, ATTR_MAXNTID, most);
    if (most[1] > 1) return arena_printf(&m->arena, "%u,%u,%u", most[0], most[1], most[2]);
    if (most[0]) threads = most[0];
    if (!asks_for(fn, 1)) return arena_printf(&m->arena, "%u,1,1", threads);
    return arena_printf(&m->arena, "%u,%u,1", USUAL_ROW, threads / USUAL_ROW);
}

/* What kernels are mostly launched with, and what this one seems to be, where no host code says. */
static const char *usual_blocks(Module *m, LLVMValueRef fn) {
    unsigned len;
    const char *guess = fn_attr(fn, ATTR_USUAL, &len);
    if (guess) return arena_printf(&m->arena, "%.*s;%s", len, guess, usual_block(m, fn));
    return usual_block(m, fn);
}

static bool is_large(const Module *m, LLVMValueRef fn) {
    return function_size(fn) > (m->many_kernels ? LARGE_AMONG_MANY : LARGE);
}

static unsigned most_own(const Module *m, LLVMValueRef fn) {
    return !m->many_kernels && function_size(fn) <= SMALL ? OWN_BLOCKS : OWN_BLOCKS_OF_LARGE;
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
    bool made; /* its variant is there: lanes along y */
} OwnBlock;

/* Those of launches for which code of its own pays; *others: there are more launches, or some that are not known. */
static unsigned blocks_of_launches(Module *m, LLVMValueRef fn, int width, unsigned flags, bool tiles,
                                   OwnBlock own[OWN_BLOCKS], bool *others) {
    unsigned len, n = 0, most = most_own(m, fn);
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
        bool made = known && n < most && is_block(b) && add_swapped(m, fn, width, b);
        if (made || (known && n < most && worth_it(m, fn, flags, width, tiles, b)))
            own[n++] = (OwnBlock){{b[0], b[1], b[2]}, made};
        else *others = true;
    }
    return n;
}

/* Else blocks for which groups are no good have variants of their own. */
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
            LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), value, 0));
            LLVMInstructionEraseFromParent(i);
        }
}

static bool be_quiet(Module *m) {
    bool remarks = m->diag.remarks;
    m->diag.remarks = false;
    return remarks;
}

/* The variant that counts privately: for the block that is known, if it is one, else for any of full rows. */
static void add_counting(Module *m, LLVMValueRef fn, unsigned flags, const unsigned block[3]) {
    LLVMValueRef copy = counting_copy(m, fn);
    size_t len;
    if (!copy) return;
    bool remarks = be_quiet(m); /* its remarks would be those of the kernel */
    Width choice = choose_width(m, copy);
    m->diag.remarks = remarks;
    int width = choice.scalar_first ? 1 : choice.lanes;
    Layout layout = block && width > 1 ? layout_for(block, width, flags) : LAYOUT_ROWS_FULL;
    LLVMValueRef variant = add_variant(m, copy, width, layout, width > 1 ? block : NULL);
    fn_set_attr(variant, ATTR_BASE, LLVMGetValueName2(fn, &len));
    LLVMDeleteFunction(copy);
}

/* The variant in which a row of blocks marches together; its entry calls that of the variant for full rows (kernel_table). */
static void add_marching(Module *m, LLVMValueRef fn, int width) {
    LLVMValueRef copy = marching_copy(m, fn, width);
    size_t len;
    if (!copy) return;
    LLVMValueRef variant = add_variant(m, copy, width, LAYOUT_ROWS_FULL, NULL);
    fn_set_attr(variant, ATTR_BASE, LLVMGetValueName2(fn, &len));
    LLVMDeleteFunction(copy);
}

/* A copy in which tiles are transposed, for estimates: for the first of the blocks that the kernel is launched with, all of which are known
** and have variants of their own; NULL: no tile is. */
static LLVMValueRef with_tiles(Module *m, LLVMValueRef fn) {
    unsigned len, n, block[3] = {0, 1, 1}, others = 0;
    const char *launches = fn_attr(fn, ATTR_REQNTID, &n);
    if (!launches && !pass_disabled(m, "launch_sites")) launches = fn_attr(fn, ATTR_LAUNCHES, &n);
    if (!launches || !fn_attr(fn, ATTR_ARRAYS, &len)) return NULL;
    for (unsigned i = 0; i < n; i++) others += launches[i] == ';' ? 1 : launches[i] == '?' ? OWN_BLOCKS : 0;
    sscanf(arena_printf(&m->arena, "%.*s", (int)n, launches), "%u,%u,%u", &block[0], &block[1], &block[2]);
    if (!is_block(block) || others >= most_own(m, fn)) return NULL;
    int width = (int)m->vector_bits / 32;
    LLVMValueRef copy = clone_variant(m, fn, "cucpu.tried", width, layout_for(block, width, 0), block, NULL);
    Kernel k = kernel_of(m, copy, &m->arena);
    bool remarks = be_quiet(m), transposed = transpose_tiles(&k);
    m->diag.remarks = remarks;
    if (transposed) return copy;
    LLVMDeleteFunction(copy);
    return NULL;
}

/* Without trials, rows that fill just more than half of their lanes may be better off with one lane: blockDim tells, at the launch. */
static bool leaves_to_block(LLVMValueRef fn, const Width *choice) {
    double least_in_use = (choice->lanes + 1) / (2.0 * choice->lanes);
    return choice->gain > 0 && choice->gain * least_in_use < 1 && has_unknown_launches(fn);
}

static unsigned flags_of_codes(const Width *choice, bool untried) {
    return (choice->scalar_first ? CUCPU_KERNEL_SCALAR_FIRST : 0) | (choice->sums ? CUCPU_KERNEL_SUMS : 0) |
           (untried ? CUCPU_KERNEL_UNTRIED : 0);
}

/* Of all variants alike: a launch may run some blocks by one of them and some by another. */
static unsigned order_blocks(Module *m, LLVMValueRef fn, unsigned flags) {
    size_t len;
    int along = block_order(m, fn, flags);
    if (!along) return flags;
    diag_remark(&m->diag, fn, "%s: blocks follow each other along %c, as what they access does",
                LLVMGetValueName2(fn, &len), 'x' + along);
    fn_set_attr(fn, ATTR_ORDER, along == 1 ? "1" : "2");
    LLVMRemoveStringAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, ATTR_JOINED,
                                     sizeof ATTR_JOINED - 1);
    return flags & ~(unsigned)CUCPU_KERNEL_JOINED;
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
    LLVMValueRef tried = m->opt->simd == 1 ? NULL : with_tiles(m, fn);
    Width choice = choose_width(m, tried ? tried : fn);
    bool tiles = tried != NULL;
    if (tiles) LLVMDeleteFunction(tried);
    bool few = m->many_kernels && is_large(m, fn);
    if (few && choice.scalar)
        choice = (Width){.lanes = choice.scalar_first || choice.scalar < CLEARLY_FASTER ? 1 : choice.lanes};
    int width = choice.lanes, warp = m->opt->warp_size;
    if (flags & CUCPU_KERNEL_WARP) choice.gain = 0;
    if (flags & CUCPU_KERNEL_WARP && width != warp && m->opt->simd != 1) {
        size_t len;
        if (m->opt->simd)
            diag_remark(&m->diag, fn, "%s: width %d instead of %d: functions of the warp take whole warps",
                        LLVMGetValueName2(fn, &len), warp, width);
        width = warp;
    }
    fn_attr_three(fn, ATTR_REQNTID, block);
    bool untried = !few && !is_block(block) && leaves_to_block(fn, &choice);
    if (untried) choice.scalar = (int)(choice.gain * 100);
    if (choice.scalar)
        fn_set_attr(add_variant(m, fn, 1, LAYOUT_ROWS_FULL, is_block(block) ? block : NULL), ATTR_SCALAR,
                    arena_printf(&m->arena, "%d", choice.scalar));
    unsigned codes = flags_of_codes(&choice, untried);
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
    size_t len;
    const char *base = LLVMGetValueName2(fn, &len);
    OwnBlock own[OWN_BLOCKS];
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
    if (full && !few) add_marching(m, fn, widest);
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
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
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
