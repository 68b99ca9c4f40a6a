/* device_launch_parameters.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_DEVICE_LAUNCH_PARAMETERS_H
#define CUCPU_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"
#endif
