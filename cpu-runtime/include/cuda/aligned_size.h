/* aligned_size.h: cuda::aligned_size_t. */
#ifndef CUCPU_CUDA_ALIGNED_SIZE_H
#define CUCPU_CUDA_ALIGNED_SIZE_H
#include <stddef.h>
#include "../host_defines.h"

namespace cuda {
template <size_t Alignment> struct aligned_size_t {
    size_t value;
    __host__ __device__ explicit aligned_size_t(size_t n_) : value(n_) {}
    __host__ __device__ operator size_t() const { return value; }
};
} // namespace cuda
#endif
