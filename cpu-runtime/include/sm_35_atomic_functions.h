/* sm_35_atomic_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SM_35_ATOMIC_FUNCTIONS_H
#define CUCPU_SM_35_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
