/* op_cost.h: what an instruction costs a group of W lanes, or a thread alone: cycles, by LLVM's tables.
**
** An operation that op_cost.def names takes the latency, throughput and execution units that the processor's scheduling
** model gives for its instruction; others take what TargetTransformInfo says, in simple instructions. Wider vectors
** than a register are several operations. What no table of LLVM knows is a row of cost.def. */
#ifndef CUCPU_OP_COST_H
#define CUCPU_OP_COST_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/kernel.h"
#include "passes/ir/shim.h"

/* Tunables of the model: what no table of LLVM knows. */
#define COST(name, value, unit, why) static const double name = value;
#include "passes/analysis/cost.def"
#undef COST

typedef enum CostOp {
#define OP(name, feature, x, y, z, scalar) COST_##name,
#include "passes/analysis/op_cost.def"
#undef OP
    COST_OPS
} CostOp;

/* The target's tables (Module.costs). */
enum { SCALAR, BITS_128, BITS_256, BITS_512, COST_SIZES };
typedef struct TargetCosts {
    ShimSchedule op[COST_OPS][COST_SIZES];
    ShimProcessor cpu;
    unsigned scheduler_size; /* micro-operations that wait for their operands at once */
} TargetCosts;
TargetCosts *target_costs(Arena *a, LLVMTargetMachineRef tm, LLVMValueRef probe);

/* The groups that a cost is of. */
typedef struct Lanes {
    const Module *m;
    const Shapes *shapes; /* for this width */
    int width;
    bool tested;   /* lanes that a test at run time may find consecutive mostly are (widen_extended, row tests) */
    bool narrowed; /* 32-bit integers take the bits that their range needs, as LLVM makes of sums that end in bytes */
} Lanes;

typedef struct OpCost {
    const ShimSchedule *unit; /* what the operation is made of, NULL: nothing is known of its execution units */
    double count;             /* so many of them; without a unit: so many instructions, of a function */
    double more;              /* cycles besides */
    double latency;           /* cycles to the result */
} OpCost;
OpCost group_cost(const Lanes *x, LLVMValueRef inst);

/* Cycles that a group, or a single thread, spends on the instruction. */
double group_cycles(const Lanes *x, LLVMValueRef inst);
double thread_cycles(const Module *m, LLVMValueRef inst);

/* Execution units in use by several instructions: the throughput of all together is that of the busiest unit. */
typedef struct UnitUse {
    double busy[SHIM_RESOURCES], uops, more;
} UnitUse;
void use_units(UnitUse *u, OpCost c);
double use_cycles(const Module *m, const UnitUse *u);
void use_spills(const Module *m, UnitUse *u, unsigned registers); /* each is stored and loaded */

/* Cycles of one such instruction of the largest register: of the units of an estimate, for thresholds. */
double cycles_of_op(const Module *m, CostOp op);
/* The same for values of this type of a group. */
double cycles_of_lanes(const Lanes *x, CostOp op, LLVMTypeRef t);
double latency_of_op(const Module *m, CostOp op);
double gather_latency(const Lanes *x, LLVMValueRef access);
/* Cycles of llvm.masked.gather or scatter. */
double cycles_of_gather(const Module *m, LLVMValueRef call);

/* Vector registers of the value; 0: a scalar, a mask, or no value. */
unsigned lane_registers(const Lanes *x, LLVMValueRef v);

/* How the lanes of a load or store lie. */
typedef enum AccessShape {
    ACCESS_NONE,
    ACCESS_UNIFORM,
    ACCESS_CONTIGUOUS,
    ACCESS_STRIDED, /* a few elements apart, or in runs: loaded by rows and shuffled */
    ACCESS_TILE,    /* a column, whose neighbours rows in lockstep access: transposed in registers (tile_accesses) */
    ACCESS_GATHER   /* anywhere, or far from each other */
} AccessShape;
AccessShape access_shape(const Lanes *x, LLVMValueRef inst);
bool is_irregular(const Lanes *x, LLVMValueRef inst); /* ACCESS_GATHER */
bool is_scattered(const Lanes *x, LLVMValueRef inst); /* and no test at run time will find the lanes consecutive */
bool is_vector_call(LLVMValueRef inst);
#endif
