/* legacy.c: the driver API: launches as before CUDA 4: block, shared memory and parameters belong to the function.
**
** Each function that is queried has a record, kept until the process ends; the functions of a module that is
** unloaded may come again at the same address, and then set all of it anew before they launch. */
#include "base/limits.h"
#include "program/program.h"
#include "driver/driver.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 4096 };
typedef struct Prepared Prepared;
struct Prepared {
    CUfunction function;
    dim3 block;
    unsigned shared;
    size_t bytes; /* of the parameters */
    char parameters[MAX_BYTES];
    Prepared *next;
};

static Prepared *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The record of a function, with the lock held; NULL: there is no such function. */
static Prepared *find(CUfunction f, CUresult *error) {
    RtKernel *k;
    Prepared *p = all;
    *error = rt_find_kernel(f, &k) ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    if (*error) return NULL;
    while (p && p->function != f) p = p->next;
    if (p) return p;
    p = calloc(1, sizeof *p);
    if (!p) *error = CUDA_ERROR_OUT_OF_MEMORY;
    else *p = (Prepared){.function = f, .next = all}, all = p;
    return p;
}

/* Applies the argument to the record `p`. */
#define PREPARE(f, right, ...)                                                                                         \
    CUresult error_;                                                                                                   \
    DRV_ENTER(true);                                                                                                   \
    if (!(right)) return CUDA_ERROR_INVALID_VALUE;                                                                     \
    pthread_mutex_lock(&lock);                                                                                         \
    Prepared *p = find(f, &error_);                                                                                    \
    if (p) { __VA_ARGS__; }                                                                                            \
    pthread_mutex_unlock(&lock);                                                                                       \
    return error_

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    bool right = x > 0 && y > 0 && z > 0 && (uint64_t)x * (uint64_t)y <= RT_MAX_THREADS &&
                 (uint64_t)x * (uint64_t)y * (uint64_t)z <= RT_MAX_THREADS;
    PREPARE(f, right, p->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z});
}
CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes) { PREPARE(f, true, p->shared = bytes); }
CUresult cuParamSetSize(CUfunction f, unsigned bytes) { PREPARE(f, bytes <= MAX_BYTES, p->bytes = bytes); }
CUresult cuParamSetv(CUfunction f, int offset, void *from, unsigned bytes) {
    bool right = from && offset >= 0 && offset <= MAX_BYTES && bytes <= (unsigned)(MAX_BYTES - offset);
    PREPARE(f, right, memcpy(p->parameters + offset, from, bytes));
}
CUresult cuParamSeti(CUfunction f, int offset, unsigned value) {
    RT_CALL();
    return cuParamSetv(f, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction f, int offset, float value) {
    RT_CALL();
    return cuParamSetv(f, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream s) {
    CUresult error;
    DRV_ENTER(true);
    if (width <= 0 || height <= 0) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    Prepared copy, *p = find(f, &error);
    if (p) copy = *p;
    pthread_mutex_unlock(&lock);
    if (error) return error;
    if (!copy.block.x) return CUDA_ERROR_INVALID_VALUE;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, copy.parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &copy.bytes,
                     CU_LAUNCH_PARAM_END};
    return cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, copy.block.x, copy.block.y, copy.block.z,
                          copy.shared, s, NULL, extra);
}
CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    RT_CALL();
    return cuLaunchGridAsync(f, width, height, NULL);
}
CUresult cuLaunch(CUfunction f) {
    RT_CALL();
    return cuLaunchGridAsync(f, 1, 1, NULL);
}
