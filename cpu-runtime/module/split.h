/* split.h: the parts of a PTX text that can be compiled one by one (split.c). */
#ifndef CUCPU_SPLIT_H
#define CUCPU_SPLIT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RtSplit RtSplit;

/* What a text declares; NULL: it cannot be told without the compiler, or no memory.  The text must stay. */
RtSplit *rt_split_text(const char *text, size_t n);
void rt_free_split(RtSplit *s);
/* Its kernels, in the order of the text; names end with a NUL. */
uint32_t rt_split_kernels(const RtSplit *s);
const char *rt_split_kernel(const RtSplit *s, uint32_t index);
/* The part that has this kernel or variable: from 0 on, below rt_split_parts(); -1: there is none. */
int rt_part_of_kernel(RtSplit *s, uint32_t index);
int rt_part_of_variable(RtSplit *s, const char *name);
uint32_t rt_split_parts(const RtSplit *s);
/* The text of a part (malloc'ed, with a NUL): its kernels, and all that they need.  NULL: no memory. */
char *rt_part_text(RtSplit *s, int part, size_t *n);
#endif
