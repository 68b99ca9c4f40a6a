/* cfg.h: the control-flow graph of one function as integers: reverse postorder, dominators,
** post-dominators, natural loops.  LLVM's C API has none of these.
**
** Blocks are numbered in *compact* order: a reverse postorder in which the blocks of a loop are
** contiguous, header first, and (as far as loops allow) so are the blocks that a block dominates.
** Linearisation needs exactly this order (Moll 2021, ch. 8; see docs).  Unreachable blocks have
** no number: run normalise_cfg first. */
#ifndef CUCPU_CFG_H
#define CUCPU_CFG_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>
#include <stdbool.h>

typedef struct Block {
    LLVMBasicBlockRef bb;
    int *succ, *pred; /* with multiplicity, in terminator order / number order */
    int nsucc, npred;
    int idom;               /* -1 for the entry */
    int ipdom;              /* -1 where the virtual exit is the post-dominator */
    int loop;               /* innermost loop, -1 = none */
    int dom_first, dom_end; /* interval of its dominator subtree in a walk of the tree: its index, and the end */
} Block;

typedef struct Loop {
    int header, parent, depth; /* parent -1 = none; depth of an outermost loop is 1 */
    int first, last;           /* block numbers first..last (inclusive) are the loop; first == header */
    int *latches, nlatches;
} Loop;

typedef struct Trips { /* see trips.c */
    Arena *a;
    unsigned *of; /* loop -> count; NULL: not computed yet */
} Trips;

typedef struct Cfg {
    LLVMValueRef fn;
    Block *b;
    int n;
    Loop *l; /* outer loops before the loops inside them */
    int nloops;
    bool reducible;
    PtrMap number; /* LLVMBasicBlockRef -> number + 1 */
    Trips *trips;
} Cfg;

/* Allocated in `a`; describes the current function. */
Cfg *cfg_build(Arena *a, LLVMValueRef fn);
int cfg_number(const Cfg *c, LLVMBasicBlockRef bb); /* -1 = unreachable */
bool cfg_dominates(const Cfg *c, int a, int b);     /* reflexive */
bool cfg_postdominates(const Cfg *c, int a, int b); /* reflexive */
unsigned cfg_trip_count(const Cfg *c, int loop);    /* if it is a constant, else 0; the first call computes all loops */
bool cfg_loop_contains(const Cfg *c, int loop, int block); /* of block -1: false */
int cfg_block_of(const Cfg *c, LLVMValueRef v);            /* -1: no instruction, or unreachable */
bool cfg_in_loop(const Cfg *c, int loop, LLVMValueRef v);  /* v is an instruction of the loop */
bool cfg_is_innermost(const Cfg *c, int loop);
int cfg_preheader(const Cfg *c, int loop);  /* the first predecessor of the header outside the loop */
long cfg_loop_size(const Cfg *c, int loop); /* instructions */
bool cfg_is_header_phi(const Cfg *c, int loop, LLVMValueRef v);
/* A cut (name_is_cut) is in the loop; -1: in the function. */
bool cfg_has_cut(const Cfg *c, int loop);
/* The !llvm.loop metadata of the loop has a property whose name begins so (#pragma unroll and the like). */
bool cfg_loop_has_property(const Cfg *c, int loop, const char *name);
/* Adds a property, without a value or (not NULL) with one. */
void cfg_loop_add_property(const Cfg *c, int loop, const char *name, LLVMValueRef value);
#endif
