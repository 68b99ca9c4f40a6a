/* cuda_pipeline_primitives.h: the __pipeline functions: copies are done at once, so waiting is nothing. */
#ifndef CUCPU_CUDA_PIPELINE_PRIMITIVES_H
#define CUCPU_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_awbarrier_primitives.h"
#include "cuda_runtime.h"

CUCPU_D void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill = 0) {
    for (size_t i_ = 0; i_ < size; i_++) ((char *)dst)[i_] = i_ < size - zfill ? ((const char *)src)[i_] : 0;
}
CUCPU_D void __pipeline_commit(void) {}
CUCPU_D void __pipeline_wait_prior(size_t) {}
CUCPU_D void __pipeline_arrive_on(__mbarrier_t *) {} /* one arrival more is expected, and comes when the copies are done */
#endif
