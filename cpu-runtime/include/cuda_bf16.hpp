/* cuda_bf16.hpp: everything is in cuda_bf16.h. */
#ifndef CUCPU_CUDA_BF16_HPP
#define CUCPU_CUDA_BF16_HPP
#include "cuda_bf16.h"
#endif
