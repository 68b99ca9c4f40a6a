/* driver_api.h: what the files of the driver API share. */
#ifndef CUCPU_DRIVER_API_H
#define CUCPU_DRIVER_API_H
#include "rt.h"
#pragma GCC visibility push(default)
#include "cuda.h"
#pragma GCC visibility pop

/* cudaError_t and CUresult have the same numbers but for a few. */
static inline CUresult rt_result(cudaError_t e) {
    switch ((int)e) {
    case cudaErrorInvalidConfiguration:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return (CUresult)e;
    }
}
#define RT_POINTER(p) ((void *)(uintptr_t)(p))
#endif
