/* nvToolsExtCuda.h: names for objects of the driver API; nobody reads them. */
#ifndef CUCPU_NVTX3_NVTOOLSEXTCUDA_H
#define CUCPU_NVTX3_NVTOOLSEXTCUDA_H
#include "../cuda.h"
#include "nvToolsExt.h"
#define CUCPU_NAME_(what, T)                                                                       \
    static inline void nvtxName##what##A(T v_, const char *name_) { (void)v_, (void)name_; }       \
    static inline void nvtxName##what##W(T v_, const wchar_t *name_) { (void)v_, (void)name_; }
CUCPU_NAME_(CuDevice, CUdevice)
CUCPU_NAME_(CuContext, CUcontext)
CUCPU_NAME_(CuStream, CUstream)
CUCPU_NAME_(CuEvent, CUevent)
#undef CUCPU_NAME_
#endif
