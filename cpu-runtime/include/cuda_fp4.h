/* cuda_fp4.h: the 4-bit floating-point format e2m1, alone, in pairs and in fours; see cucpu/small_float.h. */
#ifndef CUCPU_CUDA_FP4_H
#define CUCPU_CUDA_FP4_H
#define __CUDA_FP4_H__ /* programs ask for it */
#include "cuda_fp6.h"
#if CUCPU_HAS_HALF_
#define __CUDA_FP4_TYPES_EXIST__

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

CUCPU_SMALL_C_(fp4, __nv_fp4_interpretation_t, __NV_E2M1, cucpu_e2m1, cucpu_e2m1)
CUCPU_SMALL_TYPES_(fp4, e2m1)
#endif
#endif
