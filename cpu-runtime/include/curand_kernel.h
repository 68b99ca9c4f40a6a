/* curand_kernel.h: random numbers in device code: the generators XORWOW and Philox4x32-10.
**
** Seeds, subsequences and offsets give the same integers and uniform numbers as cuRAND documents for
** them; normal numbers differ in the last bits (Box-Muller with another sine), Poisson numbers above a
** mean of 64 come from another method (Hoermann's PTRS).  MRG32k3a, MTGP32 and the quasirandom
** generators are not provided. */
#ifndef CUCPU_CURAND_KERNEL_H
#define CUCPU_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ /* programs ask for it */
#include "cuda_runtime.h"

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

static __device__ const unsigned cucpu_xorwow_leap[67 + 64][5] = {
#include "cucpu/xorwow.inc"
};
CUCPU_D void cucpu_xorwow_step(unsigned *v_) {
    unsigned t_ = v_[0] ^ v_[0] >> 2;
    v_[0] = v_[1], v_[1] = v_[2], v_[2] = v_[3], v_[3] = v_[4];
    v_[4] = v_[4] ^ v_[4] << 4 ^ t_ ^ t_ << 1;
}
/* n_ * 2^first steps: for each bit of n_ the leap's polynomial, by Horner's rule. */
static __device__ void cucpu_xorwow_skip(curandStateXORWOW_t *s_, unsigned long long n_, int first) {
    for (const unsigned(*leap)[5] = cucpu_xorwow_leap + first; n_; n_ >>= 1, leap++) {
        if (!(n_ & 1)) continue;
        unsigned r_[5] = {};
        for (int i_ = 159; i_ >= 0; i_--) {
            cucpu_xorwow_step(r_);
            unsigned take = 0 - ((*leap)[i_ / 32] >> i_ % 32 & 1);
            for (int k_ = 0; k_ < 5; k_++) r_[k_] ^= s_->v[k_] & take;
        }
        for (int k_ = 0; k_ < 5; k_++) s_->v[k_] = r_[k_];
    }
}
CUCPU_D void skipahead(unsigned long long n_, curandStateXORWOW_t *s_) {
    cucpu_xorwow_skip(s_, n_, 0);
    s_->d += 362437u * (unsigned)n_;
}
CUCPU_D void skipahead_sequence(unsigned long long n_, curandStateXORWOW_t *s_) {
    cucpu_xorwow_skip(s_, n_, 67);
}
CUCPU_D void curand_init(unsigned long long seed, unsigned long long subsequence,
                         unsigned long long offset, curandStateXORWOW_t *s_) {
    unsigned a_ = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    unsigned b_ = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    s_->d = 6615241u + b_ + a_;
    s_->v[0] = 123456789u + a_, s_->v[1] = 362436069u ^ a_, s_->v[2] = 521288629u + b_;
    s_->v[3] = 88675123u ^ b_, s_->v[4] = 5783321u + a_;
    s_->boxmuller_flag = s_->boxmuller_flag_double = 0;
    s_->boxmuller_extra = 0, s_->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, s_);
    skipahead(offset, s_);
}
CUCPU_D unsigned int curand(curandStateXORWOW_t *s_) {
    cucpu_xorwow_step(s_->v);
    s_->d += 362437u;
    return s_->v[4] + s_->d;
}

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

CUCPU_D uint4 curand_Philox4x32_10(uint4 c_, uint2 k_) {
    for (int i_ = 0; i_ < 10; i_++) {
        unsigned long long a_ = 0xd2511f53ull * c_.x, b_ = 0xcd9e8d57ull * c_.z;
        c_ = make_uint4((unsigned)(b_ >> 32) ^ c_.y ^ k_.x, (unsigned)b_,
                        (unsigned)(a_ >> 32) ^ c_.w ^ k_.y, (unsigned)a_);
        k_.x += 0x9e3779b9u, k_.y += 0xbb67ae85u;
    }
    return c_;
}
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

/* ---- distributions ---- */
CUCPU_D float cucpu_uniform(unsigned x) { return x * 0x1p-32f + 0x1p-33f; }
CUCPU_D double cucpu_uniform(unsigned x, unsigned y) {
    return (x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}
CUCPU_D float2 cucpu_normal(unsigned x, unsigned y) {
    float a_ = y * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f, sine, cosine;
    float r_ = sqrtf(-2.0f * logf(cucpu_uniform(x)));
    sincosf(a_, &sine, &cosine);
    return make_float2(r_ * sine, r_ * cosine);
}
CUCPU_D double2 cucpu_normal(unsigned a_, unsigned b_, unsigned c_, unsigned d_) {
    double r_ = sqrt(-2.0 * log(cucpu_uniform(a_, b_))), sine, cosine;
    sincospi(2 * cucpu_uniform(c_, d_), &sine, &cosine);
    return make_double2(r_ * sine, r_ * cosine);
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
CUCPU_R_(float2, curand_normal2) {
    unsigned x = curand(s_), y = curand(s_);
    return cucpu_normal(x, y);
}
CUCPU_R_(double2, curand_normal2_double) {
    unsigned a_ = curand(s_), b_ = curand(s_), c_ = curand(s_), d_ = curand(s_);
    return cucpu_normal(a_, b_, c_, d_);
}
/* Pairs: the second one waits in the state. */
CUCPU_R_(float, curand_normal) {
    if (s_->boxmuller_flag) {
        s_->boxmuller_flag = 0;
        return s_->boxmuller_extra;
    }
    float2 p_ = curand_normal2(s_);
    s_->boxmuller_extra = p_.y, s_->boxmuller_flag = 1;
    return p_.x;
}
CUCPU_R_(double, curand_normal_double) {
    if (s_->boxmuller_flag_double) {
        s_->boxmuller_flag_double = 0;
        return s_->boxmuller_extra_double;
    }
    double2 p_ = curand_normal2_double(s_);
    s_->boxmuller_extra_double = p_.y, s_->boxmuller_flag_double = 1;
    return p_.x;
}
CUCPU_L_(float, curand_log_normal, float) { return expf(mean + deviation * curand_normal(s_)); }
CUCPU_L_(double, curand_log_normal_double, double) { return exp(mean + deviation * curand_normal_double(s_)); }
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
/* Up to 64 by multiplication (Knuth), above by transformed rejection with squeeze (Hoermann 1993). */
template <class S_> static __device__ unsigned int curand_poisson(S_ *s_, double mean) {
    if (mean < 64) {
        unsigned n_ = 0;
        for (float p_ = expf((float)mean) * curand_uniform(s_); p_ > 1.0f; p_ *= curand_uniform(s_)) n_++;
        return n_;
    }
    double root = sqrt(mean), b_ = 0.931 + 2.53 * root, a_ = -0.059 + 0.02483 * b_;
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
#undef CUCPU_R_
#undef CUCPU_L_
#endif
