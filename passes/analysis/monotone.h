/* monotone.h: comparisons that change at most once along a row of threads (tid.x = 0, 1, 2, ...). */
#ifndef CUCPU_MONOTONE_H
#define CUCPU_MONOTONE_H
#include <llvm-c/Core.h>
#include <stdbool.h>

/* Whether a value is the same for all threads (or groups) of a row. */
typedef struct RowFixed {
    bool (*is_fixed)(const void *context, LLVMValueRef v);
    const void *context;
} RowFixed;

/* How the result of an integer comparison, scalar or over the lanes of a group, changes along a row: +1 once true it
** remains true, -1 once false it remains false, 0 not known. Wrap-around is excluded by flags and by the range of
** thread ids. */
int monotone_compare(LLVMValueRef compare, RowFixed fixed);
#endif
