/* access_groups.h: loads of a thread, or of a group of lanes, that threads further along y make as well.
**
**   a[(y - 1) * n + x], a[y * n + x], a[(y + 1) * n + x]
**
** In blocks of several rows the third load of row y is the second one of row y + 1: both are members of an access
** group, as Moll (2021) calls it, at rows 2 and 1 relative to the first one. Rows that run in lockstep load each
** element once (unroll_and_jam).
**
** Members are in one basic block, and nothing is written between the first and the last of them. Addresses are compared
** as polynomials of values that rows share, modulo 2^bits, with what is extended from fewer bits in its own form: no
** flags are needed, and equal forms are equal addresses. */
#ifndef CUCPU_ACCESS_GROUPS_H
#define CUCPU_ACCESS_GROUPS_H
#include "passes/ir/cfg.h"
#include <llvm-c/Target.h>

typedef struct AccessMember {
    LLVMValueRef load;
    int block, group,
        row; /* row: relative to the lowest member; that of thread y is another one's of y + the difference */
} AccessMember;

typedef struct AccessGroups {
    Vec(AccessMember) members; /* in the order of the code; of groups with several rows */
    Vec(int) rows;             /* by group: how many rows it spans */
    PtrMap of;                 /* load -> index of its member + 1 */
} AccessGroups;

/* blocks: those to look at, NULL = all. */
AccessGroups *access_groups(Arena *a, const Cfg *cfg, LLVMTargetDataRef layout, const bool *blocks);
const AccessMember *access_member(const AccessGroups *g, LLVMValueRef load); /* NULL: it is in no group */
/* The share of the loads of its group that so many rows in lockstep do not make. */
double access_group_saves(const AccessGroups *g, int group, int rows);
#endif
