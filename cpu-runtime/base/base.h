/* base.h: what every file of the runtime needs; nothing here is exported.
**
** The public API is declared by cuda_runtime_api.h, what generated code calls by abi.h.  Both are pushed to default
** visibility here, so that everything else stays hidden. */
#ifndef CUCPU_BASE_H
#define CUCPU_BASE_H
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma GCC visibility push(default)
#include "abi.h"
#include "base/entry.h"
#include "cuda_runtime_api.h"
#pragma GCC visibility pop
#include "profile/record.h"

#define RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RT_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RT_ROUND(n, to) (((uint64_t)(n) + (to)-1) / (to) * (to))
#define RT_TLS _Thread_local __attribute__((tls_model("initial-exec")))

#define RT_TRY(call)                                                                                                   \
    do {                                                                                                               \
        cudaError_t try_ = (call);                                                                                     \
        if (RT_UNLIKELY(try_ != cudaSuccess)) return try_;                                                             \
    } while (0)

/* ---- error.c: errors ---- */
void rt_message(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to stderr, with our prefix */
/* Records e as the thread's last error; returns it. */
#define rt_end(e) rt_end_of(__func__, e)
cudaError_t rt_end_of(const char *function, cudaError_t e);
void rt_on_error(void (*f)(
    const char *function,
    cudaError_t e)); /* f is told of errors that functions return; function NULL: the program queries the last one */
cudaError_t rt_swap_last_error(cudaError_t e); /* of this thread; returns the one before */
void rt_clear_device_error(void);              /* the last error of the kernels that this thread runs */
cudaError_t rt_sticky(void);                   /* the context's sticky error, or cudaSuccess */
void rt_set_sticky(cudaError_t e);             /* the first one stays */
void rt_clear_sticky(void);

/* ---- error.c: what this thread does ---- */
extern RT_TLS bool rt_in_host_function;               /* that a stream calls: it may use no function of the API */
extern RT_TLS volatile sig_atomic_t rt_kernel_active; /* between a kernel's entry and its end: exec/worker.c */
static inline bool rt_in_kernel(void) { return rt_kernel_active != 0; }

/* ---- error.c: entry of functions of the runtime API ---- */
/* Why no function may be called now: the sticky error, or cudaSuccess.  The primary context is in use from now on. */
cudaError_t rt_enter(void);
/* The same for functions that need no context: they create none, and no fault concerns them. */
cudaError_t rt_enter_without_context(void);
/* The function that this stands in is recorded as a call of the API, up to its end. */
#define RT_CALL()                                                                                                      \
    __attribute__((cleanup(rt_call_left))) RtCall call_;                                                               \
    call_.start = 0;                                                                                                   \
    if (RT_UNLIKELY(rt_profiled) && !rt_in_kernel()) rt_call_begin(&call_, __func__)
#define RT_ENTER_BY(enter)                                                                                             \
    RT_CALL();                                                                                                         \
    do {                                                                                                               \
        cudaError_t enter_ = enter();                                                                                  \
        if (RT_UNLIKELY(enter_ != cudaSuccess)) return rt_end(enter_);                                                 \
    } while (0)
#define RT_ENTER() RT_ENTER_BY(rt_enter)
#define RT_ENTER_WITHOUT_CONTEXT() RT_ENTER_BY(rt_enter_without_context)

enum RtUse { RT_UNUSED, RT_USED, RT_BY_DRIVER };
extern RT_TLS enum RtUse
    rt_used; /* RT_USED: this thread has called the runtime API, so that the primary context is current;
                                     ** RT_BY_DRIVER: it is within a function of the driver API */
extern _Atomic bool rt_ever_used;    /* some thread has called a function of the runtime API */
extern _Atomic bool rt_primary_held; /* and none has called cudaDeviceReset since */
extern RT_TLS void *rt_context;      /* the driver API's, which is current here; NULL: the primary one, or none */
void rt_hold_primary(void);          /* the runtime API is used, by this thread */
#endif
