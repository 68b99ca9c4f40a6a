/* heap.c: malloc and free of device code: the device heap, whose size is cudaLimitMallocHeapSize.
**
** The memory is the C library's; what is counted against the limit is what kernels asked for.  In front of each block lies a
** head by which free knows it: what is not such a block, or is one no more, ends the kernel.  cudaDeviceReset makes the heap
** empty: blocks that kernels have left are kept, as a list of them would cost each malloc a lock, but count no more. */
#include "rt.h"
#include <stdlib.h>

typedef struct Head { /* right in front of the block, keeps it at a multiple of 16 */
    uint64_t bytes : 58, shift : 6, mark; /* 2^shift bytes in front of the block the memory begins */
} Head;

enum { USUAL = 4 };

static _Atomic uint64_t in_use, generation;
static _Atomic bool touched;

static uint64_t mark_of(const Head *h) {
    return ((uintptr_t)h ^ 0xc0ffee5eed00d1e5u) + generation * 0x9e3779b97f4a7c15u;
}

bool rt_heap_touched(void) { return touched; }

void rt_reset_heap(void) {
    atomic_fetch_add(&generation, 1);
    atomic_store(&in_use, 0);
    atomic_store(&touched, false);
}

/* Signals are held: the C library's locks must not be left behind. */
static void *allocate(uint64_t bytes, unsigned shift) {
    rt_hold_signals(true);
    void *p = shift == USUAL ? malloc(bytes) : aligned_alloc((size_t)1 << shift, RT_ROUND(bytes, (size_t)1 << shift));
    rt_hold_signals(false);
    return p;
}

void *cucpu_local_malloc(uint64_t bytes) { return allocate(bytes, USUAL); }

void cucpu_local_free(void *p) {
    rt_hold_signals(true);
    free(p);
    rt_hold_signals(false);
}

static void *take(uint64_t bytes, unsigned shift) {
    uint64_t limit = rt_limit(cudaLimitMallocHeapSize);
    if (!atomic_load_explicit(&touched, memory_order_relaxed)) atomic_store(&touched, true);
    if (bytes > limit) return NULL;
    uint64_t before = atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed);
    char *memory = before <= limit - bytes ? allocate(((uint64_t)1 << shift) + bytes, shift) : NULL;
    if (!memory) {
        atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
        return NULL;
    }
    Head *h = (Head *)(memory + ((size_t)1 << shift)) - 1;
    *h = (Head){bytes, shift, mark_of(h)};
    return h + 1;
}

void *cucpu_malloc(uint64_t bytes) { return take(bytes, USUAL); }

void *cucpu_malloc_aligned(uint64_t bytes, uint64_t alignment) {
    if (!alignment || alignment & (alignment - 1) || alignment > rt_limit(cudaLimitMallocHeapSize)) return NULL;
    unsigned shift = (unsigned)__builtin_ctzll(alignment);
    return take(bytes, shift > USUAL ? shift : USUAL);
}

void cucpu_free(void *p) {
    char where[512];
    if (!p) return;
    Head *h = (Head *)p - 1;
    if ((uintptr_t)p % sizeof *h || h->mark != mark_of(h)) {
        rt_describe_kernel(where, sizeof where);
        rt_message("%s: free(%p), which malloc has not given or which is free already", where, p);
        rt_worker_fault(cudaErrorLaunchFailure);
    }
    h->mark = 0;
    atomic_fetch_sub_explicit(&in_use, h->bytes, memory_order_relaxed);
    cucpu_local_free((char *)p - ((size_t)1 << h->shift));
}
