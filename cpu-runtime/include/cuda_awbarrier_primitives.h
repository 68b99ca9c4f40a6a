/* cuda_awbarrier_primitives.h: barriers in shared memory, the C interface of cuda::barrier.
**
** Arrivals are counted in memory; whoever asks whether a phase is complete polls, and lets the other
** groups of its block run meanwhile.  A token is the number of its phase and, above it, how many
** arrivals were pending. */
#ifndef CUCPU_CUDA_AWBARRIER_PRIMITIVES_H
#define CUCPU_CUDA_AWBARRIER_PRIMITIVES_H
#include "cuda_runtime.h"

typedef struct __mbarrier_t {
    unsigned expected_, pending_, phase_;
} __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

__host__ __device__ static inline unsigned __mbarrier_maximum_count(void) { return (1u << 20) - 1; }
CUCPU_D void __mbarrier_init(__mbarrier_t *b_, unsigned count_) {
    b_->expected_ = b_->pending_ = count_;
    b_->phase_ = 0;
}
CUCPU_D void __mbarrier_inval(__mbarrier_t *b_) { b_->expected_ = b_->pending_ = 0; }
CUCPU_D __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b_) {
    unsigned phase_ = __atomic_load_n(&b_->phase_, __ATOMIC_ACQUIRE);
    unsigned pending_ = __atomic_fetch_sub(&b_->pending_, 1u, __ATOMIC_ACQ_REL);
    if (pending_ == 1) {
        __atomic_store_n(&b_->pending_, __atomic_load_n(&b_->expected_, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
        __atomic_fetch_add(&b_->phase_, 1u, __ATOMIC_RELEASE);
    }
    return (__mbarrier_token_t)pending_ << 32 | phase_;
}
CUCPU_D __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b_) {
    __atomic_fetch_sub(&b_->expected_, 1u, __ATOMIC_RELAXED);
    return __mbarrier_arrive(b_);
}
CUCPU_D unsigned __mbarrier_token_pending_count(__mbarrier_token_t token_) { return (unsigned)(token_ >> 32); }
CUCPU_D bool __mbarrier_test_wait(__mbarrier_t *b_, __mbarrier_token_t token_) {
    return __atomic_load_n(&b_->phase_, __ATOMIC_ACQUIRE) != (unsigned)token_;
}
CUCPU_D bool __mbarrier_test_wait_parity(__mbarrier_t *b_, bool odd_) {
    return (__atomic_load_n(&b_->phase_, __ATOMIC_ACQUIRE) & 1) != odd_;
}
CUCPU_D bool __mbarrier_try_wait(__mbarrier_t *b_, __mbarrier_token_t token_, unsigned nanoseconds_) {
    (void)nanoseconds_;
    return __mbarrier_test_wait(b_, token_);
}
CUCPU_D bool __mbarrier_try_wait_parity(__mbarrier_t *b_, bool odd_, unsigned nanoseconds_) {
    (void)nanoseconds_;
    return __mbarrier_test_wait_parity(b_, odd_);
}
#endif
