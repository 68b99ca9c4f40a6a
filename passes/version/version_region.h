/* version_region: two versions of a part of a kernel, after a test with the same result for all lanes of a group.
**
**   A: P; E    becomes    A: br test, P', P       P' and P: br E
**
** The part begins at an instruction and is what that dominates, to the end of the loop around it or of the function.
** The caller builds the test between part_cut and part_copy, changes the copy through the map, and ends with
** part_branch. */
#ifndef CUCPU_VERSION_REGION_H
#define CUCPU_VERSION_REGION_H
#include "passes/passes.h"

typedef struct Part {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    LLVMBuilderRef b;
    LLVMValueRef from; /* the first instruction */
    int at, last;      /* its block, and the block at whose end all paths of the part join; -1 */
    int limit;         /* no larger than so many instructions */
    /* from part_cut on, with block numbers of the new Cfg */
    LLVMValueRef jump; /* before the part: tests are built before it */
    LLVMBasicBlockRef body, copy;
    bool *has;
    int to, stop;
} Part;

/* Finds the end of the part that begins at from, in block at: it can be copied. */
bool part_find(Part *x);
/* The barrier of an interchanged variant gets a separate block. */
void part_isolate_barrier(Kernel *k);
/* Some gather or scatter has an address that depends on v. */
bool part_moves_memory(const Part *x, LLVMValueRef v);
/* Splits the part off; the builder is where the test belongs. */
void part_cut(Part *x);
/* Makes the copy; the map has the copies of instructions. */
void part_copy(Part *x, const char *name, PtrMap *map);
/* Groups for which the test is true take the copy; further copies can be made for the others. */
void part_add_branch(Part *x, LLVMValueRef test, const char *others);
/* After the last of these: normal form is restored. */
void part_finish(Part *x);
/* Groups for which the test is true take the copy, which is the only one. Normal form is restored. */
void part_branch(Part *x, LLVMValueRef test);
#endif
