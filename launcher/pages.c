/* pages.c: memory of the compiler in large pages.
**
** What LLVM allocates is small, much, and lives until the end: of a compilation of a second a sixth goes into page
** faults.  The C library can ask for large pages, and for much at a time, but only from the start of a process
** (GLIBC_TUNABLES, see "Memory Allocation Tunables" in its manual): the tools are started so.  This process extends its
** heap once and asks for large pages itself; what is not used of it is no memory, only addresses. */
#define _GNU_SOURCE
#include "launcher/pages.h"
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MiB = 1 << 20, HEAP = 256 * MiB, LARGEST = 32 * MiB /* threshold that mallopt takes */ };
#define LARGE_PAGE ((uintptr_t)2 * MiB)
#define TUNABLES                                                                                                       \
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_"   \
    "threshold=33554432"

void pages_of_own(void) {
    mallopt(M_MMAP_THRESHOLD, LARGEST);
    mallopt(M_TRIM_THRESHOLD, 4 * HEAP);
    mallopt(M_TOP_PAD, HEAP);
    uintptr_t from = ((uintptr_t)sbrk(0) + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    void *volatile top = malloc(LARGEST / 2);
    free(top);
    uintptr_t to = (uintptr_t)sbrk(0) & ~(LARGE_PAGE - 1);
    if (from < to) madvise((void *)from, to - from, MADV_HUGEPAGE); /* without them it is only slower */
}

void pages_of_tool(void) { setenv("GLIBC_TUNABLES", TUNABLES, 0); }
