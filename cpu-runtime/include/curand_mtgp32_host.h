/* curand_mtgp32_host.h: what host code gives to kernels that use MTGP32: parameters and states, in memory of the device. */
#ifndef CUCPU_CURAND_MTGP32_HOST_H
#define CUCPU_CURAND_MTGP32_HOST_H
#include "cuda_runtime.h"
#include "curand.h"
#include "curand_mtgp32.h"
#include "curand_mtgp32dc_p_11213.h"
#include <stdlib.h>
#include <string.h>

/* The first numbers of a sequence, from the set's own and the seed. */
static inline __attribute__((unused)) void mtgp32_init_state(unsigned int *to_, const mtgp32_params_fast_t *set_, unsigned int seed) {
    unsigned own_ = set_->tbl[4] ^ set_->tbl[8] << 16, fill_ = own_ + (own_ >> 16);
    fill_ += fill_ >> 8;
    memset(to_, (int)(fill_ & 0xff), MTGP32_N * sizeof *to_);
    to_[0] = seed;
    to_[1] = own_;
    for (unsigned i_ = 1; i_ < MTGP32_N; i_++) to_[i_] ^= 1812433253u * (to_[i_ - 1] ^ to_[i_ - 1] >> 30) + i_;
}
static inline __attribute__((unused)) curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                                               mtgp32_kernel_params_t *to_) {
    mtgp32_kernel_params_t *k_ = (mtgp32_kernel_params_t *)malloc(sizeof *k_);
    if (!k_) return CURAND_STATUS_ALLOCATION_FAILED;
    for (int i_ = 0; i_ < CURAND_NUM_MTGP32_PARAMS; i_++) {
        const mtgp32_params_fast_t *p_ = &params[i_];
        k_->pos_tbl[i_] = (unsigned)p_->pos;
        k_->sh1_tbl[i_] = (unsigned)p_->sh1;
        k_->sh2_tbl[i_] = (unsigned)p_->sh2;
        memcpy(k_->param_tbl[i_], p_->tbl, sizeof p_->tbl);
        memcpy(k_->temper_tbl[i_], p_->tmp_tbl, sizeof p_->tmp_tbl);
        memcpy(k_->single_temper_tbl[i_], p_->flt_tmp_tbl, sizeof p_->flt_tmp_tbl);
    }
    k_->mask[0] = params[0].mask;
    cudaError_t error_ = cudaMemcpy(to_, k_, sizeof *k_, cudaMemcpyHostToDevice);
    free(k_);
    return error_ ? CURAND_STATUS_INITIALIZATION_FAILED : CURAND_STATUS_SUCCESS;
}
/* n states, of the sets 0 ... n - 1. */
static inline __attribute__((unused)) curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *to_, mtgp32_params_fast_t params[],
                                                                                 mtgp32_kernel_params_t *k_, int n_,
                                                                                 unsigned long long seed) {
    if (n_ < 0 || n_ > CURAND_NUM_MTGP32_PARAMS) return CURAND_STATUS_OUT_OF_RANGE;
    curandStateMtgp32_t *s_ = (curandStateMtgp32_t *)calloc((size_t)n_ + 1, sizeof *s_);
    if (!s_) return CURAND_STATUS_ALLOCATION_FAILED;
    seed ^= seed >> 32;
    for (int i_ = 0; i_ < n_; i_++) {
        mtgp32_init_state(s_[i_].s, &params[i_], (unsigned)seed + (unsigned)i_ + 1);
        s_[i_].offset = 0;
        s_[i_].pIdx = i_;
        s_[i_].k = k_;
    }
    cudaError_t error_ = cudaMemcpy(to_, s_, (size_t)n_ * sizeof *s_, cudaMemcpyHostToDevice);
    free(s_);
    return error_ ? CURAND_STATUS_INITIALIZATION_FAILED : CURAND_STATUS_SUCCESS;
}
#endif
