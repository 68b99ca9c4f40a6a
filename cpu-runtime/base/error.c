/* error.c: error codes, their texts, the last error of a thread and the sticky error.
**
** A call returns its error and stores it for cudaGetLastError of the same host thread, which forgets it.
** A fault in a kernel is sticky: it stays the answer of every call that looks at the device until
** cudaDeviceReset.  As the device runs asynchronously, a fault is not seen by the launch that
** caused it but by the next such call. */
#include "base/base.h"
#include "base/log.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static RT_TLS cudaError_t host_error, device_error; /* of the host thread, and of the kernels that it runs */
static _Atomic int sticky;

static cudaError_t *last_error(void) { return rt_in_kernel() ? &device_error : &host_error; }

void rt_clear_device_error(void) { device_error = cudaSuccess; }

static void (*_Atomic on_error)(const char *function, cudaError_t e);

void rt_on_error(void (*f)(const char *function, cudaError_t e)) { atomic_store(&on_error, f); }

cudaError_t rt_end_of(const char *function, cudaError_t e) {
    if (RT_LIKELY(e == cudaSuccess) || e == cudaErrorNotReady) return e;
    *last_error() = e;
    if (RT_UNLIKELY(rt_profiled)) rt_call_result((uint32_t)e);
    void (*f)(const char *, cudaError_t) = atomic_load_explicit(&on_error, memory_order_relaxed);
    if (f && !rt_in_kernel()) f(function, e);
    if (rt_used != RT_BY_DRIVER && !rt_in_kernel()) rt_log_result(function, (int)e, cudaGetErrorName(e));
    return e;
}

RT_TLS enum RtUse rt_used;
RT_TLS void *rt_context;
_Atomic bool rt_ever_used, rt_primary_held;

cudaError_t rt_swap_last_error(cudaError_t e) {
    cudaError_t *last = last_error(), old = *last;
    *last = e;
    return old;
}

cudaError_t rt_sticky(void) { return (cudaError_t)atomic_load_explicit(&sticky, memory_order_relaxed); }

RT_TLS bool rt_in_host_function;
RT_TLS volatile sig_atomic_t rt_kernel_active;

void rt_hold_primary(void) {
    rt_ever_used = true;
    if (rt_used == RT_BY_DRIVER) return;
    rt_used = RT_USED;
    rt_primary_held = true;
}

cudaError_t rt_enter(void) {
    if (RT_UNLIKELY(rt_in_host_function)) return cudaErrorNotPermitted;
    if (RT_UNLIKELY(!rt_used || !rt_primary_held)) rt_hold_primary();
    return rt_sticky();
}

cudaError_t rt_enter_without_context(void) {
    if (RT_UNLIKELY(!rt_ever_used)) rt_ever_used = true;
    return rt_in_host_function ? cudaErrorNotPermitted : cudaSuccess;
}

void rt_set_sticky(cudaError_t e) {
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&sticky, &none, (int)e);
}

/* An error that is not of the context stays the last one. */
void rt_clear_sticky(void) {
    if (host_error == (cudaError_t)atomic_exchange(&sticky, cudaSuccess)) host_error = cudaSuccess;
}

void rt_message(const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "cucpu: %s\n", line);
    rt_log(line);
}

static void tell_seen(void) {
    void (*f)(const char *, cudaError_t) = atomic_load_explicit(&on_error, memory_order_relaxed);
    if (RT_UNLIKELY(f != NULL) && !rt_in_kernel()) f(NULL, cudaSuccess);
}

cudaError_t cudaGetLastError(void) {
    RT_CALL();
    cudaError_t *last = last_error(), e = *last;
    *last = cudaSuccess;
    tell_seen();
    return e;
}

cudaError_t cudaPeekAtLastError(void) {
    RT_CALL();
    tell_seen();
    return *last_error();
}

const char *cudaGetErrorName(cudaError_t e) {
    switch ((int)e) {
// clang-format off
#define CUCPU_ERROR(name, number, text) case number: return #name;
#include "cucpu/errors.def"
        // clang-format on
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t e) {
    switch ((int)e) {
// clang-format off
#define CUCPU_ERROR(name, number, text) case number: return text;
#include "cucpu/errors.def"
        // clang-format on
    }
    return "unrecognized error code";
}
