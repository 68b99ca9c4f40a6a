/* math_functions_dbl_ptx1.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_MATH_FUNCTIONS_DBL_PTX1_H
#define CUCPU_MATH_FUNCTIONS_DBL_PTX1_H
#include "cuda_runtime.h"
#endif
