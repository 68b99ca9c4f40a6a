/* version_region: the versioning engine: a second version of a region of a kernel, for groups or blocks in which
** assumptions hold.
**
**   A: R; E    becomes    A: br holds, R', R       R' and R: br E       R': R with replacements for values
**
** A pass is a finder: it finds a region and assumptions, and builds the conditions under which they hold. An assumption
** is a value, of the region or from before it, and what it is equal to wherever the conditions hold. The engine decides
** what can be copied and how much, makes the copy, substitutes, joins the values of both versions, and restores normal
** form.
**
** Regions begin before an instruction, and are
** - what that dominates, to the end of the loop around it or of the function (region_find_rest);
** - or only up to a block in which all paths from it join (region_find_until);
** - or an arm of the branch that it is: the copy is entered instead of the branch (region_find_arm);
** - or the whole kernel with its barriers: the check has one result for all threads of a block (region_find_kernel).
** Else the check is one of a group, and barriers and other convergent operations cannot be copied (may_duplicate).
**
** Order of calls: region_find_*, region_cut, region_require and region_assume, region_copy (the last three again for
** further copies, taken by those that do not take the ones before), region_finish. */
#ifndef CUCPU_VERSION_REGION_H
#define CUCPU_VERSION_REGION_H
#include "passes/analysis/cost.h"
#include "passes/passes.h"

typedef struct Assumption {
    LLVMValueRef value, replacement;
} Assumption;

typedef struct Region {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    LLVMBuilderRef b;
    unsigned tried; /* metadata: originals of what a copy is for */
    int copies;     /* that will be made, if more than one */
    LLVMValueRef from;
    int at, last;           /* the block of from; that at whose end all paths of the region join, -1 */
    LLVMBasicBlockRef arm;  /* the copy begins with it; NULL: with from */
    LLVMBasicBlockRef join; /* where all paths join; NULL: after `last` */
    int size;               /* instructions */
    bool of_block;          /* all threads of a block take the same version */
    bool *has;              /* its blocks, numbered from `to` on; region_cut makes a new Cfg */
    int to, stop;           /* stop: where all paths join, -1 */
    /* from region_cut on */
    LLVMValueRef jump; /* to the original */
    LLVMBasicBlockRef body, copy;
    PtrMap map; /* instruction -> its copy, in the last one */
    LLVMValueRef holds, in_all_lanes;
    Vec(Assumption) assumed;
} Region;

#define for_each_region_instruction(i, number, r)                                                                      \
    for (int number = (r)->to; number < (r)->c->n; number++)                                                           \
        for (LLVMValueRef i = (r)->has[number] ? LLVMGetFirstInstruction((r)->c->b[number].bb) : NULL; i;              \
             i = LLVMGetNextInstruction(i))

/* Metadata: divisions in a copy that is for a divisor below W. */
#define SMALL_DIVISOR "cucpu.small"

/* ---- growth ---- */
/* Instructions that further copies may add to the kernel: all versions share GROWTH_VERSIONS (ATTR_GROWTH). */
int growth_left(const Kernel *k);
void add_growth(Kernel *k, int instructions);
/* A copy of so many instructions is profitable that saves the masks of accesses, so many contiguous ones. */
static inline bool saves_enough(int gain, int instructions) {
    return gain >= COST_VERSION_GAIN && gain * COST_VERSION_SIZE >= instructions;
}

/* ---- finders: false if it cannot be copied, or if the copies would be too large ---- */
/* What begins with `from`, in block `at`. */
bool region_find_rest(Region *r, int at, LLVMValueRef from);
/* The same up to a block that `at` dominates. */
bool region_find_until(Region *r, int at, LLVMValueRef from, LLVMBasicBlockRef join);
/* The arm of the branch at the end of block `at` that begins with block `to`, which has no other predecessor. */
bool region_find_arm(Region *r, int at, int to);
bool region_find_kernel(Region *r);

/* Some gather or scatter has an address that depends on v. */
bool region_moves_memory(const Region *r, LLVMValueRef v);
/* Finders leave the value alone from now on: in the original, and there are no other copies. */
void region_mark_tried(Region *r, LLVMValueRef v);
/* v is defined before the region, which has been cut. */
bool region_is_before(const Region *r, LLVMValueRef v);

/* ---- versions ---- */
/* Splits the region off; the builder is where the check belongs. name: of the original. */
void region_cut(Region *r, const char *name);
/* What must hold, one value for the group; or for each lane, in all of its lanes. */
void region_require(Region *r, LLVMValueRef condition);
void region_require_in_lanes(Region *r, LLVMValueRef condition);
/* In the copy users of value use replacement, a constant, a value that the builder could use, or one of the region,
** computed before value. */
void region_assume(Region *r, LLVMValueRef value, LLVMValueRef replacement);
/* Makes the copy; name: also of the block of the groups that do not take it, NULL: that is the original. */
void region_copy(Region *r, const char *name, const char *others);
/* After the last copy: normal form is restored, after LLVM passes that clean up (or NULL). */
void region_finish(Region *r, const char *cleanup);

/* Up to `max` versions, one after the other: find describes a region of the kernel as it is then, and make calls the
** functions above. The context begins with a Region, of which k and tried are set. False: there was none. */
bool make_versions(Region *r, int max, bool (*find)(void *context), void (*make)(void *context), void *context);
#endif
