/* cuda_fp6.hpp: everything is in cuda_fp6.h. */
#ifndef CUCPU_CUDA_FP6_HPP
#define CUCPU_CUDA_FP6_HPP
#include "cuda_fp6.h"
#endif
