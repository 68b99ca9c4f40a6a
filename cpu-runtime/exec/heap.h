/* heap.h: the heap of device code, as the host sees it. */
#ifndef CUCPU_HEAP_H
#define CUCPU_HEAP_H
#include <stdbool.h>

bool rt_heap_touched(void); /* a kernel has called malloc since the start or the last reset */
void rt_reset_heap(void);
#endif
