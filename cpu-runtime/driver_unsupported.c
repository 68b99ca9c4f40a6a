/* driver_unsupported.c: functions of the driver API that exist so that programs link: they name themselves on stderr
** and answer CUDA_ERROR_NOT_SUPPORTED.  docs/make_limits.py lists them: what is implemented elsewhere has no row. */
#include "driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static CUresult refuse(const char *name, _Atomic int *told) {
    if (!atomic_exchange(told, 1)) rt_message("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define DRV_UNSUPPORTED(name, parameters)                                                          \
    CUresult name parameters {                                               \
        static _Atomic int told;                                                                   \
        DRV_ENTER(false);                                                                          \
        return refuse(#name, &told);                                                               \
    }
DRV_UNSUPPORTED(cuTensorMapEncodeTiled,
                (CUtensorMap * map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dim,
                 const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *element_strides,
                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                 CUtensorMapFloatOOBfill fill))
DRV_UNSUPPORTED(cuTensorMapEncodeIm2col,
                (CUtensorMap * map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dim,
                 const cuuint64_t *strides, const int *lower, const int *upper, cuuint32_t channels,
                 cuuint32_t pixels, const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))
DRV_UNSUPPORTED(cuTensorMapEncodeIm2colWide,
                (CUtensorMap * map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *dim,
                 const cuuint64_t *strides, int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                 const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                 CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                 CUtensorMapFloatOOBfill fill))
DRV_UNSUPPORTED(cuTensorMapReplaceAddress, (CUtensorMap * map, void *address))
