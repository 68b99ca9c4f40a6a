/* driver.h: what the files of the driver API share.
**
** The driver API is a second set of names for the same device: its functions check that cuInit was called and that
** the thread has a context, call the runtime, and translate the error.  They leave the last error of the runtime API
** alone. */
#ifndef CUCPU_DRIVER_H
#define CUCPU_DRIVER_H
#include "base/base.h"
#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop

CUresult drv_result(cudaError_t e);                    /* the CUresult with the same meaning */
CUresult drv_failed(const char *function, CUresult r); /* r, which the log gets (base/log.h) */
CUresult drv_enter(bool with_context);                 /* CUDA_SUCCESS, or why no function may be called now */
typedef struct DrvKept {
    cudaError_t error;
    enum RtUse used;
} DrvKept;
DrvKept drv_keep(void);
void drv_restore(DrvKept kept);

/* driver.c: a context that is not current anywhere; NULL: no memory. */
CUcontext drv_make_context(unsigned flags);
CUresult drv_context_id(CUcontext context, unsigned long long *id);
void drv_on_context_end(void (*f)(const void *context)); /* f is called before its memory is freed */
CUcontext drv_current(void);
CUcontext drv_primary(void);
/* The context of the runtime API becomes the current one; it ends, until the runtime API is used again. */
void rt_make_primary_current(void);
void rt_end_primary(void);

/* memory.c: copies of boxes as the two APIs describe them. */
cudaError_t drv_copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p);
void drv_tell_copy(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);
CUresult drv_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f); /* exec.c: in any context */
/* graph.c: the same of fills and kernels. */
struct cudaMemsetParams drv_fill(const CUDA_MEMSET_NODE_PARAMS *p);
struct cudaKernelNodeParams drv_kernel(const CUDA_KERNEL_NODE_PARAMS *p);

#define DRV_ENTER(with_context)                                                                                        \
    RT_CALL();                                                                                                         \
    do {                                                                                                               \
        CUresult enter_ = drv_enter(with_context);                                                                     \
        if (enter_) rt_call_returns(drv_failed(__func__, enter_));                                                     \
        if (enter_) return enter_;                                                                                     \
    } while (0)
/* What is freed has a context: another may be current, or none. */
#define DRV_ENTER_FREE() DRV_ENTER(drv_current() != NULL)
/* Ends a function with the result of a call of the runtime. */
#define DRV_RETURN(call)                                                                                               \
    do {                                                                                                               \
        DrvKept kept_ = drv_keep();                                                                                    \
        cudaError_t error_ = (call);                                                                                   \
        drv_restore(kept_);                                                                                            \
        CUresult result_ = drv_result(error_);                                                                         \
        if (RT_UNLIKELY(result_)) drv_failed(__func__, result_);                                                       \
        if (RT_UNLIKELY(rt_profiled)) rt_call_returns(result_);                                                        \
        return result_;                                                                                                \
    } while (0)
/* Streams and events that a program has made have a context: none need be current. */
#define DRV_FORWARD_OF(handle, call)                                                                                   \
    do {                                                                                                               \
        DRV_ENTER((uintptr_t)(handle) <= (uintptr_t)cudaStreamPerThread);                                              \
        DRV_RETURN(call);                                                                                              \
    } while (0)
#define DRV_FORWARD_ANY(call) /* no context is needed: pools, graphs and physical memory have none */                  \
    do {                                                                                                               \
        DRV_ENTER(false);                                                                                              \
        DRV_RETURN(call);                                                                                              \
    } while (0)
#define DRV_FORWARD(call)                                                                                              \
    do {                                                                                                               \
        DRV_ENTER(true);                                                                                               \
        DRV_RETURN(call);                                                                                              \
    } while (0)
#endif
