/* device_double_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_DEVICE_DOUBLE_FUNCTIONS_H
#define CUCPU_DEVICE_DOUBLE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
