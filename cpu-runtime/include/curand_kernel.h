/* curand_kernel.h: random numbers in device code: XORWOW, Philox4x32-10, MRG32k3a, MTGP32 and Sobol's sequences.
**
** Seeds, subsequences and offsets give the same integers and uniform numbers as cuRAND documents for
** them; normal numbers differ in the last bits (Box-Muller with another sine), Poisson numbers of a
** mean from 64 to 4000 come from another method (Hoermann's PTRS). */
#ifndef CUCPU_CURAND_KERNEL_H
#define CUCPU_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask for it */
#include "cuda_runtime.h"
#if !defined(__CUDA__) /* host compilers get functions of the host, but not those for a whole block (MTGP32) */
#include <math.h>
#define CUCPU_D static inline __attribute__((unused))
extern "C" float __nv_erfcinvf(float);
extern "C" double __nv_erfcinv(double);
#define CUCPU_ERFCINVF_ __nv_erfcinvf
#define CUCPU_ERFCINV_ __nv_erfcinv
CUCPU_D void cucpu_sincospi(double a_, double *sine, double *cosine) { sincos(a_ * 3.141592653589793, sine, cosine); }
#else
#define CUCPU_ERFCINVF_ erfcinvf
#define CUCPU_ERFCINV_ erfcinv
#define cucpu_sincospi sincospi
#endif
#define CUCPU_RANDOM_ CUCPU_D
#define CUCPU_RANDOM_CALL_ static __device__
#define CUCPU_RANDOM_TABLE_ static __device__ const
#include "cucpu/random.h"

/* ---- XORWOW ---- */
typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef curandStateXORWOW_t curandStateXORWOW;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

CUCPU_D void skipahead(unsigned long long n_, curandStateXORWOW_t *s_) {
    cucpu_xorwow_skip(s_->v, n_, 0);
    s_->d += 362437u * (unsigned)n_;
}
CUCPU_D void skipahead_sequence(unsigned long long n_, curandStateXORWOW_t *s_) {
    cucpu_xorwow_skip(s_->v, n_, 67);
}
CUCPU_D void curand_init(unsigned long long seed, unsigned long long subsequence,
                         unsigned long long offset, curandStateXORWOW_t *s_) {
    cucpu_xorwow_seed(s_->v, &s_->d, seed);
    s_->boxmuller_flag = s_->boxmuller_flag_double = 0;
    s_->boxmuller_extra = 0, s_->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s_);
    skipahead(offset, s_);
}
CUCPU_D unsigned int curand(curandStateXORWOW_t *s_) { return cucpu_xorwow_next(s_->v, &s_->d); }

/* ---- Philox4x32-10 (Salmon et al. 2011) ---- */
typedef struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* of output, used up */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;
typedef curandStatePhilox4_32_10_t curandStatePhilox4_32_10;

CUCPU_D uint4 curand_Philox4x32_10(uint4 c_, uint2 k_) { return cucpu_philox(c_, k_); }
CUCPU_D void cucpu_philox_advance(curandStatePhilox4_32_10_t *s_, unsigned long long low,
                                  unsigned long long high) {
    unsigned long long l_ = (unsigned long long)s_->ctr.y << 32 | s_->ctr.x;
    unsigned long long h_ = (unsigned long long)s_->ctr.w << 32 | s_->ctr.z;
    l_ += low, h_ += high + (l_ < low);
    s_->ctr = make_uint4((unsigned)l_, (unsigned)(l_ >> 32), (unsigned)h_, (unsigned)(h_ >> 32));
    s_->output = curand_Philox4x32_10(s_->ctr, s_->key);
}
CUCPU_D void skipahead(unsigned long long n_, curandStatePhilox4_32_10_t *s_) {
    s_->STATE += (unsigned)(n_ & 3);
    n_ /= 4;
    if (s_->STATE > 3) n_++, s_->STATE -= 4;
    cucpu_philox_advance(s_, n_, 0);
}
CUCPU_D void skipahead_sequence(unsigned long long n_, curandStatePhilox4_32_10_t *s_) {
    cucpu_philox_advance(s_, 0, n_);
}
CUCPU_D void curand_init(unsigned long long seed, unsigned long long subsequence,
                         unsigned long long offset, curandStatePhilox4_32_10_t *s_) {
    s_->ctr = make_uint4(0, 0, 0, 0);
    s_->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s_->STATE = 0;
    s_->boxmuller_flag = s_->boxmuller_flag_double = 0;
    s_->boxmuller_extra = 0, s_->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s_);
    skipahead(offset, s_);
}
CUCPU_D unsigned int curand(curandStatePhilox4_32_10_t *s_) {
    unsigned n_ = s_->STATE++;
    unsigned r_ = n_ == 0 ? s_->output.x : n_ == 1 ? s_->output.y : n_ == 2 ? s_->output.z : s_->output.w;
    if (s_->STATE == 4) {
        s_->STATE = 0;
        cucpu_philox_advance(s_, 1, 0);
    }
    return r_;
}
CUCPU_D uint4 curand4(curandStatePhilox4_32_10_t *s_) {
    uint4 a_ = s_->output;
    cucpu_philox_advance(s_, 1, 0);
    uint4 b_ = s_->output;
    return s_->STATE == 0   ? a_
           : s_->STATE == 1 ? make_uint4(a_.y, a_.z, a_.w, b_.x)
           : s_->STATE == 2 ? make_uint4(a_.z, a_.w, b_.x, b_.y)
                            : make_uint4(a_.w, b_.x, b_.y, b_.z);
}

/* ---- MRG32k3a ---- */
typedef struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
} curandStateMRG32k3a_t;
typedef curandStateMRG32k3a_t curandStateMRG32k3a;

CUCPU_D void skipahead(unsigned long long n_, curandStateMRG32k3a_t *s_) { cucpu_mrg_skip(s_->s1, s_->s2, n_, 0); }
CUCPU_D void skipahead_subsequence(unsigned long long n_, curandStateMRG32k3a_t *s_) { cucpu_mrg_skip(s_->s1, s_->s2, n_, 1); }
CUCPU_D void skipahead_sequence(unsigned long long n_, curandStateMRG32k3a_t *s_) { cucpu_mrg_skip(s_->s1, s_->s2, n_, 2); }
CUCPU_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStateMRG32k3a_t *s_) {
    cucpu_mrg_seed(s_->s1, s_->s2, seed);
    s_->boxmuller_flag = s_->boxmuller_flag_double = 0;
    s_->boxmuller_extra = 0, s_->boxmuller_extra_double = 0;
    skipahead_subsequence(subsequence, s_);
    skipahead(offset, s_);
}
CUCPU_D double curand_MRG32k3a(curandStateMRG32k3a_t *s_) { return cucpu_mrg_next(s_->s1, s_->s2); }
CUCPU_D unsigned int curand(curandStateMRG32k3a_t *s_) { return cucpu_mrg_bits(curand_MRG32k3a(s_)); }

/* ---- quasirandom sequences, MTGP32 ---- */
#include "cucpu/random_quasi.h"
#include "curand_mtgp32_kernel.h"

/* ---- distributions ---- */
CUCPU_D float cucpu_uniform(unsigned x) { return cucpu_uniform_float(x); }
CUCPU_D double cucpu_uniform(unsigned x, unsigned y) { return cucpu_uniform_double(x, y); }
/* Box and Muller: x uniform in (0, 1], an angle; in double, the angle is a multiple of pi. */
CUCPU_D float2 cucpu_box_muller(float x, float a_) {
    float r_ = sqrtf(-2.0f * logf(x)), sine, cosine;
    sincosf(a_, &sine, &cosine);
    return make_float2(r_ * sine, r_ * cosine);
}
CUCPU_D double2 cucpu_box_muller(double x, double a_) {
    double r_ = sqrt(-2.0 * log(x)), sine, cosine;
    cucpu_sincospi(a_, &sine, &cosine);
    return make_double2(r_ * sine, r_ * cosine);
}
CUCPU_D float2 cucpu_normal(unsigned x, unsigned y) {
    return cucpu_box_muller(cucpu_uniform(x), y * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f);
}
CUCPU_D double2 cucpu_normal(unsigned a_, unsigned b_, unsigned c_, unsigned d_) {
    return cucpu_box_muller(cucpu_uniform(a_, b_), 2 * cucpu_uniform(c_, d_));
}
#define CUCPU_R_(R, name) template <class S_> CUCPU_D R name(S_ *s_)
#define CUCPU_L_(R, name, T) template <class S_> CUCPU_D R name(S_ *s_, T mean, T deviation)
CUCPU_R_(float, curand_uniform) { return cucpu_uniform(curand(s_)); }
CUCPU_D double curand_uniform_double(curandStateXORWOW_t *s_) {
    unsigned x = curand(s_), y = curand(s_);
    return cucpu_uniform(x, y);
}
CUCPU_D double curand_uniform_double(curandStatePhilox4_32_10_t *s_) {
    return curand(s_) * 0x1p-32 + 0x1p-32;
}
CUCPU_D float curand_uniform(curandStateMRG32k3a_t *s_) { return (float)(curand_MRG32k3a(s_) * CUCPU_MRG_NORM_); }
CUCPU_D double curand_uniform_double(curandStateMRG32k3a_t *s_) { return curand_MRG32k3a(s_) * CUCPU_MRG_NORM_; }
CUCPU_D float2 curand_normal2(curandStateMRG32k3a_t *s_) {
    float x = curand_uniform(s_), y = curand_uniform(s_);
    return cucpu_box_muller(x, y * 6.2831855f);
}
CUCPU_D double2 curand_normal2_double(curandStateMRG32k3a_t *s_) {
    double x = curand_uniform_double(s_), y = curand_uniform_double(s_);
    return cucpu_box_muller(x, y * 2);
}
CUCPU_R_(float2, curand_normal2) {
    unsigned x = curand(s_), y = curand(s_);
    return cucpu_normal(x, y);
}
CUCPU_R_(double2, curand_normal2_double) {
    unsigned a_ = curand(s_), b_ = curand(s_), c_ = curand(s_), d_ = curand(s_);
    return cucpu_normal(a_, b_, c_, d_);
}
/* Pairs: the second one waits in the state, for a call of the same function (1: normal, 2: its exponential). */
#define CUCPU_PAIRS_(T, T2, name, log_name, normal2, flag, extra, exp)                             \
    CUCPU_R_(T, name) {                                                                            \
        if (s_->flag == 1) return s_->flag = 0, s_->extra;                                         \
        T2 p_ = normal2(s_);                                                                       \
        return s_->extra = p_.y, s_->flag = 1, p_.x;                                               \
    }                                                                                              \
    CUCPU_L_(T, log_name, T) {                                                                     \
        if (s_->flag == 2) return s_->flag = 0, s_->extra;                                         \
        T2 p_ = normal2(s_);                                                                       \
        return s_->extra = exp(mean + deviation * p_.y), s_->flag = 2, exp(mean + deviation * p_.x); \
    }
CUCPU_PAIRS_(float, float2, curand_normal, curand_log_normal, curand_normal2, boxmuller_flag, boxmuller_extra, expf)
CUCPU_PAIRS_(double, double2, curand_normal_double, curand_log_normal_double, curand_normal2_double, boxmuller_flag_double,
             boxmuller_extra_double, exp)
#undef CUCPU_PAIRS_
CUCPU_L_(float2, curand_log_normal2, float) {
    float2 p_ = curand_normal2(s_);
    return make_float2(expf(mean + deviation * p_.x), expf(mean + deviation * p_.y));
}
CUCPU_L_(double2, curand_log_normal2_double, double) {
    double2 p_ = curand_normal2_double(s_);
    return make_double2(exp(mean + deviation * p_.x), exp(mean + deviation * p_.y));
}
CUCPU_D float4 curand_uniform4(curandStatePhilox4_32_10_t *s_) {
    uint4 x = curand4(s_);
    return make_float4(cucpu_uniform(x.x), cucpu_uniform(x.y), cucpu_uniform(x.z), cucpu_uniform(x.w));
}
CUCPU_D double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s_) {
    uint4 x = curand4(s_);
    return make_double2(cucpu_uniform(x.x, x.y), cucpu_uniform(x.z, x.w));
}
CUCPU_D float4 curand_normal4(curandStatePhilox4_32_10_t *s_) {
    uint4 x = curand4(s_);
    float2 a_ = cucpu_normal(x.x, x.y), b_ = cucpu_normal(x.z, x.w);
    return make_float4(a_.x, a_.y, b_.x, b_.y);
}
CUCPU_D float4 curand_log_normal4(curandStatePhilox4_32_10_t *s_, float mean, float deviation) {
    float4 p_ = curand_normal4(s_);
    return make_float4(expf(mean + deviation * p_.x), expf(mean + deviation * p_.y),
                       expf(mean + deviation * p_.z), expf(mean + deviation * p_.w));
}
CUCPU_D double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s_) {
    double2 a_ = curand_uniform2_double(s_), b_ = curand_uniform2_double(s_);
    return double4{a_.x, a_.y, b_.x, b_.y};
}
CUCPU_D double4 curand_normal4_double(curandStatePhilox4_32_10_t *s_) {
    uint4 x = curand4(s_), y = curand4(s_);
    double2 a_ = cucpu_normal(x.x, x.y, x.z, x.w), b_ = cucpu_normal(y.x, y.y, y.z, y.w);
    return double4{a_.x, a_.y, b_.x, b_.y};
}
CUCPU_D double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *s_, double mean, double deviation) {
    double4 p_ = curand_normal4_double(s_);
    return double4{exp(mean + deviation * p_.x), exp(mean + deviation * p_.y), exp(mean + deviation * p_.z),
                   exp(mean + deviation * p_.w)};
}
/* Up to 64 by multiplication (Knuth), up to 4000 by transformed rejection with squeeze (Hoermann 1993), above from a
** normal number. */
template <class S_> static __device__ unsigned int curand_poisson(S_ *s_, double mean) {
    if (mean < 64) {
        unsigned n_ = 0;
        for (float p_ = expf((float)mean) * curand_uniform(s_); p_ > 1.0f; p_ *= curand_uniform(s_)) n_++;
        return n_;
    }
    double root = sqrt(mean);
    if (mean > 4000) return (unsigned)(root * curand_normal_double(s_) + mean + 0.5);
    double b_ = 0.931 + 2.53 * root, a_ = -0.059 + 0.02483 * b_;
    double inverse = 1.1239 + 1.1328 / (b_ - 3.4), most = 0.9277 - 3.6224 / (b_ - 2);
    for (;;) {
        double u_ = curand_uniform_double(s_) - 0.5, v_ = curand_uniform_double(s_);
        double us = 0.5 - fabs(u_), k_ = floor((2 * a_ / us + b_) * u_ + mean + 0.43);
        if (us >= 0.07 && v_ <= most) return (unsigned)k_;
        if (k_ < 0 || (us < 0.013 && v_ > us)) continue;
        double accept = log(v_ * inverse / (a_ / (us * us) + b_));
        if (accept <= k_ * log(mean) - mean - lgamma(k_ + 1)) return (unsigned)k_;
    }
}
CUCPU_D uint4 curand_poisson4(curandStatePhilox4_32_10_t *s_, double mean) {
    uint4 r_;
    if (mean > 4000) {
        double4 p_ = curand_normal4_double(s_);
        double root = sqrt(mean);
        return make_uint4((unsigned)(root * p_.x + mean + 0.5), (unsigned)(root * p_.y + mean + 0.5),
                          (unsigned)(root * p_.z + mean + 0.5), (unsigned)(root * p_.w + mean + 0.5));
    }
    r_.x = curand_poisson(s_, mean), r_.y = curand_poisson(s_, mean);
    r_.z = curand_poisson(s_, mean), r_.w = curand_poisson(s_, mean);
    return r_;
}
#undef CUCPU_R_
#undef CUCPU_L_
#endif
