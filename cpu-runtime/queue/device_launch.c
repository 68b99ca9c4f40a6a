/* device_launch.c: kernels that kernels launch: what clang calls for <<<...>>> in device code, and what PTX calls.
** exec/children.c runs them. */
#include "base/limits.h"
#include "program/program.h"
#include "exec/worker.h"
#include "queue/launch.h"
#include <stdlib.h>

void *cucpu_launch_buffer(size_t alignment, size_t bytes) {
    rt_hold_signals(true);
    void *p =
        aligned_alloc(RT_ARG_ALIGN, RT_ROUND(bytes ? bytes : 1, alignment > RT_ARG_ALIGN ? alignment : RT_ARG_ALIGN));
    rt_hold_signals(false);
    return p;
}

/* The arguments as clang puts them into the buffer: one after another, each at its alignment. */
static cudaError_t launch(const void *kernel, char *buffer, const uint32_t shape[6], uint32_t shared, cudaStream_t s) {
    RtKernel *k;
    RT_TRY(rt_find_kernel(kernel, &k));
    void **args = calloc(k->abi->nparams + 1, sizeof *args);
    if (!args) return cudaErrorMemoryAllocation;
    rt_find_params(k->abi, buffer, args);
    cudaError_t e = rt_launch(kernel, (dim3){shape[0], shape[1], shape[2]}, (dim3){shape[3], shape[4], shape[5]}, args,
                              shared, s, NULL);
    free(args);
    return e;
}

int cucpu_launch(const void *kernel, void *buffer, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                 uint32_t bz, uint32_t shared, void *stream) {
    const uint32_t shape[6] = {gx, gy, gz, bx, by, bz};
    rt_hold_signals(true);
    cudaError_t e = launch(kernel, buffer, shape, shared, stream);
    free(buffer);
    rt_hold_signals(false);
    return (int)rt_end(e);
}

/* ---- as PTX has it: the launch is described where the arguments go ---- */

typedef struct Described { /* before the arguments */
    _Alignas(RT_ARG_ALIGN) const void *kernel;
    uint32_t shape[6], shared;
} Described;

static size_t bytes_of_arguments(const CucpuKernel *k) {
    size_t at = 0;
    for (uint32_t i = 0; i < k->nparams; i++) {
        at = RT_ROUND(at, k->params[i].align ? k->params[i].align : 1);
        at += k->params[i].size;
    }
    return at;
}

void *cucpu_launch_buffer_for(const void *kernel, const uint32_t grid[3], const uint32_t block[3], uint32_t shared) {
    RtKernel *k;
    rt_hold_signals(true);
    cudaError_t e = rt_find_kernel(kernel, &k);
    rt_hold_signals(false);
    if (rt_end(e)) return NULL;
    Described *d = cucpu_launch_buffer(RT_ARG_ALIGN, sizeof *d + bytes_of_arguments(k->abi));
    if (!d) return NULL;
    *d = (Described){kernel, {grid[0], grid[1], grid[2], block[0], block[1], block[2]}, shared};
    return d + 1;
}

int cucpu_launch_buffered(void *buffer, void *stream) {
    if (!buffer) return (int)rt_end(cudaErrorInvalidValue);
    Described *d = (Described *)buffer - 1;
    rt_hold_signals(true);
    cudaError_t e = launch(d->kernel, buffer, d->shape, d->shared, stream);
    free(d);
    rt_hold_signals(false);
    return (int)rt_end(e);
}

int cucpu_launch_with(const void *kernel, void *buffer, const uint32_t grid[3], const uint32_t block[3],
                      uint32_t shared, void *stream) {
    return cucpu_launch(kernel, buffer, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, stream);
}

int cucpu_set_last_error(int error) { return (int)rt_end((cudaError_t)error); }
