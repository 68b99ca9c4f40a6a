/* cuda_pipeline.h: the __pipeline functions, and nvcuda::experimental::pipeline over them. */
#ifndef CUCPU_CUDA_PIPELINE_H
#define CUCPU_CUDA_PIPELINE_H
#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"
#if defined(__CUDA__)
namespace nvcuda {
namespace experimental {
class pipeline {
    size_t committed_ = 0;

  public:
    pipeline() = default;
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;
    __device__ CUCPU_INLINE_ size_t commit() {
        __pipeline_commit();
        return committed_++;
    }
    __device__ CUCPU_INLINE_ void commit_and_wait() { commit(); }
    __device__ CUCPU_INLINE_ void wait(size_t) {}
    template <unsigned Prior> __device__ CUCPU_INLINE_ void wait_prior() {}
    __device__ CUCPU_INLINE_ void arrive_on(awbarrier &b_) { __pipeline_arrive_on(&b_.counts_); }
};
template <class T_> CUCPU_D void memcpy_async(T_ &dst, const T_ &src, pipeline &) { __pipeline_memcpy_async(&dst, &src, sizeof(T_)); }
/* Rows: what the source lacks becomes 0. */
template <class T_, size_t Dst, size_t Src> CUCPU_D void memcpy_async(T_ (&dst)[Dst], const T_ (&src)[Src], pipeline &) {
    static_assert(Src <= Dst, "the source has more elements than the destination");
    __pipeline_memcpy_async(dst, src, sizeof src);
    for (size_t i_ = Src; i_ < Dst; i_++) dst[i_] = T_();
}
} // namespace experimental
} // namespace nvcuda
#endif
#endif
