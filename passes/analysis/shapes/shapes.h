/* shapes.h: the affine divergence analysis: which values of a kernel are equal, affine or different across the lanes of
** a group and the threads of a block, together with control divergence.
**
** A group is W consecutive threads. The layout determines how lanes relate to thread ids:
**  - rows (ROWS_FULL, ROWS): tid.x = x0 + lane, tid.y and tid.z the same in all lanes;
**  - general: consecutive linear ids, tid.x/y/z differ between lanes with no fixed stride.
**
** For integers and pointers (bytes) a value is
**     cx*tid.x + cy*tid.y + cz*tid.z + cl*lane' + base          (lane' = linear thread id)
** or a base plus a constant for each lane (shapes_runs), with each coefficient a known constant, uniform but unknown
** (tid*pitch), or unknown (varying); the base is uniform with a scope. Floats and predicates are uniform with a scope,
** or varying. */
#ifndef CUCPU_SHAPES_H
#define CUCPU_SHAPES_H
#include "cpu-runtime/variants.h"
#include "passes/ir/attributes.h"
#include "passes/ir/cfg.h"
#include <stdio.h>

/* The largest set of threads that agree on a uniform value. */
typedef enum Scope {
    SCOPE_GRID,  /* parameters, gridDim, constants */
    SCOPE_BLOCK, /* blockIdx, ... */
    SCOPE_GROUP, /* equal in the lanes of a group only */
    SCOPE_NONE   /* varying */
} Scope;

typedef enum CoefKind { COEF_KNOWN, COEF_UNIFORM, COEF_ANY } CoefKind;
typedef struct Coef {
    CoefKind kind;
    int64_t v;
} Coef;

typedef struct Shape {
    bool bottom;        /* nothing known yet: unreachable */
    Coef x, y, z, lane; /* lane: coefficient of the linear thread id */
    Scope base;         /* SCOPE_NONE: nothing is known of the value, it is varying */
    bool base_known;    /* base is the constant base_value */
    int64_t base_value;
    uint32_t align; /* base is a multiple of this power of two (in the value's units; >= 1) */
} Shape;

/* Assumed for width > 1: gridDim.x * blockDim.x does not exceed this, so that blockIdx.x * blockDim.x + threadIdx.x
** never wraps in 32 bits; nor does blockIdx.x * c for constants c up to ATTR_STEP (shapes_step). Longer rows have to be
** launched with width 1 (cucpu_row_fits). */
#define SHAPES_MAX_ROW CUCPU_MAX_ROW

typedef struct Shapes Shapes;

/* The largest constant by which the kernel multiplies blockIdx.x for an index in a row: for ATTR_STEP. Constants that
** realistic launches may take beyond 2^31 do not count. */
uint64_t shapes_step(LLVMValueRef kernel);

/* The kernel computes an index in such a row, by blockIdx.x * blockDim.x or as the id of a joined block. */
bool shapes_has_row(LLVMValueRef kernel);

/* Computes shapes and control divergence of the per-thread code of `fn` for groups of `width` lanes. width 1: every
** value is uniform for its group, but block and grid scopes are still computed. Requires a reducible normal form: one
** latch per loop, LCSSA. warp_size bounds cucpu.lane. block[3]: blockDim where known, else 0. */
Shapes *shapes_compute(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3]);

/* The same for a warp size other than 32 (shapes_compute: 32, or the width where that is more). */
Shapes *shapes_compute_warp(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3], int warp_size);

Shape shapes_of(const Shapes *s, LLVMValueRef v);
/* Same value in all lanes of a group (that are active where it is defined). */
/* The bits that hold the value in all active lanes, as a signed or an unsigned integer: its type's, or fewer. */
unsigned shapes_value_bits(const Shapes *s, LLVMValueRef v);
bool shapes_is_uniform(const Shapes *s, LLVMValueRef v);
/* The scope of a uniform value, SCOPE_NONE for others. */
Scope shapes_scope(const Shapes *s, LLVMValueRef v);
/* Scalar parts of non-uniform values are lane 0's, active or not: read "What the code generator must
** do" in docs/shapes.md (drop flags, or disjoint -> add, zext nneg -> sext).
** True if lane i's value is lane 0's value + i * *stride (bytes for pointers). */
bool shapes_lane_stride(const Shapes *s, LLVMValueRef v, int64_t *stride);
/* Uniform, or of a known stride. */
bool shapes_is_affine(const Shapes *s, LLVMValueRef v);
/* And no lane's value wraps relative to lane 0's, as a signed (or unsigned) integer. */
bool shapes_in_order(const Shapes *s, LLVMValueRef v, bool is_signed);
/* As above with a stride that is equal for all lanes but not a constant. */
bool shapes_has_unknown_stride(const Shapes *s, LLVMValueRef v);
/* In rows: for the thread one further along y of the same block, with the same tid.x and tid.z and at the same point of
** the program, the value is greater by *step (modulo 2^bits; bytes for pointers). *wraps: unless one narrow value in
** it, which changes by less than a million in the step, wraps before it is extended. */
bool shapes_step_along_y(const Shapes *s, LLVMValueRef v, int64_t *step, bool *wraps);
/* How lanes differ, where they do by compile-time constants: lanes come in aligned runs of r lanes, and in each the
** value of lane i is that of the run's first lane + offset[i] (modulo 2^bits; offset[width], bytes for pointers).
** Returns r, a power of two from 2 to width; 0 = nothing known. Affine and uniform values are included. r = width: the
** scalar part is lane 0's, as for affine ones; r < width: the value is varying, but its element for the first lane of a
** run is right wherever some lane of the run is active. */
int shapes_runs(const Shapes *s, LLVMValueRef v, int64_t *offset);
/* The runs of v (shorter than the width) are right between active lanes only: an inactive first lane may hold any
** value. */
bool shapes_runs_active(const Shapes *s, LLVMValueRef v);
/* This extension is affine over the active lanes only: where the mask is not full its lane-0 form
** must be extrapolated from an active lane (value of lane f less f * stride, in the wider type). */
bool shapes_rebased(const Shapes *s, LLVMValueRef ext);
/* This comparison is the same in all active lanes, but not in an inactive lane 0: linearise makes it one of the
** operands of the first active lane. */
bool shapes_compares_first(const Shapes *s, LLVMValueRef icmp);
/* Largest known power of two that divides lane 0's value (of the group), >= 1. */
uint32_t shapes_align(const Shapes *s, LLVMValueRef v);

/* Control: the lanes of a group can take different successors of this block. */
bool shapes_branch_divergent(const Shapes *s, int block);
/* Some lanes of a group can leave the loop in an earlier iteration than others. */
bool shapes_loop_divergent(const Shapes *s, int loop);
/* Lanes that entered the function together can be absent from this block. */
bool shapes_block_divergent(const Shapes *s, int block);
/* Whether all groups of the block take the same successor (its branch condition has block scope
** and the block itself is reached by all groups alike). */
bool shapes_branch_block_uniform(const Shapes *s, int block);
/* The scopes of these three: the largest set of threads that take the same successor, that are absent from the block
** together, that leave the loop in the same iteration. */
Scope shapes_branch_scope(const Shapes *s, int block);
Scope shapes_block_scope(const Shapes *s, int block);
Scope shapes_loop_scope(const Shapes *s, int loop);
/* The largest set of threads that enter the block over the same edge (sync), resp. that left the
** loops of its predecessors in the same iteration (temporal). */
Scope shapes_sync_scope(const Shapes *s, int block);
Scope shapes_temporal_scope(const Shapes *s, int block);
/* This alloca can be one object shared by the lanes of a group. */
bool shapes_alloca_uniform(const Shapes *s, LLVMValueRef alloca);
/* Marks these allocas with !cucpu.uniform, which a later run relies on: after linearisation the branches that prove it
** are gone. */
void shapes_mark_allocas(const Shapes *s);
/* Rewrites sext(a + b) to sext(a) + sext(b) where flags allow it and it makes addresses affine
** (shapes_extend.c).  Returns how many were rewritten; if any, the Shapes are out of date: compute
** them again (the Cfg stays valid). */
int shapes_push_extensions(Shapes *s);
/* Rewrites the instructions whose scalar part is computed for a lane 0 that may be inactive, so that no flag makes it
** poison (shapes_settle.c). Facts remain valid; new instructions have them too. */
void shapes_settle(Shapes *s);
/* What a code generator starts with: compute, push extensions, compute again if needed, settle. */
Shapes *shapes_for_widening(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3]);

/* One line per instruction, in block order: the golden of the analysis' tests. */
void shapes_print(const Shapes *s, FILE *f);
#endif
