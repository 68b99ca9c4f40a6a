/* crt/device_functions.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CRT_DEVICE_FUNCTIONS_H
#define CUCPU_CRT_DEVICE_FUNCTIONS_H
#include "../cuda_runtime.h"
#endif
