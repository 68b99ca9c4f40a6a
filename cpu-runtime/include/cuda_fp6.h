/* cuda_fp6.h: the 6-bit floating-point formats e2m3 and e3m2 in bytes, alone, in pairs and in fours; see cucpu/small_float.h. */
#ifndef CUCPU_CUDA_FP6_H
#define CUCPU_CUDA_FP6_H
#define __CUDA_FP6_H__ /* programs ask for it */
#include "cuda_fp8.h"
#if CUCPU_HAS_HALF_
#include "cucpu/small_float.h"
#define __CUDA_FP6_TYPES_EXIST__

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

CUCPU_SMALL_C_(fp6, __nv_fp6_interpretation_t, __NV_E2M3, cucpu_e2m3, cucpu_e3m2)
CUCPU_SMALL_TYPES_(fp6, e2m3)
CUCPU_SMALL_TYPES_(fp6, e3m2)
#endif
#endif
