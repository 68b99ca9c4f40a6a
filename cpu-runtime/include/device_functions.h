/* device_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_DEVICE_FUNCTIONS_H
#define CUCPU_DEVICE_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
