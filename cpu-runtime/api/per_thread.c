/* per_thread.c: the entry points of the runtime API for --default-stream=per-thread (queue/per_thread.h). */
#include "queue/per_thread.h"

#define PER_THREAD(name, suffix, params, args) RT_PER_THREAD(cudaError_t, name, suffix, params, args)
#include "api/per_thread.def"

/* No header names it: nvcc's host code calls it. */
PER_THREAD(__cudaLaunchKernel, _ptsz,
           (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
           (kernel, grid, block, args, shared, stream))
