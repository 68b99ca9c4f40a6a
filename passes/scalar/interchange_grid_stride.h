/* interchange_grid_stride.h: what the files of interchange_grid_stride share: facts of the loop, and what is built. */
#ifndef CUCPU_INTERCHANGE_GRID_STRIDE_H
#define CUCPU_INTERCHANGE_GRID_STRIDE_H
#include "passes/analysis/affine.h"
#include "passes/ir/cfg.h"
#include "passes/passes.h"

enum { MAX_CARRIED = 4, MAX_THREADS = 1024 /* of a block */ };

typedef struct Stride {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *c;
    int loop;
    LLVMBasicBlockRef header, latch, before, after;
    LLVMValueRef i, start, step, n; /* i = phi(start, i + step), and the loop goes on while i < n */
    bool is_signed, inclusive;      /* inclusive: it goes on while i <= n */
    LLVMValueRef extended;          /* start is this 32-bit sum, extended to 64 bits; else NULL */
    LLVMBasicBlockRef body;         /* the successor of the header inside the loop */
    LLVMBasicBlockRef leaves;       /* a block that leaves the loop, too; NULL: there is none */
    Affine base;                    /* start without threadIdx.x; modulo, in the type of start, or of `extended` */
    /* base, blockIdx.x * block_step, if the loop is one of the grid; else NULL */
    LLVMValueRef block, block_step;
    PtrMap copy; /* values and blocks of the loop -> those of the new one */
} Stride;

/* All threads of the block have the value v, and can compute it before the loop: that value. */
bool grid_loop_is_uniform(const Stride *s, LLVMValueRef v);
LLVMValueRef grid_loop_hoisted(Stride *s, LLVMValueRef v);

/* ---- grid_stride_loop.c ---- */
void build_grid_loop(Stride *s);
#endif
