/* cuda_awbarrier_helpers.h: everything is in cuda_awbarrier_primitives.h. */
#ifndef CUCPU_CUDA_AWBARRIER_HELPERS_H
#define CUCPU_CUDA_AWBARRIER_HELPERS_H
#include "cuda_awbarrier_primitives.h"
#endif
