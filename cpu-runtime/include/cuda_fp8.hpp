/* cuda_fp8.hpp: everything is in cuda_fp8.h. */
#ifndef CUCPU_CUDA_FP8_HPP
#define CUCPU_CUDA_FP8_HPP
#include "cuda_fp8.h"
#endif
