/* cuda_fp16.hpp: everything is in cuda_fp16.h. */
#ifndef CUCPU_CUDA_FP16_HPP
#define CUCPU_CUDA_FP16_HPP
#include "cuda_fp16.h"
#endif
