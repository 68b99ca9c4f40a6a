/* slice.h: the slice of a value: the instructions that compute it from values that are available elsewhere. May they be
** computed there, and doing so. */
#ifndef CUCPU_SLICE_H
#define CUCPU_SLICE_H
#include "passes/ir/edit.h"

/* What happens to nuw, nsw, exact, ... of clones. They hold where the instruction was executed: a clone that is
** executed where it might not have been loses them. */
typedef enum SliceFlags { SLICE_DROP_FLAGS, SLICE_DROP_NUW, SLICE_KEEP_FLAGS } SliceFlags;

typedef struct Slice {
    /* What stands for v at the new place: v itself if it is available there, or another value. NULL: v is in the
    ** slice. */
    LLVMValueRef (*available)(const void *context, LLVMValueRef v);
    const void *context;
    unsigned ops;                                          /* classes of operations (value.h) that it may consist of */
    bool (*may_have)(const void *context, LLVMValueRef i); /* and others; may be NULL */
    int depth;                                             /* operations from the value to one that is available */
    SliceFlags flags;
} Slice;

/* Shifts whose flags are dropped must be by constants: by more bits than there are they are poison. */
bool slice_can_clone(const Slice *s, LLVMValueRef v);
/* The value at the builder; the slice is cloned there. clones: what has been cloned already, for slices to one
** place. */
LLVMValueRef slice_clone(const Slice *s, LLVMBuilderRef b, LLVMValueRef v, PtrMap *clones);
/* Moves the slice itself to the builder; false if it cannot be moved. */
bool slice_move(const Slice *s, LLVMBuilderRef b, LLVMValueRef v);

/* An integer computed from the arguments of the kernel alone; with ids also from blockIdx, blockDim and gridDim: all
** threads of a block have the same. *of_block is set if blockIdx is among them; may be NULL. */
bool is_launch_value(LLVMValueRef v, bool ids, bool *of_block);
/* Its clone, at the builder. */
LLVMValueRef clone_launch_value(LLVMBuilderRef b, LLVMValueRef v);

/* A copy of the instruction may stand beside it where each group of lanes executes one of the two: it is no variable,
** and nothing that more threads than those of a group must execute together, nor a query that tells how many lanes
** there are. */
bool may_duplicate(LLVMValueRef i);
#endif
