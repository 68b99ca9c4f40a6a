/* fault.c: assertions, traps and broken barriers of device code, and device printf.
**
** None of the fault functions returns: the kernel is left and the error becomes sticky. */
#include "exec/fault.h"
#include "exec/worker.h"
#include <stdio.h>

static void (*_Atomic on_stuck)(const char *what, const char *file, uint32_t line);

void rt_on_stuck(void (*f)(const char *what, const char *file, uint32_t line)) { atomic_store(&on_stuck, f); }

static bool (*_Atomic on_poll)(void);

void rt_on_poll(bool (*f)(void)) { atomic_store(&on_poll, f); }

bool rt_polls_in_vain(void) {
    bool (*f)(void) = atomic_load_explicit(&on_poll, memory_order_relaxed);
    return RT_UNLIKELY(f != NULL) && f();
}

void rt_tell_stuck(const char *what, const char *file, uint32_t line) {
    void (*f)(const char *, const char *, uint32_t) = atomic_load(&on_stuck);
    if (f) f(what, file, line);
}

void cucpu_assertfail(const char *message, const char *file, uint32_t line, const char *function,
                      const uint32_t block[3], const uint32_t thread[3]) {
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line, function,
            block[0], block[1], block[2], thread[0], thread[1], thread[2], message);
    rt_worker_fault(cudaErrorAssert);
}

void cucpu_trap(void) {
    char where[512];
    rt_describe_kernel(where, sizeof where);
    rt_message("%s: trap", where);
    rt_worker_fault(cudaErrorLaunchFailure);
}

void cucpu_stack_overflow(void) {
    char where[512];
    rt_describe_kernel(where, sizeof where);
    rt_message("%s: stack overflow: a thread recurses over more than 512 KiB of local memory", where);
    rt_worker_fault(cudaErrorIllegalAddress);
}

void cucpu_host_call(const char *function, const char *file, uint32_t line) {
    char where[512];
    rt_describe_kernel(where, sizeof where);
    if (line) rt_message("%s: %s:%u: call of a __host__ function, '%s'", where, file, line, function);
    else rt_message("%s: call of a __host__ function, '%s', through its address", where, function);
    rt_worker_fault(cudaErrorLaunchFailure);
}

void cucpu_barrier_fault(const char *file, uint32_t line, uint64_t arrived, uint64_t missing) {
    char where[512];
    rt_describe_kernel(where, sizeof where);
    rt_tell_stuck("block", file, line);
    rt_message("%s: %s:%u: barrier cannot be met: %llu threads arrived, %llu wait elsewhere", where, file ? file : "?",
               line, (unsigned long long)arrived, (unsigned long long)missing);
    rt_worker_fault(cudaErrorLaunchFailure);
}
