/* op_cost: see op_cost.h. */
#include "passes/analysis/op_cost.h"
#include "passes/analysis/accesses.h"
#include "passes/ir/divisions.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"
#include <stdlib.h>
#include <string.h>

enum { NEAR = 4 /* elements from lane to lane that rows and shuffles serve */, DEPTH = 2 /* of vector functions */ };

/* ---- the target's tables ---- */

typedef struct OpRow {
    const char *feature, *name[COST_SIZES];
} OpRow;

static const OpRow rows[COST_OPS] = {
#define OP(name, feature, x, y, z, scalar) {feature, {scalar, x, y, z}},
#include "passes/analysis/op_cost.def"
#undef OP
};

TargetCosts *target_costs(Arena *a, LLVMTargetMachineRef tm, LLVMValueRef probe) {
    const char *of_target[COST_OPS][COST_SIZES];
    bool avx = shim_has_features(tm, "+avx");
    TargetCosts *t = arena_alloc(a, sizeof *t);
    for (int op = 0; op < COST_OPS; op++)
        for (int size = 0; size < COST_SIZES; size++) {
            const char *name = rows[op].name[size];
            bool missing = size != SCALAR && *rows[op].feature && !shim_has_features(tm, rows[op].feature);
            of_target[op][size] = !name || missing ? NULL : !avx && *name == 'V' ? name + 1 : name;
        }
    shim_schedules(tm, probe, &of_target[0][0], COST_OPS * COST_SIZES, &t->op[0][0]);
    t->cpu = shim_processor(tm, probe);
    t->scheduler_size = shim_scheduler_size(tm, probe);
    return t;
}

static int size_of_bits(unsigned bits) { return bits <= 128 ? BITS_128 : bits <= 256 ? BITS_256 : BITS_512; }

static const ShimSchedule *largest(const Module *m, CostOp op) {
    const ShimSchedule *s = &m->costs->op[op][size_of_bits(m->vector_bits)];
    return s->known ? s : &m->costs->op[COST_SIMPLE][size_of_bits(m->vector_bits)];
}

double cycles_of_op(const Module *m, CostOp op) { return largest(m, op)->throughput; }
double latency_of_op(const Module *m, CostOp op) { return largest(m, op)->latency; }

/* ---- registers ---- */

static unsigned bits_of_type(const Lanes *x, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) == LLVMVoidTypeKind) return 32;
    return (unsigned)LLVMABISizeOfType(x->m->dl, t) * 8;
}

static unsigned registers_of_bits(const Lanes *x, unsigned bits) {
    unsigned all = bits * (unsigned)x->width, each = x->m->vector_bits;
    return (all + each - 1) / each;
}

static bool is_mask_type(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;
}

unsigned lane_registers(const Lanes *x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    bool number = k == LLVMIntegerTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind ||
                  k == LLVMPointerTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
    if (!number || is_mask_type(t) || LLVMIsAAllocaInst(v) || shapes_is_affine(x->shapes, v)) return 0;
    unsigned bits = bits_of_type(x, t);
    if (x->narrowed && k == LLVMIntegerTypeKind && bits == 32) bits = shapes_value_bits(x->shapes, v) <= 16 ? 16 : bits;
    return registers_of_bits(x, bits);
}

static bool is_product(LLVMValueRef i) { return LLVMGetInstructionOpcode(i) == LLVMFMul; }

/* A product that becomes part of a fused multiply-add. */
static bool is_fused(const Lanes *x, LLVMValueRef i) {
    LLVMUseRef use = LLVMGetFirstUse(i);
    if (!is_product(i) || !use || LLVMGetNextUse(use) || !shim_has_features(x->m->tm, "+fma")) return false;
    LLVMValueRef sum = LLVMGetUser(use);
    return LLVMIsAInstruction(sum) &&
           (LLVMGetInstructionOpcode(sum) == LLVMFAdd || LLVMGetInstructionOpcode(sum) == LLVMFSub);
}

/* A sum that a product becomes part of. */
static bool is_fma_sum(const Lanes *x, LLVMValueRef i) {
    for (unsigned k = 0; k < 2; k++)
        if (LLVMIsAInstruction(LLVMGetOperand(i, k)) && is_fused(x, LLVMGetOperand(i, k))) return true;
    return false;
}

/* ---- which instruction ---- */

static CostOp op_of_product(unsigned bits) {
    return bits == 16 ? COST_MUL16 : bits == 32 ? COST_MUL32 : bits == 64 ? COST_MUL64 : COST_OPS;
}

static CostOp op_of_call(LLVMValueRef i, bool wide) {
    static const char *const rounding[] = {"llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.rint", "llvm.nearbyint"};
    if (is_fma(i)) return COST_FMA;
    if (is_intrinsic(i, "llvm.sqrt")) return wide ? COST_FSQRT64 : COST_FSQRT32;
    if (is_intrinsic(i, "llvm.fabs") || is_intrinsic(i, "llvm.copysign")) return COST_SIMPLE;
    for (size_t k = 0; k < sizeof rounding / sizeof *rounding; k++)
        if (is_intrinsic(i, rounding[k])) return COST_ROUND;
    return COST_OPS;
}

/* COST_OPS: no row. */
static CostOp op_of(const Lanes *x, LLVMValueRef i) {
    unsigned bits = bits_of_type(x, LLVMTypeOf(i));
    bool wide = bits == 64;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (is_mask_type(LLVMTypeOf(i)) && (is_op(i, OP_BITWISE) || LLVMIsASelectInst(i))) return COST_MASK;
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFNeg: return COST_SIMPLE;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        if (bits < 32 || (op == LLVMAShr && wide && x->m->vector_bits < 512)) return COST_OPS;
        return x->shapes && LLVMIsAInstruction(LLVMGetOperand(i, 1)) &&
                       !shapes_is_uniform(x->shapes, LLVMGetOperand(i, 1))
                   ? COST_SHIFT_BY_LANE
                   : COST_SHIFT;
    case LLVMMul: return op_of_product(bits);
    case LLVMFAdd:
    case LLVMFSub: return is_fma_sum(x, i) ? COST_FMA : COST_FADD;
    case LLVMFMul: return COST_FMUL;
    case LLVMFDiv: return wide ? COST_FDIV64 : COST_FDIV32;
    case LLVMFCmp: return COST_FCMP;
    case LLVMICmp: return bits_of_type(x, LLVMTypeOf(LLVMGetOperand(i, 0))) > 1 ? COST_ICMP : COST_MASK;
    case LLVMZExt:
    case LLVMSExt: return is_mask_type(LLVMTypeOf(LLVMGetOperand(i, 0))) && x->width > 1 ? COST_SELECT : COST_OPS;
    case LLVMSelect: return COST_SELECT;
    case LLVMCall: return op_of_call(i, wide);
    default: return COST_OPS;
    }
}

static bool is_free(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMBr:
    case LLVMRet:
    case LLVMAlloca:
    case LLVMFreeze:
    case LLVMBitCast: return true;
    case LLVMCall:
        return is_intrinsic(i, "llvm.assume") || is_intrinsic(i, "llvm.lifetime.start") ||
               is_intrinsic(i, "llvm.lifetime.end") || is_intrinsic(i, "llvm.experimental.noalias.scope.decl");
    default: return false;
    }
}

static bool is_division(LLVMValueRef i) { return is_op(i, OP_DIV) && !LLVMIsConstant(LLVMGetOperand(i, 1)); }

/* ---- one value ---- */

static OpCost of_units(const ShimSchedule *s, double count) {
    return (OpCost){.unit = s, .count = count, .latency = s->latency};
}

static double cycles(OpCost c) { return (c.unit ? c.unit->throughput * c.count : 0) + c.more; }

bool is_vector_call(LLVMValueRef i) {
    LLVMValueRef f = called_function(i);
    return f && fn_has_attr(f, ATTR_VECTOR);
}

static OpCost scalar_cost(const Lanes *x, LLVMValueRef i, int depth);

/* The body of a vector function, for a thread or for a group. */
static double body_cycles(const Lanes *x, LLVMValueRef f, bool group, int depth);

static OpCost scalar_call(const Lanes *x, LLVMValueRef i, int depth) {
    LLVMValueRef f = called_function(i);
    if (f && is_vector_call(i)) {
        double body = body_cycles(x, f, false, depth + 1);
        return (OpCost){.more = name_of_call(i) == NAME_CALLED ? body + COST_WARP_ALONE : body};
    }
    if (name_is_warp_op(name_of_call(i))) return (OpCost){.more = COST_WARP_ALONE};
    if (name_of_call(i) != NAME_NONE) return (OpCost){0};
    if (f && !strncmp(value_name(f), "cucpu_check_", 12)) return (OpCost){.more = 1};
    const MathRow *math = math_row_of_call(i);
    if (math && math->kind != MATH_NATIVE) return (OpCost){.more = COST_SCALAR_MATH, .latency = COST_SCALAR_MATH};
    double n = is_pure_intrinsic(i) ? shim_cost(x->m->tm, i, 1, SHIM_THROUGHPUT) : -1;
    if (n < 0) return (OpCost){.more = COST_CALL, .latency = COST_CALL};
    return of_units(&x->m->costs->op[COST_SIMPLE][SCALAR], n);
}

static OpCost scalar_cost(const Lanes *x, LLVMValueRef i, int depth) {
    const TargetCosts *t = x->m->costs;
    const Lanes alone = {.m = x->m, .width = 1}; /* shapes may be of a kernel that calls this function */
    CostOp op = op_of(&alone, i);
    if (is_free(i) || LLVMIsAGetElementPtrInst(i) || is_fused(x, i)) return (OpCost){0};
    if (LLVMIsALoadInst(i)) return of_units(&t->op[COST_LOAD][SCALAR], 1);
    if (LLVMIsAStoreInst(i)) return of_units(&t->op[COST_STORE][SCALAR], 1);
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return (OpCost){.more = COST_ATOMIC, .latency = COST_ATOMIC};
    if (is_division(i))
        return of_units(&t->op[bits_of_type(x, LLVMTypeOf(i)) == 64 ? COST_DIV64 : COST_DIV32][SCALAR], 1);
    if (op != COST_OPS && t->op[op][SCALAR].known) return of_units(&t->op[op][SCALAR], 1);
    if (LLVMIsACallInst(i)) return scalar_call(x, i, depth);
    double n = shim_cost(x->m->tm, i, 1, SHIM_THROUGHPUT);
    return of_units(&t->op[COST_SIMPLE][SCALAR], n < 0 ? 1 : n);
}

double thread_cycles(const Module *m, LLVMValueRef inst) {
    Lanes x = {.m = m, .width = 1};
    return cycles(scalar_cost(&x, inst, 0));
}

/* ---- accesses ---- */

static bool is_store(LLVMValueRef i) { return LLVMIsAStoreInst(i) || is_intrinsic(i, "llvm.masked.scatter"); }

static LLVMTypeRef type_of_access(LLVMValueRef i) {
    return element_type(LLVMTypeOf(is_store(i) ? LLVMGetOperand(i, 0) : i));
}

/* Elements from lane to lane; 0: unknown, or not a whole number. */
static int64_t stride_of(const Lanes *x, LLVMValueRef i) {
    int64_t stride, size = bits_of_type(x, type_of_access(i)) / 8;
    if (!size || !shapes_lane_stride(x->shapes, LLVMGetOperand(i, is_store(i) ? 1 : 0), &stride)) return 0;
    return (llabs(stride) + size - 1) / size;
}

/* The lanes' addresses are consecutive unless an index wraps before it is extended, which widen_extended.c tests. */
static bool extends_row(const Lanes *x, LLVMValueRef p, unsigned bits) {
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
    return bits_of_type(x, LLVMGetGEPSourceElementType(p)) == bits &&
           shapes_lane_stride(x->shapes, LLVMGetOperand(v, 0), &stride) && stride == 1;
}

static bool is_shared_address(LLVMValueRef p) {
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p)) p = LLVMGetOperand(p, 0);
    return name_of_call(p) == NAME_SHARED || refers_to_shared(p);
}

static bool is_of_tile(const Lanes *x, LLVMValueRef i, LLVMValueRef p) {
    int64_t step;
    bool wraps;
    if (pass_disabled(x->m, "unroll_and_jam") || pass_disabled(x->m, "tile_accesses") || is_shared_address(p))
        return false;
    return shapes_step_along_y(x->shapes, p, &step, &wraps) && step == bits_of_type(x, type_of_access(i)) / 8;
}

AccessShape access_shape(const Lanes *x, LLVMValueRef i) {
    int64_t offset[64];
    if (!is_store(i) && !LLVMIsALoadInst(i)) return ACCESS_NONE;
    LLVMValueRef p = LLVMGetOperand(i, is_store(i) ? 1 : 0);
    if (shapes_is_uniform(x->shapes, p)) return ACCESS_UNIFORM;
    if (extends_row(x, p, bits_of_type(x, type_of_access(i)))) return ACCESS_CONTIGUOUS;
    int64_t stride = stride_of(x, i);
    if (stride && stride <= NEAR) return stride == 1 ? ACCESS_CONTIGUOUS : ACCESS_STRIDED;
    if (!stride && shapes_runs(x->shapes, p, offset) >= NEAR) return ACCESS_STRIDED;
    return is_of_tile(x, i, p) ? ACCESS_TILE : ACCESS_GATHER;
}

bool is_irregular(const Lanes *x, LLVMValueRef i) { return access_shape(x, i) == ACCESS_GATHER; }

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
bool is_scattered(const Lanes *x, LLVMValueRef i) {
    int64_t stride;
    if (!is_irregular(x, i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
    return shapes_lane_stride(x->shapes, p, &stride) || is_loaded(p, 0);
}

/* The target's instruction for one vector register of lanes; NULL: it has none, or the processor's model takes it for
** one access instead of one for each lane. */
static const ShimSchedule *gather_instruction(const Lanes *x, LLVMValueRef i, unsigned registers) {
    const TargetCosts *t = x->m->costs;
    unsigned bits = bits_of_type(x, type_of_access(i)), vector = bits * (unsigned)x->width / registers;
    if (bits != 32 && bits != 64) return NULL;
    CostOp op = is_store(i) ? bits == 32 ? COST_SCATTER32 : COST_SCATTER64 : bits == 32 ? COST_GATHER32 : COST_GATHER64;
    const ShimSchedule *s = &t->op[op][size_of_bits(vector)],
                       *one = &t->op[is_store(i) ? COST_STORE : COST_LOAD][SCALAR];
    return s->known && s->throughput >= one->throughput * vector / bits ? s : NULL;
}

/* By an instruction of the target, or lane by lane, through extracted indices. */
static OpCost gather_cost(const Lanes *x, LLVMValueRef i) {
    const TargetCosts *t = x->m->costs;
    unsigned registers = registers_of_bits(x, bits_of_type(x, type_of_access(i)));
    const ShimSchedule *s = gather_instruction(x, i, registers);
    if (s) return (OpCost){.more = s->throughput * registers, .latency = s->latency};
    int size = size_of_bits(x->m->vector_bits);
    CostOp element = is_store(i) ? COST_EXTRACT : COST_INSERT;
    double access = t->op[is_store(i) ? COST_STORE : COST_LOAD][SCALAR].throughput,
           lane = access + t->op[element][size].throughput / 2 + t->op[COST_EXTRACT][size].throughput / 2,
           native = shim_gather_cost(x->m->tm, i, (unsigned)x->width), lanes = lane * x->width;
    double least = native >= 0 && native < lanes ? native : lanes;
    return (OpCost){.more = least, .latency = t->cpu.load_latency + least / registers};
}

double gather_latency(const Lanes *x, LLVMValueRef i) { return gather_cost(x, i).latency; }

double cycles_of_gather(const Module *m, LLVMValueRef call) {
    LLVMTypeRef t = LLVMTypeOf(is_store(call) ? LLVMGetOperand(call, 0) : call);
    const Lanes x = {.m = m, .width = (int)LLVMGetVectorSize(t)};
    return cycles(gather_cost(&x, call));
}

static OpCost access_cost(const Lanes *x, LLVMValueRef i) {
    unsigned bits = bits_of_type(x, type_of_access(i)), registers = registers_of_bits(x, bits);
    const ShimSchedule *op = x->m->costs->op[is_store(i) ? COST_STORE : COST_LOAD];
    OpCost c = of_units(&op[size_of_bits(registers > 1 ? x->m->vector_bits : bits * (unsigned)x->width)], registers);
    switch (access_shape(x, i)) {
    case ACCESS_UNIFORM: return of_units(&op[SCALAR], 1);
    case ACCESS_STRIDED: /* rows, and a shuffle for each */
        c.count *= stride_of(x, i) > 1 ? (double)stride_of(x, i) : 1;
        c.more = c.count * x->m->costs->op[COST_SIMPLE][size_of_bits(x->m->vector_bits)].throughput;
        return c;
    case ACCESS_TILE: /* and as many shuffles as a transposition of 16 rows takes */
        c.more = 4 * c.count * x->m->costs->op[COST_SIMPLE][size_of_bits(x->m->vector_bits)].throughput;
        return c;
    case ACCESS_GATHER:
        if (x->tested && !is_scattered(x, i)) {
            c.more = 2 * latency_of_op(x->m, COST_MASK) + COST_TESTED * gather_cost(x, i).more;
            return c;
        }
        return gather_cost(x, i);
    default: return c;
    }
}

/* ---- groups ---- */

/* Unused casts of it are left from raise_cas_loops. */
static bool is_unused(LLVMValueRef v) {
    for_each_user(user, v)
        if (!LLVMIsACastInst(user) || LLVMGetFirstUse(user)) return false;
    return true;
}

/* An atomic on one address whose result is unused, or an integer sum, is done once for all lanes; floats are added in
** their order before. */
static double atomic_cycles(const Lanes *x, LLVMValueRef i) {
    double all = COST_ATOMIC * x->width, sum = latency_of_op(x->m, COST_FADD);
    bool rmw = LLVMIsAAtomicRMWInst(i) != NULL;
    LLVMAtomicRMWBinOp op = rmw ? LLVMGetAtomicRMWBinOp(i) : LLVMAtomicRMWBinOpXchg;
    bool ranks = op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub;
    bool together = rmw && (ranks || is_unused(i)) && shapes_is_uniform(x->shapes, LLVMGetOperand(i, 0));
    if (!together) return all;
    double once = COST_ATOMIC + (is_float_type(LLVMTypeOf(LLVMGetOperand(i, 1))) ? sum * x->width : sum);
    return once < all ? once : all;
}

static double body_cycles(const Lanes *x, LLVMValueRef f, bool group, int depth) {
    double sum = COST_CALL;
    if (depth > DEPTH) return sum;
    for_each_instruction(i, f) {
        OpCost one = scalar_cost(x, i, depth);
        unsigned registers = registers_of_bits(x, 32);
        sum += cycles(one) * (group ? registers : 1);
    }
    return sum;
}

/* The longest chain of dependent operations of a vector function, of which each loop runs once. */
static double body_latency(const Lanes *x, LLVMValueRef f) {
    Arena a = {0};
    PtrMap ends = map_new(&a); /* instruction -> when its result is ready, in cycles / 8 */
    double longest = 0;
    for_each_instruction(i, f) {
        double start = 0;
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            double ready = (double)map_get(&ends, LLVMGetOperand(i, (unsigned)k), 0) / 8;
            if (ready > start) start = ready;
        }
        start += scalar_cost(x, i, 1).latency;
        map_put(&ends, i, (uintptr_t)(start * 8));
        if (start > longest) longest = start;
    }
    arena_free(&a);
    return longest;
}

static OpCost group_call(const Lanes *x, LLVMValueRef i, unsigned registers) {
    LLVMValueRef f = called_function(i);
    if (f && is_vector_call(i))
        return (OpCost){.count = (double)function_size(f) * registers_of_bits(x, 32),
                        .more = body_cycles(x, f, true, 1),
                        .latency = body_latency(x, f)};
    if (name_is_warp_op(name_of_call(i))) return (OpCost){.more = COST_WARP, .latency = COST_WARP};
    if (name_of_call(i) != NAME_NONE) return (OpCost){0};
    if (f && !strncmp(value_name(f), "cucpu_check_", 12)) return (OpCost){.more = 2.0 * registers};
    const MathRow *math = math_row_of_call(i);
    if (math && math->kind != MATH_NATIVE) return (OpCost){.more = COST_MATH * registers, .latency = COST_MATH / 2};
    double n = is_pure_intrinsic(i) ? shim_cost(x->m->tm, i, (unsigned)x->width, SHIM_THROUGHPUT) : -1;
    if (n < 0 && !math_is_vectorizable(i)) return (OpCost){.more = COST_CALL * x->width, .latency = COST_CALL};
    const ShimSchedule *simple = &x->m->costs->op[COST_SIMPLE][size_of_bits(x->m->vector_bits)];
    OpCost c = of_units(simple, n < 0 ? registers : n);
    double latency = shim_cost(x->m->tm, i, (unsigned)x->width / registers, SHIM_LATENCY);
    c.latency = latency > 0 ? latency : c.latency;
    return c;
}

/* Consecutive numbers, or what such a division makes of them, by an unknown one that all lanes share: most groups
** divide once (version_uniform_quotient). */
static bool divides_row(const Lanes *x, LLVMValueRef i, int depth) {
    int64_t stride;
    LLVMValueRef of = dividend_of(i), by = divisor_of(LLVMGetOperand(i, 1));
    if (depth > DEPTH || !shapes_is_uniform(x->shapes, by)) return false;
    if (shapes_lane_stride(x->shapes, of, &stride)) return stride > 0;
    return is_op(of, OP_DIV) && divides_row(x, of, depth + 1);
}

/* Lane by lane. */
static OpCost division_cost(const Lanes *x, LLVMValueRef i) {
    const TargetCosts *t = x->m->costs;
    const ShimSchedule *one = &t->op[bits_of_type(x, LLVMTypeOf(i)) == 64 ? COST_DIV64 : COST_DIV32][SCALAR];
    bool row = !pass_disabled(x->m, "version_uniform_quotient") && divides_row(x, i, 0);
    double lanes = row ? 1 + COST_TESTED * x->width : x->width;
    OpCost c = of_units(one, lanes);
    c.more = 2 * lanes * t->op[COST_EXTRACT][BITS_128].throughput;
    c.latency = cycles(c);
    return c;
}

/* The address of a row that a test at run time finds consecutive, or the extension of its index: one for all lanes. */
static bool is_row_address(const Lanes *x, LLVMValueRef i) {
    LLVMUseRef use = LLVMGetFirstUse(i);
    if (LLVMIsAGetElementPtrInst(i))
        return LLVMGetNumOperands(i) == 2 && extends_row(x, i, bits_of_type(x, LLVMGetGEPSourceElementType(i)));
    if (!(LLVMIsAZExtInst(i) || LLVMIsASExtInst(i)) || !use || LLVMGetNextUse(use)) return false;
    return LLVMIsAGetElementPtrInst(LLVMGetUser(use)) && is_row_address(x, LLVMGetUser(use));
}

OpCost group_cost(const Lanes *x, LLVMValueRef i) {
    const TargetCosts *t = x->m->costs;
    if (is_free(i)) return (OpCost){0};
    if (is_row_address(x, i)) return scalar_cost(x, i, 0);
    if (LLVMIsALoadInst(i) || is_store(i)) return access_cost(x, i);
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
        double c = atomic_cycles(x, i);
        return (OpCost){.more = c, .latency = c};
    }
    if (is_vector_call(i)) return group_call(x, i, 1);
    if (!is_void(i) && shapes_is_affine(x->shapes, i)) return scalar_cost(x, i, 0);
    if (is_division(i)) return division_cost(x, i);
    if (is_fused(x, i)) return (OpCost){0};
    LLVMTypeRef type = LLVMTypeOf(LLVMIsACmpInst(i) ? LLVMGetOperand(i, 0) : i);
    CostOp op = op_of(x, i);
    bool mask = op == COST_MASK, index = LLVMIsAGetElementPtrInst(i) != NULL;
    unsigned bits = mask || index ? 32 : bits_of_type(x, type), registers = registers_of_bits(x, bits);
    if (!mask && !LLVMIsACmpInst(i) && lane_registers(x, i) && lane_registers(x, i) < registers && !index)
        registers = lane_registers(x, i); /* narrowed */
    int size = size_of_bits(registers > 1 ? x->m->vector_bits : bits * (unsigned)x->width);
    if (mask && x->m->vector_bits >= 512) registers = 1;
    if (mask && x->m->vector_bits < 512) op = COST_SIMPLE;
    if (index) op = COST_SIMPLE;
    if (op != COST_OPS && t->op[op][size].known) {
        OpCost c = of_units(&t->op[op][size], registers);
        double other = mask || index ? 0 : shim_cost(x->m->tm, i, (unsigned)x->width / registers, SHIM_LATENCY);
        if (other > c.latency) c.latency = other; /* the processor's model leaves out what passes between units */
        return c;
    }
    if (LLVMIsACallInst(i)) return group_call(x, i, registers);
    double n = shim_cost(x->m->tm, i, (unsigned)x->width, SHIM_THROUGHPUT);
    OpCost c = of_units(&t->op[COST_SIMPLE][size], n < 0 ? registers : n);
    double latency = shim_cost(x->m->tm, i, (unsigned)x->width / registers, SHIM_LATENCY);
    c.latency = latency > 0 ? latency : c.latency;
    return c;
}

double cycles_of_lanes(const Lanes *x, CostOp op, LLVMTypeRef t) {
    unsigned bits = bits_of_type(x, t), registers = registers_of_bits(x, bits);
    int size = size_of_bits(registers > 1 ? x->m->vector_bits : bits * (unsigned)x->width);
    const ShimSchedule *s = &x->m->costs->op[op][size];
    return (s->known ? s : &x->m->costs->op[COST_SIMPLE][size])->throughput * registers;
}

double group_cycles(const Lanes *x, LLVMValueRef i) { return cycles(group_cost(x, i)); }

/* ---- execution units ---- */

void use_units(UnitUse *u, OpCost c) {
    u->more += c.more;
    if (!c.unit || !c.unit->known) return;
    u->uops += c.unit->uops * c.count;
    for (int k = 0; k < SHIM_RESOURCES; k++) u->busy[k] += c.unit->busy[k] * c.count;
}

double use_cycles(const Module *m, const UnitUse *u) {
    double maximum = u->uops / m->costs->cpu.issue_width;
    for (int k = 0; k < SHIM_RESOURCES; k++)
        if (u->busy[k] > maximum) maximum = u->busy[k];
    return maximum + u->more;
}

void use_spills(const Module *m, UnitUse *u, unsigned registers) {
    use_units(u, of_units(largest(m, COST_STORE), registers));
    use_units(u, of_units(largest(m, COST_LOAD), registers));
}
