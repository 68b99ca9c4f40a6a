/* cuda_awbarrier.h: nvcuda::experimental::awbarrier, the class over __mbarrier_t. */
#ifndef CUCPU_CUDA_AWBARRIER_H
#define CUCPU_CUDA_AWBARRIER_H
#define _CUDA_AWBARRIER_H_ /* programs ask for it */
#include "cuda_awbarrier_primitives.h"
#if defined(__CUDA__)
namespace nvcuda {
namespace experimental {
class awbarrier {
    __mbarrier_t counts_;
    friend class pipeline;

  public:
    class arrival_token {
        __mbarrier_token_t token_;
        friend class awbarrier;
        __device__ CUCPU_INLINE_ explicit arrival_token(__mbarrier_token_t t_) : token_(t_) {}

      public:
        arrival_token() = default;
        __device__ CUCPU_INLINE_ unsigned pending_count() const { return __mbarrier_token_pending_count(token_); }
    };
    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;
    __device__ CUCPU_INLINE_ arrival_token arrive() { return arrival_token(__mbarrier_arrive(&counts_)); }
    __device__ CUCPU_INLINE_ arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&counts_)); }
    __device__ CUCPU_INLINE_ bool timed_wait(arrival_token token, unsigned cycles) {
        for (long long begin_ = clock64(); !__mbarrier_test_wait(&counts_, token.token_);) {
            if (clock64() - begin_ >= (long long)cycles) return false;
            __nanosleep(20);
        }
        return true;
    }
    __device__ CUCPU_INLINE_ bool timed_wait_parity(bool phase, unsigned cycles) {
        for (long long begin_ = clock64(); !__mbarrier_test_wait_parity(&counts_, phase);) {
            if (clock64() - begin_ >= (long long)cycles) return false;
            __nanosleep(20);
        }
        return true;
    }
    __device__ CUCPU_INLINE_ bool try_wait(arrival_token token, unsigned nanoseconds) { return __mbarrier_try_wait(&counts_, token.token_, nanoseconds); }
    __device__ CUCPU_INLINE_ bool try_wait_parity(bool phase, unsigned nanoseconds) { return __mbarrier_try_wait_parity(&counts_, phase, nanoseconds); }
    __device__ CUCPU_INLINE_ void wait(arrival_token token) {
        while (!__mbarrier_test_wait(&counts_, token.token_)) __nanosleep(20);
    }
    __device__ CUCPU_INLINE_ void arrive_and_wait() { wait(arrive()); }
    __host__ __device__ static constexpr unsigned max() { return (1u << 20) - 1; }
    __device__ CUCPU_INLINE_ friend void init(awbarrier *b_, unsigned count) { __mbarrier_init(&b_->counts_, count); }
};
} // namespace experimental
} // namespace nvcuda
#endif
#endif
