/* sm_30_intrinsics.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SM_30_INTRINSICS_H
#define CUCPU_SM_30_INTRINSICS_H
#include "cuda_runtime.h"
#endif
