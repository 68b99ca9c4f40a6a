/* cuda_fp4.hpp: everything is in cuda_fp4.h. */
#ifndef CUCPU_CUDA_FP4_HPP
#define CUCPU_CUDA_FP4_HPP
#include "cuda_fp4.h"
#endif
