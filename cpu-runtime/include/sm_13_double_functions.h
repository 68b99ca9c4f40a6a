/* sm_13_double_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_SM_13_DOUBLE_FUNCTIONS_H
#define CUCPU_SM_13_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
