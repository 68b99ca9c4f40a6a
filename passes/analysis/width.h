/* width.h: how many lanes a kernel gets, by estimates of its cost (choose_width.c, wide_rows.c, narrow_rows.c). */
#ifndef CUCPU_WIDTH_H
#define CUCPU_WIDTH_H
#include "passes/ir/kernel.h"

typedef struct Width {
    int lanes;
    int scalar;        /* scalar variant beside them, selected at run time: its estimate, percent of theirs; 0 = none */
    bool scalar_first; /* it is estimated faster */
    bool sums;         /* autotuned only where several workers run the blocks (CUCPU_KERNEL_SUMS) */
    double
        gain; /* of a kernel without autotuning: below 1 in groups with idle lanes = one lane is better there; else 0 */
} Width;
Width choose_width(Module *m, LLVMValueRef kernel); /* by option or cost */
/* Groups of the variant for a block of one column take less time than those of rows of neighbouring blocks
** (CUCPU_KERNEL_JOINED). */
bool column_is_faster(Module *m, LLVMValueRef kernel, LLVMValueRef column, int width, const unsigned block[3]);
bool lanes_lie_apart(Module *m, LLVMValueRef kernel,
                     int width); /* some access of global memory is a gather or scatter */
double cycles_of_lane(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]); /* estimate */
bool hides_order(LLVMValueRef kernel); /* no result depends on the order in which threads run */
/* For estimates alone: a copy in which no sum or product wraps; unsigned indices of neighbours are consecutive then
** (widen_extended tests that at run time). The caller deletes it. */
LLVMValueRef clone_without_wrap(LLVMValueRef fn);
/* The time of groups of `lanes` along y or z, in blocks of the swapped size, percent of those along x, as estimated; 0:
** those are not faster. */
unsigned swapped_time(Module *m, LLVMValueRef kernel, int width, LLVMValueRef swapped, int lanes,
                      const unsigned block[3]);
int choose_wide_rows(Module *m, LLVMValueRef kernel, int width); /* up to so many lanes where rows fill them */
/* Fewer lanes than `less`, which is `width` or less, for rows that are shorter than `width`; 0: none. block: NULL =
** any. */
int narrow_rows(Module *m, LLVMValueRef kernel, int width, int less, const unsigned block[3]);
#endif
