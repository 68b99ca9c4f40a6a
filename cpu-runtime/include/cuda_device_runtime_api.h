/* cuda_device_runtime_api.h: everything is in cuda_runtime_api.h. */
#ifndef CUCPU_CUDA_DEVICE_RUNTIME_API_H
#define CUCPU_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime_api.h"
#endif
