/* math_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_MATH_FUNCTIONS_H
#define CUCPU_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
