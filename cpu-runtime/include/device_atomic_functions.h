/* device_atomic_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_DEVICE_ATOMIC_FUNCTIONS_H
#define CUCPU_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
