/* crt/common_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CRT_COMMON_FUNCTIONS_H
#define CUCPU_CRT_COMMON_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
