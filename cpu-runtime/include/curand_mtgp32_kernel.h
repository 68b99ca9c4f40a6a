/* curand_mtgp32_kernel.h: MTGP32's numbers: all threads of a block, 256 at the most, draw from one state together. */
#ifndef CUCPU_CURAND_MTGP32_KERNEL_H
#define CUCPU_CURAND_MTGP32_KERNEL_H
#include "curand_kernel.h"
#include "curand_mtgp32.h"
#if defined(__CUDA__)

/* Word number t_ from the state's place on, untempered; it is stored.  tempering_ is the word that selects its tempering. */
CUCPU_D unsigned int cucpu_mtgp32_next(curandStateMtgp32_t *s_, unsigned t_, unsigned *tempering_) {
    const mtgp32_kernel_params_t *k_ = s_->k;
    int set_ = s_->pIdx;
    unsigned at_ = t_ + (unsigned)s_->offset, pos_ = k_->pos_tbl[set_];
    unsigned x_ = (s_->s[at_ & MTGP32_STATE_MASK] & k_->mask[0]) ^ s_->s[(at_ + 1) & MTGP32_STATE_MASK];
    x_ ^= x_ << k_->sh1_tbl[set_];
    unsigned y_ = x_ ^ s_->s[(at_ + pos_) & MTGP32_STATE_MASK] >> k_->sh2_tbl[set_];
    y_ ^= k_->param_tbl[set_][y_ & 15];
    unsigned w_ = s_->s[(at_ + pos_ - 1) & MTGP32_STATE_MASK];
    w_ ^= w_ >> 16;
    *tempering_ = (w_ ^ w_ >> 8) & 15;
    s_->s[(at_ + MTGP32_N) & MTGP32_STATE_MASK] = y_;
    return y_;
}
CUCPU_D void cucpu_mtgp32_move(curandStateMtgp32_t *s_, unsigned n_, bool first_) {
    __syncthreads();
    if (first_) s_->offset = (int)((unsigned)s_->offset + n_) & MTGP32_STATE_MASK;
    __syncthreads();
}
CUCPU_D unsigned cucpu_mtgp32_thread(void) { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
CUCPU_D unsigned cucpu_mtgp32_threads(void) { return blockDim.x * blockDim.y * blockDim.z; }

/* The first n_ threads of the block draw, each with its own index_. */
CUCPU_D unsigned int curand_mtgp32_specific(curandStateMtgp32_t *s_, unsigned char index_, unsigned char n_) {
    unsigned w_, r_ = cucpu_mtgp32_next(s_, index_, &w_);
    r_ ^= s_->k->temper_tbl[s_->pIdx][w_];
    cucpu_mtgp32_move(s_, n_, index_ == 0);
    return r_;
}
CUCPU_D unsigned int curand(curandStateMtgp32_t *s_) {
    unsigned t_ = cucpu_mtgp32_thread(), w_, r_ = cucpu_mtgp32_next(s_, t_, &w_);
    r_ ^= s_->k->temper_tbl[s_->pIdx][w_];
    cucpu_mtgp32_move(s_, cucpu_mtgp32_threads(), t_ == 0);
    return r_;
}
/* In [0, 1), of 23 bits. */
CUCPU_D float curand_mtgp32_single_specific(curandStateMtgp32_t *s_, unsigned char index_, unsigned char n_) {
    unsigned w_, r_ = cucpu_mtgp32_next(s_, index_, &w_) >> 9;
    r_ ^= s_->k->single_temper_tbl[s_->pIdx][w_];
    cucpu_mtgp32_move(s_, n_, index_ == 0);
    return __uint_as_float(r_) - 1.0f;
}
CUCPU_D float curand_mtgp32_single(curandStateMtgp32_t *s_) {
    unsigned t_ = cucpu_mtgp32_thread(), w_, r_ = cucpu_mtgp32_next(s_, t_, &w_) >> 9;
    r_ ^= s_->k->single_temper_tbl[s_->pIdx][w_];
    cucpu_mtgp32_move(s_, cucpu_mtgp32_threads(), t_ == 0);
    return __uint_as_float(r_) - 1.0f;
}
CUCPU_QUANTILES_(curandStateMtgp32_t)
#endif
#endif
