/* choose_width: the number of lanes of a kernel, from the user or by cost.
**
** Kernels with warp functions take whole warps, with a scalar variant beside it unless warps are estimated clearly
** faster. Others take as many lanes as fill one vector register with the type that dominates the kernel's arithmetic:
** 32-bit values unless most of it is 64-bit.
** Where there is 64-bit arithmetic, both widths are estimated (cost.h): twice the lanes take two registers for each
** wide value, but share scalar work, fill registers with narrow values, and hide latency. The same holds for 32-bit
** arithmetic, where registers have 256 bits or less: many processors execute 512 bits as two halves, which hides as
** much. And twice the lanes, up to 32, are taken where lanes share atomic operations: half as many are left.
** One lane is taken where gathers in loops that lanes leave one by one, or in which each lane goes through a row of its
** own, make up most of the time, and a group is not clearly faster than its threads one by one (lane_cost.h): rows of a
** matrix, sparse or not. And where gathers anywhere make up most of it, and a group is slower: a few neighbouring
** elements per thread, at indices from memory. And where there is no autotuning (below) and a group is not estimated
** clearly faster: it needs more of the cache, and LLVM makes vectors of loops over threads of width 1, less often
** between barriers, where a third is enough.
** How long gathers take, and how often lanes diverge, depends on data. Where neither is estimated much faster
** (COST_SURELY) there is a scalar variant beside the wide one (first to run where a group is estimated slower, but not
** between barriers: random kernels without them are, by a sixth with AVX-512, a quarter with SSE4), and the runtime
** times both (cpu-runtime/exec/online_autotune.c); not where results would depend on which ran.
** The rounding of float sums by atomics on global memory depends on timing anyway where several workers run: the
** variants are timed there, and a single worker takes what a kernel without autotuning would. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/order_observability.h"
#include "passes/ir/shim.h"
#include "passes/analysis/shapes/shapes.h"
#include "passes/analysis/width.h"
#include "passes/ir/value.h"
#include "cpu-runtime/variants.h"
#include <stdio.h>
#include <string.h>

static bool is_wide_element(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMDoubleTypeKind || (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 64);
}

/* Arithmetic that would run in vector registers; address computations do not count. */
static bool is_lane_work(LLVMValueRef i) {
    if (LLVMIsACallInst(i)) return name_of_call(i) == NAME_NONE;
    return (is_op(i, OP_FLOAT | OP_FCMP | OP_BITWISE | OP_LOAD) && opcode(i) != LLVMFRem) || opcode(i) == LLVMLShr;
}

/* The width, or that at which the other size fills a register, if it is estimated clearly faster; waits: only if a
** group waits for its own results. The estimate is kept as an attribute
** of the kernel, for reports. */
static int weigh(Module *m, LLVMValueRef fn, int width, int other, bool waits) {
    Arena a = {0};
    Cfg *c = cfg_build(&a, fn);
    bool reports = m->opt->remarks || m->opt->report;
    if (c->reducible && (other || reports) && !pass_disabled(m, "register_pressure")) {
        Liveness *live = liveness(&a, c, NULL, NULL);
        Cost p = cost_of_kernel(m, &a, c, live, width, LAYOUT_ROWS_FULL, NULL, false), o = {0};
        if (other) o = cost_of_kernel(m, &a, c, live, other, LAYOUT_ROWS_FULL, NULL, false);
        if (other && cost_is_lower(o.cycles, p.cycles) && (!waits || cost_waits(&p)) &&
            cost_of_calls_fits(m, &a, c, other)) {
            diag_remark(&m->diag, fn, REGISTER_PRESSURE, other, width, o.cycles, o.registers, p.cycles, p.registers,
                        m->vector_regs);
            width = other;
            p = o;
        }
        fn_set_attr(fn, ATTR_REGISTERS, arena_printf(&m->arena, "%u", p.registers));
    }
    arena_free(&a);
    return width;
}

/* ---- the scalar variant ---- */

static bool autotune_is_off(const Module *m) {
    return m->opt->shuffle || !m->opt->opt_level || pass_disabled(m, "trial");
}

/* When the runtime may choose between the variants by time. */
typedef enum Autotune {
    AUTOTUNE_NEVER,
    AUTOTUNE_OF_WORKERS /* where several run the blocks */,
    AUTOTUNE_ALWAYS
} Autotune;

/* A single lane finds other threads active than a warp does, and stops at each volatile access for those that may rely
** on the warp's lockstep. */
static bool needs_warp(LLVMValueRef fn) {
    if (!(fn_attr_int(fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_WARP)) return false;
    for_each_instruction(i, fn) {
        bool access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
        if (name_of_call(i) == NAME_ACTIVEMASK || (access && LLVMGetVolatile(i))) return true;
    }
    return false;
}

static Autotune autotune_of(const Module *m, LLVMValueRef fn) {
    if (autotune_is_off(m)) return AUTOTUNE_NEVER;
    if (needs_warp(fn) ||
        fn_attr_int(fn, ATTR_FLAGS, 0) & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS))
        return AUTOTUNE_NEVER;
    Order o = observable_order(fn, true);
    return o == ORDER_HIDDEN ? AUTOTUNE_ALWAYS : o == ORDER_OF_SUMS ? AUTOTUNE_OF_WORKERS : AUTOTUNE_NEVER;
}

/* The blocks of a kernel with barriers, if all are known: its loops over threads are not so short that estimates are
** wrong. */
static const char *blocks_of_loops(Module *m, LLVMValueRef fn) {
    unsigned len;
    const char *blocks = fn_attr(fn, ATTR_REQNTID, &len);
    if (!blocks) blocks = fn_attr(fn, ATTR_LAUNCHES, &len);
    bool known = blocks && !memchr(blocks, '?', len) && fn_attr_int(fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_BARRIER;
    return known ? arena_printf(&m->arena, "%.*s", (int)len, blocks) : NULL;
}

/* The minimum over these blocks of the share of lanes that have a thread, in row layout. */
static double min_share_in_use(const char *blocks, int width) {
    const CucpuVariant rows = {.width = (uint32_t)width, .layout = CUCPU_LAYOUT_ROWS};
    double minimum = 1;
    for (const char *p = blocks; p; p = strchr(p, ';'), p += p != NULL) {
        uint32_t block[3] = {0, 1, 1};
        if (sscanf(p, "%u,%u,%u", &block[0], &block[1], &block[2]) < 1 || !block[0]) continue;
        double share = cucpu_lanes_in_use(0, &rows, block);
        if (share < minimum) minimum = share;
    }
    return minimum;
}

static const unsigned any[3]; /* block */

enum { WARP = 32 /* lanes: blocks are mostly multiples of it */ };

static LaneCost estimate_access(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3],
                                bool shared) {
    Arena a = {0};
    Cfg *c = cfg_build(&a, fn);
    LaneCost cost = {0};
    if (c->reducible) {
        Lanes lanes = {m, shapes_compute(&a, c, width, layout, block), width, false, false};
        cost = lane_cost(&a, c, &lanes, shared ? NULL : memory_spaces(&a, fn));
    }
    arena_free(&a);
    return cost;
}

static LaneCost estimate_lanes(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]) {
    return estimate_access(m, fn, width, layout, block, true);
}

bool column_is_faster(Module *m, LLVMValueRef kernel, LLVMValueRef column, int width, const unsigned block[3]) {
    return estimate_lanes(m, column, width, LAYOUT_GENERAL, block).lane <
           estimate_lanes(m, kernel, width, LAYOUT_ROWS_FULL, any).lane;
}

bool lanes_lie_apart(Module *m, LLVMValueRef kernel, int width) {
    Arena a = {0};
    Cfg *c = cfg_build(&a, kernel);
    Lanes lanes = {m, c->reducible ? shapes_compute(&a, c, width, LAYOUT_ROWS_FULL, any) : NULL, width, false, false};
    const MemorySpaces *memory = memory_spaces(&a, kernel);
    bool apart = false;
    for (int b = 0; lanes.shapes && b < c->n && !apart; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i && !apart; i = LLVMGetNextInstruction(i))
            apart = is_plain_access(i) && spaces_of(memory, accessed_at(i)) & SPACE_GLOBAL &&
                    access_shape(&lanes, i) >= ACCESS_TILE;
    arena_free(&a);
    return apart;
}

LLVMValueRef clone_without_wrap(LLVMValueRef fn) {
    LLVMValueRef copy = shim_clone_function(fn, "cucpu.estimated");
    for_each_instruction(i, copy) {
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        if (op != LLVMAdd && op != LLVMMul && op != LLVMShl) continue;
        LLVMSetNUW(i, 1);
        LLVMSetNSW(i, 1);
    }
    return copy;
}

/* Stores to global memory whose lanes lie apart, in tiles or not. */
static int scattered_stores(Module *m, LLVMValueRef fn, int width, const unsigned block[3]) {
    Arena a = {0};
    Cfg *c = cfg_build(&a, fn);
    Lanes lanes = {m, c->reducible ? shapes_compute(&a, c, width, LAYOUT_ROWS_FULL, block) : NULL, width, false, false};
    const MemorySpaces *memory = memory_spaces(&a, fn);
    int n = 0;
    for_each_instruction(i, fn)
        n += lanes.shapes && LLVMIsAStoreInst(i) && spaces_of(memory, accessed_at(i)) & SPACE_GLOBAL &&
             access_shape(&lanes, i) >= ACCESS_TILE;
    arena_free(&a);
    return n;
}

/* Tiles in shared memory often become registers, transposed: savings there alone do not count. Lines that scatters
** touch are read and written back, those of gathers are read. */
unsigned swapped_time(Module *m, LLVMValueRef kernel, int width, LLVMValueRef swapped, int lanes,
                      const unsigned block[3]) {
    double percent = 0;
    LLVMValueRef along = clone_without_wrap(swapped), across = clone_without_wrap(kernel);
    int scatters = scattered_stores(m, along, lanes, block) - scattered_stores(m, across, width, any);
    double factor = scatters < 0 ? 1 / COST_WRITTEN : scatters > 0 ? COST_WRITTEN : 1;
    for (int shared = 0; shared < 2; shared++) {
        double as = estimate_access(m, along, lanes, LAYOUT_ROWS_FULL, block, shared).lane;
        double is = estimate_access(m, across, width, LAYOUT_ROWS_FULL, any, shared).lane;
        percent = as / is * 100 * factor;
        if (percent * COST_SWAPPED >= 100) break;
    }
    LLVMDeleteFunction(along);
    LLVMDeleteFunction(across);
    return percent * COST_SWAPPED >= 100 ? 0 : percent < 1 ? 1 : (unsigned)percent;
}

bool hides_order(LLVMValueRef kernel) { return observable_order(kernel, false) == ORDER_HIDDEN; }

double cycles_of_lane(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]) {
    return estimate_lanes(m, fn, width, layout, block).lane;
}

static Width consider_one_lane(Module *m, LLVMValueRef fn, int width) {
    LaneCost cost = estimate_lanes(m, fn, width, LAYOUT_ROWS_FULL, any);
    bool rows = cost.own > COST_MOSTLY && cost.alone < cost.lane * COST_GROUP;
    Autotune autotune = autotune_of(m, fn);
    bool off = autotune_is_off(m), gathers = cost.scattered > COST_MOSTLY && cost.alone < cost.lane * COST_SLOWER;
    bool waits = fn_attr_int(fn, ATTR_FLAGS, 0) &
                 (CUCPU_KERNEL_BARRIER | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS);
    double needed = off ? 1 : waits ? COST_GROUP : autotune ? COST_UNTRIED : COST_NEVER_TRIED; /* without autotuning */
    bool nothing = rows || gathers || (autotune != AUTOTUNE_ALWAYS && cost.alone < cost.lane * needed);
    bool first = nothing || (!waits && cost.alone < cost.lane * COST_SLOWER);
    const char *blocks = blocks_of_loops(m, fn);
    double surely = blocks ? COST_SURELY_OF_BLOCK / min_share_in_use(blocks, width) : COST_SURELY;
    bool either = autotune && cost.alone < cost.lane * surely && cost.lane < cost.alone * surely;
    if (either) diag_remark(&m->diag, fn, SCALAR_VARIANT, width, first ? 1 : width, cost.lane, cost.alone);
    else if (rows) diag_remark(&m->diag, fn, ROW_PER_LANE, width, cost.lane, cost.alone);
    else if (gathers) diag_remark(&m->diag, fn, MOSTLY_GATHERS, width, cost.lane, cost.alone);
    else if (nothing) diag_remark(&m->diag, fn, NOT_PROFITABLE, width, cost.lane, cost.alone);
    else diag_remark(&m->diag, fn, WIDTH, width, cost.lane, cost.alone);
    return (Width){.lanes = nothing && !either ? 1 : width,
                   .scalar = either ? (int)(cost.alone * 100 / cost.lane) : 0,
                   .scalar_first = either && first,
                   .sums = either && autotune == AUTOTUNE_OF_WORKERS,
                   .gain = !either && autotune != AUTOTUNE_ALWAYS && !off && !nothing ? cost.alone / cost.lane / needed
                                                                                      : 0};
}

/* Of a kernel with warp functions, where a single lane waits at each of them. */
static Width consider_warp(Module *m, LLVMValueRef fn) {
    int width = m->opt->warp_size;
    weigh(m, fn, width, 0, false);
    LaneCost cost = estimate_lanes(m, fn, width, LAYOUT_ROWS_FULL, any);
    bool either = autotune_of(m, fn) == AUTOTUNE_ALWAYS && cost.alone < cost.lane * COST_SURELY_OF_WARP;
    if (either) diag_remark(&m->diag, fn, SCALAR_VARIANT, width, width, cost.lane, cost.alone);
    else diag_remark(&m->diag, fn, WARP_LANES, width, cost.lane, cost.alone);
    return (Width){.lanes = width, .scalar = either ? (int)(cost.alone * 100 / cost.lane) : 0};
}

/* An operation on integers in global memory; the estimate tells whether lanes share its address. In shared memory none
** is locked. Not in planes of threads, whose rows may be shorter than a warp. */
static bool has_atomic(LLVMValueRef fn) {
    Arena a = {0};
    const MemorySpaces *memory = memory_spaces(&a, fn);
    bool found = false;
    bool plane = false;
    for_each_instruction(i, fn) {
        found |= LLVMIsAAtomicRMWInst(i) && is_integer(i) && spaces_of(memory, accessed_at(i)) & SPACE_GLOBAL;
        plane |= name_of_call(i) == NAME_TID_Y || name_of_call(i) == NAME_TID_Z;
    }
    arena_free(&a);
    return found && !plane;
}

/* All lanes of a group that have one address share an atomic operation: up to a warp of them, while that is faster. */
static int share_atomics(Module *m, LLVMValueRef fn, int width) {
    bool found = has_atomic(fn);
    for (int more; found && 2 * width <= WARP; width = more)
        if ((more = weigh(m, fn, width, 2 * width, false)) == width) break;
    return width;
}

Width choose_width(Module *m, LLVMValueRef fn) {
    if (m->opt->simd) return (Width){.lanes = m->opt->simd};
    if (fn_attr_int(fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_WARP) return consider_warp(m, fn);
    int narrow = 0, wide = 0;
    for_each_instruction(i, fn) {
        if (!is_lane_work(i)) continue;
        if (is_wide_element(LLVMTypeOf(i))) wide++;
        else narrow++;
    }
    int width = (int)m->vector_bits / (wide > narrow ? 64 : 32);
    int other = wide ? (int)m->vector_bits / (wide > narrow ? 32 : 64) : m->vector_bits <= 256 ? 2 * width : 0;
    width = share_atomics(m, fn, weigh(m, fn, width, other, !wide));
    return consider_one_lane(m, fn, width);
}
