/* per_thread.c: the entry points of programs that are compiled with --default-stream=per-thread.
**
** Each is the plain function, called while stream 0 of this thread means its own stream; what was
** the meaning before comes back afterwards, for a host function may run within a call. */
#include "queue/stream.h"

#define PER_THREAD(name, suffix, params, args)                                                                         \
    __attribute__((visibility("default"))) cudaError_t name##suffix params;                                            \
    cudaError_t name##suffix params {                                                                                  \
        bool before = rt_null_is_own;                                                                                  \
        rt_null_is_own = true;                                                                                         \
        cudaError_t error = name args;                                                                                 \
        rt_null_is_own = before;                                                                                       \
        return error;                                                                                                  \
    }
#include "api/per_thread.def"

/* No header names it: nvcc's host code calls it. */
PER_THREAD(__cudaLaunchKernel, _ptsz,
           (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
           (kernel, grid, block, args, shared, stream))
