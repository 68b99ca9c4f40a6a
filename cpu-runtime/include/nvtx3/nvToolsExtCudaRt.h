/* nvToolsExtCudaRt.h: names for objects of the runtime API; nobody reads them. */
#ifndef CUCPU_NVTX3_NVTOOLSEXTCUDART_H
#define CUCPU_NVTX3_NVTOOLSEXTCUDART_H
#include "../cuda_runtime_api.h"
#include "nvToolsExt.h"
#define CUCPU_NAME_(what, T)                                                                       \
    static inline void nvtxName##what##A(T v_, const char *name_) { (void)v_, (void)name_; }       \
    static inline void nvtxName##what##W(T v_, const wchar_t *name_) { (void)v_, (void)name_; }
CUCPU_NAME_(CudaDevice, int)
CUCPU_NAME_(CudaStream, cudaStream_t)
CUCPU_NAME_(CudaEvent, cudaEvent_t)
#undef CUCPU_NAME_
#endif
