/* slice.h: the slice of a value: the instructions that compute it from values that are available elsewhere. Queries
** whether they may be computed there, and does it. */
#ifndef CUCPU_SLICE_H
#define CUCPU_SLICE_H
#include "passes/ir/edit.h"

/* How clones treat nuw, nsw, exact, ... Flags hold where the instruction was executed: a clone that is executed where
** it might not have been loses them. */
typedef enum SliceFlags { SLICE_DROP_FLAGS, SLICE_DROP_NUW, SLICE_KEEP_FLAGS } SliceFlags;

typedef struct Slice {
    /* What represents v at the new position: v itself if it is available there, or another value. NULL: v is in the
    ** slice. */
    LLVMValueRef (*available)(const void *context, LLVMValueRef v);
    const void *context;
    unsigned ops;                                          /* classes of operations (value.h) that it may contain */
    bool (*may_have)(const void *context, LLVMValueRef i); /* and others; may be NULL */
    int depth;                                             /* operations from the value to one that is available */
    SliceFlags flags;
    bool other_function; /* clones have no debug location */
} Slice;

/* Shifts whose flags are dropped must be by constants: an amount beyond the width is poison. */
bool slice_can_clone(const Slice *s, LLVMValueRef v);
/* The value at the builder; the slice is cloned there. clones: values cloned already, for slices to one position. */
LLVMValueRef slice_clone(const Slice *s, LLVMBuilderRef b, LLVMValueRef v, PtrMap *clones);
/* Moves the slice itself to the builder; false if it cannot be moved. */
bool slice_move(const Slice *s, LLVMBuilderRef b, LLVMValueRef v);

/* An integer computed only from the arguments of the kernel; with ids also from blockIdx, blockDim and gridDim: the
** same for all threads of a block. *of_block is set if blockIdx is among them; may be NULL. */
bool is_launch_value(LLVMValueRef v, bool ids, bool *of_block);
/* Its clone, at the builder. */
LLVMValueRef clone_launch_value(LLVMBuilderRef b, LLVMValueRef v);

/* The instruction may be duplicated where each group of lanes executes one of the two copies: it is no variable,
** nothing that more threads than those of a group must execute together, and no query of the number of lanes. */
bool may_duplicate(LLVMValueRef i);
/* Any lane may execute the instruction: it accesses no memory and cannot trap. */
bool may_speculate(LLVMValueRef i);
#endif
