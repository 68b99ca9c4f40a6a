/* runtime_stubs.c: what kernels, and cpu-runtime/exec/barrier.c and warp.c, need of the rest of the runtime.
**
** Kernels whose groups wait for parts of the block, or poll, or (at width 1) meet others of their warp,
** ask them who can go on; here they are linked into the fuzzer.  A barrier that cannot be met is a
** finding: the process ends. */
#include "exec/fault.h"
#include "exec/barrier.h"
#include "exec/worker.h"
#include "tests/fuzz/program.h"
#include "tests/fuzz/random.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Another order each time. */
const uint32_t *cucpu_group_order(uint32_t groups) {
    static uint32_t order[MAX_THREADS];
    static Random r;
    if (groups > MAX_THREADS) abort();
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t j = (uint32_t)random_below(&r, (int)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

uint64_t cucpu_private_cache(void) { return 1 << 19; }

CucpuThread *cucpu_thread(void) {
    static CucpuThread thread;
    return &thread;
}

uint64_t cucpu_stack_floor(void) { return 0; }

CucpuBlock *rt_left_block(uint32_t *cluster) { return (void)cluster, NULL; }

void rt_describe_kernel(char *text, size_t size) { snprintf(text, size, "kernel"); }

void rt_message(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

void rt_worker_polls(void) {}

bool rt_polls_in_vain(void) { return false; }
void rt_tell_stuck(const char *what, const char *file, uint32_t line) { (void)what, (void)file, (void)line; }
void rt_worker_fault(cudaError_t e) {
    (void)e;
    abort();
}
