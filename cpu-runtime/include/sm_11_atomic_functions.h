/* sm_11_atomic_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SM_11_ATOMIC_FUNCTIONS_H
#define CUCPU_SM_11_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
