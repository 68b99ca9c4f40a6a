/* sm_61_intrinsics.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SM_61_INTRINSICS_H
#define CUCPU_SM_61_INTRINSICS_H
#include "cuda_runtime.h"
#endif
