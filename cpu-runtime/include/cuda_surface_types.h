/* cuda_surface_types.h: everything is in cuda_runtime.h. */
#ifndef CUCPU_CUDA_SURFACE_TYPES_H
#define CUCPU_CUDA_SURFACE_TYPES_H
#include "cuda_runtime.h"
#endif
