/* loop_groups.h: what the two files of loop_groups share: the regions of a kernel, the state of
** its generated entry, and the builders that both use.
**
** loop_groups.c makes the loops (blocks, groups, code of a region); dispatch.c makes what runs
** between them: which region is next, which groups run in it, how a block is left and entered again
** at a barrier of the grid. */
#ifndef CUCPU_LOOP_GROUPS_H
#define CUCPU_LOOP_GROUPS_H
#include "passes/passes.h"

enum { END = -1 };

typedef struct Region {
    int start;             /* block number; 0 = kernel entry */
    LLVMValueRef barrier;  /* it starts behind this one; NULL for region 0 */
    bool *has;             /* block number -> member */
    Vec(int) exits;        /* regions it leads to, END for return */
    bool uniform_choice;   /* the choice between its exits is uniform for the block */
    LLVMBasicBlockRef head, done;
    LLVMBasicBlockRef suspend; /* behind a grid barrier, static dispatch: leaves the block */
    LLVMValueRef acc;      /* alloca: accumulator of a reducing barrier */
    Vec(int) written;      /* block slots that it defines */
} Region;

typedef struct Slot {
    LLVMValueRef cur, next; /* allocas */
    uint64_t size;
    uint64_t offset; /* in the block's part of the frame, while the block waits for the grid */
} Slot;

typedef struct Loops {
    Kernel *k;
    Arena *a;
    LLVMBuilderRef b;
    LLVMModuleRef mod;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    Cfg *cfg;
    Region *r;
    int n;              /* regions */
    int *region_of;     /* block number -> region that starts there, or -1 */
    bool dynamic;       /* groups can stop at different places */
    bool named;         /* barriers of a part of the block, or more than one */
    bool grid;          /* has grid barriers */
    bool counted;       /* dynamic, and the runtime finds out which barriers are met */
    LLVMValueRef entry; /* the new function */
    LLVMValueRef id[NAME_COUNT]; /* values of the launch- and block-level names */
    LLVMValueRef launch, worker, frame, groups, threads, tids, *args;
    LLVMValueRef fixed;                          /* the block's part of the frame */
    LLVMValueRef x, y, z, g, block;              /* allocas: loop variables */
    LLVMValueRef exit, pending, arrived, parity; /* dispatch state: allocas, pending may be in the frame */
    LLVMTypeRef set;                             /* of regions; member n: has returned */
    Vec(Slot) slots;
    uint64_t resume_offset, frame_bytes, fixed_bytes, arrivals_offset;
    LLVMBasicBlockRef dispatch, pick, suspend, block_done, block_next;
    PtrMap *map; /* of the region being copied */
} Loops;

/* ---- builders ---- */
static inline LLVMValueRef c32(const Loops *l, uint64_t v) { return LLVMConstInt(l->i32, v, 0); }
static inline LLVMValueRef c64(const Loops *l, uint64_t v) { return LLVMConstInt(l->i64, v, 0); }
static inline LLVMBasicBlockRef new_block(const Loops *l, const char *name) {
    return LLVMAppendBasicBlockInContext(l->k->m->ctx, l->entry, name);
}
static inline LLVMValueRef load(const Loops *l, LLVMTypeRef t, LLVMValueRef p, const char *name) {
    return LLVMBuildLoad2(l->b, t, p, name);
}
static inline LLVMValueRef local(Loops *l, LLVMTypeRef t, const char *name) { return LLVMBuildAlloca(l->b, t, name); }

/* ---- loop_groups.c ---- */
LLVMValueRef frame_slot(Loops *l, uint64_t offset, uint64_t size);
LLVMValueRef mapped(const Loops *l, LLVMValueRef v);

/* ---- dispatch.c ---- */
/* Barriers of a part of the block, or with an id other than 0: groups of one block may wait at
** different barriers, and be in different iterations of one loop, at the same time. */
bool has_named_barriers(LLVMValueRef fn);
void plan_dispatch(Loops *l);      /* after the regions are known: kind of dispatch, frame layout */
void dispatch_variables(Loops *l); /* in the entry block */
void enter_block(Loops *l);        /* from a block's head to a region */
void skip_others(Loops *l, const Region *r, LLVMBasicBlockRef latch);
void note_stop(Loops *l, const Region *r, int to); /* the running group has arrived at region `to` */
void leave_region(Loops *l, Region *r);
void emit_dispatch(Loops *l);
void end_block(Loops *l); /* fills block_done; the builder ends in block_next */
#endif
