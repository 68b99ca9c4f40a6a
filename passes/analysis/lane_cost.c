/* lane_cost: see lane_cost.h.
**
** Sums cycles over instructions, times how often they run. Known: shapes (scalar in a group, contiguous, gathered),
** loops that lanes leave one by one, divergent branches. Guessed: TRIPS per loop; half of the threads in each successor
** of a test of data; costs, as of a core that starts 4 to 6 operations per cycle.
**
** Alone: a thread runs one successor, and pays for mispredicted branches.
** A lane: the group runs both successors, and a divergent loop as often as its slowest lane.
** A row per thread (lane_rows.h) is vectorised where a thread runs alone, and gathered in a group. Loops whose
** addresses depend on what the previous iteration loaded (pointer chasing) take as long as the chain: there a group has
** W chains at once, and a gather costs no more than one load. */
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/accesses.h"
#include "passes/analysis/lane_rows.h"
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"

enum { TRIPS = 16 };
static const double SLOWEST = 1.5;     /* iterations of the slowest of W lanes / of the average */
static const double MISPREDICTED = 12; /* cycles */
static const double SURELY = 1.1;      /* estimates that differ by this factor are in this order */
static const double BLENDED = 0.6;     /* per vector register */
static const double BRANCHED = 8;      /* a scalar test and a branch, mispredicted now and then */
static const double GATHERED = 1.1;    /* per lane */
static const double EXTRACTED = 2;     /* the same for bytes and halves, for which there is no instruction */
static const double ROW_GAIN = 0.25,
                    ROW_CHAIN = 1.5; /* of the elements of a register; cycles per iteration of a sum of floats */
static const double LOADED = 5;      /* latency */
static const double SUMMED = 4;      /* one more lane in a sum */
static const double CALLED = 200, VECTORS = 2; /* a function that is not inlined; its vector function / that */

typedef struct OpCost {
    double alone, vector; /* one scalar operation; one vector register */
} OpCost;

static const OpCost MET = {15, 3}; /* warp functions: threads wait for each other; within a group */

typedef struct Cost {
    Arena *a;
    const Cfg *c;
    const Shapes *s;
    const Lanes *lanes;
    const MemorySpaces *outside; /* if any: shared memory is free */
    LaneRow *row;                /* of loops */
    double *share;               /* of blocks: share_of */
    PtrMap
        /* instruction -> the innermost loop that it varies in, + 1: what LLVM hoists runs once per iteration of that; 0
        ** = none */
        home;
} Cost;

/* Calls by the start of the name; others: math functions if the result is a floating-point type. */
typedef struct CallPrice {
    const char *name;
    OpCost op_cost;
} CallPrice;

static const CallPrice calls[] = {
    {"llvm.sqrt.", {4, 16}},        {"llvm.fabs.", {0.3, 0.6}},     {"llvm.fma.", {0.4, 0.8}},
    {"llvm.fmuladd.", {0.4, 0.8}},  {"llvm.floor.", {1, 1.5}},      {"llvm.ceil.", {1, 1.5}},
    {"llvm.trunc.", {1, 1.5}},      {"llvm.rint.", {1, 1.5}},       {"llvm.minnum.", {1, 2}},
    {"llvm.maxnum.", {1, 2}},       {"llvm.copysign.", {0.6, 1.2}}, {"llvm.nearbyint.", {1, 1.5}},
    {"llvm.umin.", {0.5, 0.6}},     {"llvm.umax.", {0.5, 0.6}},     {"llvm.smin.", {0.5, 0.6}},
    {"llvm.smax.", {0.5, 0.6}},     {"llvm.abs.", {0.5, 0.6}},      {"llvm.uadd.sat.", {0.5, 0.6}},
    {"llvm.usub.sat.", {0.5, 0.6}}, {"llvm.sadd.sat.", {0.5, 0.6}}, {"llvm.ssub.sat.", {0.5, 0.6}},
    {CHECK_ACCESS, {1, 2}},         {"llvm.lifetime.", {0, 0}},     {"llvm.dbg.", {0, 0}},
    {"llvm.assume", {0, 0}},        {"llvm.experimental.", {0, 0}},
};

static bool is_vector_call(LLVMValueRef i) {
    LLVMValueRef f = called_function(i);
    return f && fn_has_attr(f, ATTR_VECTOR);
}

static OpCost call_cost(LLVMValueRef i, int width) {
    LLVMValueRef f = LLVMGetCalledValue(i);
    const char *name = LLVMIsAFunction(f) ? value_name(f) : "";
    if (is_vector_call(i))
        return (OpCost){CALLED * (name_of_call(i) == NAME_CALLED ? MET.alone / MET.vector : 1), VECTORS * CALLED};
    if (name_is_warp_op(name_of_call(i))) return MET;
    if (name_of_call(i) != NAME_NONE) return (OpCost){0, 0};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (!strncmp(name, calls[k].name, strlen(calls[k].name))) return calls[k].op_cost;
    if (math_is_vectorizable(i) || (is_float_type(LLVMTypeOf(i)) && !strncmp(name, "llvm.", 5)))
        return (OpCost){15, 30};
    return strncmp(name, "llvm.", 5) ? (OpCost){20, 20.0 * width} : (OpCost){1, 2};
}

static OpCost op_price(LLVMValueRef i, int width) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMBr:
    case LLVMRet:
    case LLVMAlloca:
    case LLVMFreeze:
    case LLVMBitCast: return (OpCost){0, 0};
    case LLVMFDiv: return (OpCost){3, 12};
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        if (LLVMIsConstant(LLVMGetOperand(i, 1))) return (OpCost){1.5, 4};
        return (OpCost){8, 40};
    case LLVMMul:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul: return (OpCost){0.3, 0.8};
    case LLVMGetElementPtr: return (OpCost){0.05, 0.3};
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc: return (OpCost){0.1, 0.5};
    case LLVMCall: return call_cost(i, width);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return (OpCost){18, 18.0 * width};
    case LLVMLoad:
    case LLVMStore: return (OpCost){0.4, 0};
    default: return (OpCost){0.2, 0.6};
    }
}

static unsigned type_bytes(const Lanes *x, LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVoidTypeKind ? 4 : (unsigned)LLVMABISizeOfType(x->dl, t);
}

/* Vector registers of W values of this type. */
static double registers_of_type(const Lanes *x, LLVMTypeRef t) {
    double n = 8.0 * type_bytes(x, t) * x->width / x->vector_bits;
    return n < 1 ? 1 : n;
}

/* The lanes' addresses are consecutive unless an index wraps before it is extended, which widen_extended.c tests. */
static bool extends_row(const Lanes *x, LLVMValueRef p, LLVMTypeRef t) {
    int64_t stride;
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && LLVMIsAConstantInt(LLVMGetOperand(p, 1)))
        p = LLVMGetOperand(p, 0);
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2) return false;
    if (!shapes_is_uniform(x->shapes, LLVMGetOperand(p, 0))) return false;
    LLVMValueRef v = LLVMGetOperand(p, 1);
    while (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd) {
        bool first = shapes_is_uniform(x->shapes, LLVMGetOperand(v, 0));
        if (!first && !shapes_is_uniform(x->shapes, LLVMGetOperand(v, 1))) return false;
        v = LLVMGetOperand(v, first ? 1 : 0);
    }
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v)) return false;
    return LLVMABISizeOfType(x->dl, LLVMGetGEPSourceElementType(p)) == type_bytes(x, t) &&
           shapes_lane_stride(x->shapes, LLVMGetOperand(v, 0), &stride) && stride == 1;
}

bool is_irregular(const Lanes *x, LLVMValueRef i) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (!store && !LLVMIsALoadInst(i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, store ? 1 : 0);
    LLVMTypeRef t = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    int64_t stride, offset[64];
    if (shapes_is_uniform(x->shapes, p) || extends_row(x, p, t)) return false;
    if (!shapes_lane_stride(x->shapes, p, &stride)) return shapes_runs(x->shapes, p, offset) < 4;
    return (uint64_t)(stride < 0 ? -stride : stride) > 4 * type_bytes(x, t);
}

static bool is_loaded(LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > 8) return false;
    if (LLVMIsALoadInst(v)) return true;
    bool phi = LLVMIsAPHINode(v) != NULL;
    for (unsigned k = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++)
        if (is_loaded(phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), depth + 1)) return true;
    return false;
}

/* Irregular, and no test at run time will find the lanes consecutive: far from each other for certain, or at addresses
** from memory. */
static bool is_scattered(const Lanes *x, LLVMValueRef i) {
    int64_t stride;
    if (!is_irregular(x, i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
    return shapes_lane_stride(x->shapes, p, &stride) || is_loaded(p, 0);
}

/* Unused casts of it are left from raise_cas_loops. */
static bool is_unused(LLVMValueRef v) {
    for_each_user(user, v)
        if (!LLVMIsACastInst(user) || LLVMGetFirstUse(user)) return false;
    return true;
}

/* An atomic on one address whose result is unused is done once for all lanes; floats are added in their order
** before. */
static double atomic_cycles(const Lanes *x, LLVMValueRef i, OpCost p) {
    bool together = LLVMIsAAtomicRMWInst(i) && is_unused(i) && shapes_is_uniform(x->shapes, LLVMGetOperand(i, 0));
    if (!together) return p.vector;
    double sum = is_float_type(LLVMTypeOf(LLVMGetOperand(i, 1))) ? SUMMED * x->width : SUMMED;
    return p.alone + sum < p.vector ? p.alone + sum : p.vector;
}

double group_cycles(const Lanes *x, LLVMValueRef i) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (!store && !LLVMIsALoadInst(i)) {
        OpCost p = op_price(i, x->width);
        if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return atomic_cycles(x, i, p);
        if (is_vector_call(i)) return p.vector;
        return is_void(i)                       ? p.vector
               : shapes_is_affine(x->shapes, i) ? p.alone
                                                : p.vector * registers_of_type(x, LLVMTypeOf(i));
    }
    LLVMTypeRef t = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    double each = type_bytes(x, t) < 4 ? EXTRACTED : GATHERED;
    if (is_irregular(x, i)) return (store ? 1.5 : 1) * each * x->width;
    if (shapes_is_uniform(x->shapes, LLVMGetOperand(i, store ? 1 : 0))) return 0.5;
    return (store ? 1 : 0.5) * registers_of_type(x, t);
}

double uniform_branch_cycles(void) { return BRANCHED; }

double estimate_margin(void) { return SURELY; }

double blend_cycles(const Lanes *x, LLVMTypeRef t) { return BLENDED * registers_of_type(x, t); }

double iterations_of_block(const Cfg *c, int block, int loop) {
    double times = 1;
    for (int l = c->b[block].loop; l >= 0 && l != loop; l = c->l[l].parent) {
        unsigned trips = cfg_trip_count(c, l);
        times *= trips ? trips : TRIPS;
    }
    return times;
}

double thread_cycles(LLVMValueRef i) { return op_price(i, 1).alone; }

/* ---- pointer chasing ---- */

typedef struct Chain {
    double cycles; /* from the phi to this value; < 0: it does not depend on the phi within the loop */
    bool loads;    /* it goes through memory */
} Chain;

static const Chain *find_chain(const Cost *x, PtrMap *known, int loop, LLVMValueRef v, double load) {
    static const Chain none = {-1, false};
    const Chain *done = map_ptr(known, v);
    if (done || !LLVMIsAInstruction(v)) return done ? done : &none;
    int b = cfg_block_of(x->c, v);
    bool phi = LLVMIsAPHINode(v) != NULL;
    if (b < 0 || !cfg_loop_contains(x->c, loop, b) || (phi && b == x->c->l[loop].header)) return &none;
    Chain *r = arena_alloc(x->a, sizeof *r);
    *r = none;
    map_put(known, v, (uintptr_t)r); /* around an inner loop: treated as none */
    for (unsigned k = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++) {
        const Chain *o = find_chain(x, known, loop, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), load);
        if (o->cycles > r->cycles) *r = *o;
    }
    if (r->cycles < 0) return r;
    r->loads |= LLVMIsALoadInst(v) != NULL;
    r->cycles += LLVMIsALoadInst(v) ? load : LLVMIsAGetElementPtrInst(v) || phi ? 0 : 1;
    return r;
}

/* Cycles per iteration of a loop that chases pointers, 0 for others. */
static double chase(const Cost *x, int loop, double load) {
    LLVMBasicBlockRef head = x->c->b[x->c->l[loop].header].bb;
    double maximum = 0;
    for_each_phi(p, head)
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
            int from = cfg_number(x->c, LLVMGetIncomingBlock(p, k));
            if (from < 0 || !cfg_loop_contains(x->c, loop, from)) continue;
            PtrMap known;
            Chain start = {0, false};
            map_init(&known, x->a);
            map_put(&known, p, (uintptr_t)&start);
            const Chain *r = find_chain(x, &known, loop, LLVMGetIncomingValue(p, k), load);
            if (r->loads && r->cycles > maximum) maximum = r->cycles;
        }
    return maximum;
}

bool chases_pointers(Arena *a, const Cfg *c, const Lanes *lanes, int loop) {
    Cost x = {.a = a, .c = c, .s = lanes->shapes, .lanes = lanes};
    return chase(&x, loop, LOADED) > 0;
}

/* ---- shares ---- */

static bool compares_data(const Cost *x, LLVMValueRef c) {
    if (!LLVMIsAICmpInst(c)) return true;
    return !shapes_is_affine(x->lanes->shapes, LLVMGetOperand(c, 0)) ||
           !shapes_is_affine(x->lanes->shapes, LLVMGetOperand(c, 1));
}

/* The successor of a branch that begins at b holds a loop: the branch tests whether it has any iteration. */
static bool enters_loop(const Cost *x, int b) {
    for (int l = 0; l < x->c->nloops; l++)
        if (x->c->l[l].header > b && cfg_dominates(x->c, b, x->c->l[l].header)) return true;
    return false;
}

/* The share of threads that run block b among those that run this iteration of the loop around it; those of the blocks
** before it are known. */
static double share_of(const Cost *x, int b) {
    int up = x->c->b[b].idom;
    if (up < 0 || x->c->b[up].loop != x->c->b[b].loop) return 1;
    double r = x->share[up];
    if (x->c->b[up].nsucc != 2 || !shapes_branch_divergent(x->s, up) || cfg_postdominates(x->c, b, up)) return r;
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[up].bb));
    return compares_data(x, c) && !enters_loop(x, b) ? r / 2 : r;
}

static bool leaves_loop(const Cost *x, int b) {
    int l = x->c->b[b].loop;
    for (int e = 0; l >= 0 && e < x->c->b[b].nsucc; e++)
        if (!cfg_loop_contains(x->c, l, x->c->b[b].succ[e])) return true;
    return false;
}

/* ---- loop invariants ---- */

static bool can_be_hoisted(LLVMValueRef i) {
    if (LLVMIsACallInst(i))
        return is_pure_intrinsic(i) || (name_of_call(i) != NAME_NONE && !name_is_convergent(name_of_call(i)));
    return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsACmpInst(i) || LLVMIsASelectInst(i) ||
           LLVMIsAGetElementPtrInst(i) || LLVMIsAUnaryOperator(i);
}

static int home_loop(const Cost *x, LLVMValueRef i, int loop) {
    int home = -1;
    if (!can_be_hoisted(i)) return loop;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        int h = LLVMIsAInstruction(o) ? (int)map_get(&x->home, o, 0) - 1 : -1;
        if (h >= 0 && (home < 0 || x->c->l[h].depth > x->c->l[home].depth)) home = h;
    }
    return home;
}

static void find_homes(Cost *x) {
    map_init(&x->home, x->a);
    for_each_cfg_instruction(i, b, x->c) {
        int home = home_loop(x, i, x->c->b[b].loop);
        if (home >= 0) map_put(&x->home, i, (uintptr_t)home + 1);
    }
}

/* ---- sums over blocks and loops ---- */

/* Is done once for each active lane, not for all at once. */
static bool is_per_lane(LLVMValueRef i) {
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return true;
    if (is_vector_call(i)) return false;
    return LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i) && !math_is_vectorizable(i);
}

/* The branch is unpredictable for a single thread; in a row it has the same outcome in all iterations. */
static bool is_mispredicted(const Cost *x, int b) {
    int loop = x->c->b[b].loop;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[b].bb);
    if (x->c->b[b].nsucc != 2 || !shapes_branch_divergent(x->s, b) || !compares_data(x, LLVMGetCondition(t)))
        return false;
    return loop < 0 || !x->row[loop].is_row || leaves_loop(x, b);
}

static double cycles_in_group(const Cost *x, LLVMValueRef i) {
    bool free = x->outside && (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
                spaces_of(x->outside, accessed_at(i)) == SPACE_SHARED;
    return free ? 0 : group_cycles(x->lanes, i);
}

/* One execution of a block: alone, as a group. What is hoisted is added to the loop that it varies in. */
static LaneCost block_cost(const Cost *x, int b, bool apart, LaneCost *sum, LaneCost *pass) {
    LaneCost r = {0};
    for_each_in_block(i, x->c->b[b].bb) {
        double group = cycles_in_group(x, i);
        int home = (int)map_get(&x->home, i, 0) - 1;
        if (home != x->c->b[b].loop) {
            LaneCost *to = home < 0 ? sum : &pass[home];
            to->alone += op_price(i, 1).alone;
            to->lane += group;
            continue;
        }
        r.alone += op_price(i, 1).alone;
        r.lane += is_per_lane(i) ? group * x->share[b] : group;
        if (is_scattered(x->lanes, i)) r.scattered += group;
        if (apart && is_irregular(x->lanes, i)) r.own += group;
    }
    if (is_mispredicted(x, b)) r.alone += leaves_loop(x, b) ? MISPREDICTED / TRIPS : MISPREDICTED / 2;
    return r;
}

/* The cost of one iteration for a single thread, as a part of vectors of its row. */
static double alone_in_row(const Cost *x, LaneRow row, double alone) {
    if (row.sums_floats) return alone < ROW_CHAIN ? ROW_CHAIN : alone;
    double gain = ROW_GAIN * x->lanes->vector_bits / (8.0 * row.bytes);
    return gain > 1 ? alone / gain : alone;
}

LaneCost lane_cost(Arena *a, const Cfg *c, const Lanes *lanes, const MemorySpaces *outside) {
    const Shapes *s = lanes->shapes;
    Cost x = {.a = a, .c = c, .s = s, .lanes = lanes, .outside = outside};
    LaneCost sum = {0}, *pass = arena_array(a, LaneCost, c->nloops + 1);
    x.row = arena_array(a, LaneRow, c->nloops + 1);
    x.share = arena_array(a, double, c->n);
    find_homes(&x);
    for (int l = 0; l < c->nloops; l++) x.row[l] = lane_row(c, lanes->dl, l);
    for (int b = 0; b < c->n; b++) {
        x.share[b] = share_of(&x, b);
        int l = c->b[b].loop;
        bool apart = l >= 0 && x.row[l].is_row;
        for (int o = l; o >= 0; o = c->l[o].parent) apart |= shapes_loop_divergent(s, o);
        LaneCost r = block_cost(&x, b, apart, &sum, pass), *to = l < 0 ? &sum : &pass[l];
        to->alone += r.alone * x.share[b];
        to->lane += r.lane;
        to->scattered += r.scattered;
        to->own += r.own;
    }
    for (int l = c->nloops - 1; l >= 0; l--) { /* inner loops come after their parents */
        double one = chase(&x, l, LOADED), group = chase(&x, l, GATHER_DELAY), times = TRIPS;
        LaneCost *to = c->l[l].parent < 0 ? &sum : &pass[c->l[l].parent];
        if (x.row[l].is_row) pass[l].alone = alone_in_row(&x, x.row[l], pass[l].alone);
        if (pass[l].alone < one) pass[l].alone = one;
        if (pass[l].lane < group) pass[l].lane = group;
        to->alone += pass[l].alone * times * x.share[c->b[c->l[l].header].idom];
        if (shapes_loop_divergent(s, l)) times *= SLOWEST;
        to->lane += pass[l].lane * times;
        to->scattered += pass[l].scattered * times;
        to->own += pass[l].own * times;
    }
    sum.own = sum.lane > 0 ? sum.own / sum.lane : 0;
    sum.scattered = sum.lane > 0 ? sum.scattered / sum.lane : 0;
    sum.lane /= lanes->width;
    return sum;
}
