/* block_memory.h: memory of one block, shared memory or the frame, as a set of cells whose contents are known values,
** which promote_shared keeps in registers. */
#ifndef CUCPU_BLOCK_MEMORY_H
#define CUCPU_BLOCK_MEMORY_H
#include "passes/passes.h"

/* One load or store. */
typedef struct MemoryAccess {
    LLVMValueRef inst;
    bool store;
    int mask, value;  /* operand indices, -1: none; value of a load: its result in inactive lanes */
    LLVMTypeRef type; /* of the value */
    unsigned lanes;   /* pieces of `bytes` bytes, each in one cell */
    unsigned bytes;
    int64_t *at;   /* byte offset of each lane; INT64_MIN: the lane is never active */
    int *cell;     /* or -1 */
    bool varies;   /* the mask is not constant */
    bool pointers; /* lanes are pointers, which are not mixed with integers in a cell */
} MemoryAccess;

typedef struct MemorySlot {
    int64_t at; /* offset of its first cell; the others follow */
    int lanes;
    unsigned bytes; /* of a lane */
    bool pointers;
    int *cell;
} MemorySlot;

typedef struct BlockMemory {
    Module *m;
    Arena *a;
    LLVMValueRef fn, base;
    LLVMValueRef start;     /* an instruction: what it dominates is promoted */
    LLVMBasicBlockRef head; /* where a block begins; the memory has no known contents on paths through it */
    int64_t bytes;          /* that have contents there, from offset 0 */
    Vec(MemoryAccess) access;
    PtrMap of; /* instruction -> number of its access + 1 */
    LLVMValueRef
        /* why memory_collect failed: an address that is not constant, a select of addresses; NULL: for another
        ** reason */
        obstacle;
    int ncells, nslots, nvectors; /* nvectors: slots of several cells */
    int *slot_of;                 /* cell -> slot */
    MemorySlot *slot;
} BlockMemory;

/* Finds the accesses to what `base` points to in what `start` dominates. False if an access elsewhere may run in the
** same block of the grid before or after those, one of them is not of the kind that can be promoted, or has no constant
** offset. */
bool memory_collect(BlockMemory *b);
/* The cost of the accesses: instructions, more where lanes are accessed one by one, cross earlier stores, or wait for
** them. Requires memory_divide. */
int memory_cost(const BlockMemory *b);
/* Divides the memory into cells and slots of at most `slot_bytes`; false if accesses overlap in part, or there are more
** than `maximum` slots of several cells. */
bool memory_divide(BlockMemory *b, unsigned slot_bytes, int maximum);
/* Replaces all accesses; afterwards the memory is neither read nor written. Requires memory_divide and a reducible
** function. Returns the number of instructions built for that. */
int memory_promote(BlockMemory *b);
#endif
