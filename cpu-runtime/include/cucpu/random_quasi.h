/* random_quasi.h: Sobol's sequences in device code, plain and scrambled, of 32 and 64 bits; a part of curand_kernel.h.
**
** curand_init takes the vectors of a dimension (curandGetDirectionVectors32, ... of libcurand) and, if they are scrambled, its constant;
** both may be anyone's.  Every number takes one element: normal and Poisson numbers are its quantiles. */
#ifndef CUCPU_RANDOM_QUASI_H
#define CUCPU_RANDOM_QUASI_H
#include "../curand.h"

#define CUCPU_SOBOL_(name, T, bits)                                                                                            \
    typedef struct curandState##name {                                                                                         \
        T i, x, c, direction_vectors[bits];                                                                                    \
    } curandState##name##_t;                                                                                                   \
    typedef curandState##name##_t curandState##name;                                                                           \
    CUCPU_D void skipahead(T n_, curandState##name##_t *s_) {                                                                  \
        s_->i += n_;                                                                                                           \
        s_->x = s_->c;                                                                                                         \
        T gray_ = s_->i ^ s_->i >> 1;                                                                                          \
        for (int k_ = 0; k_ < bits; k_++) s_->x ^= gray_ >> k_ & 1 ? s_->direction_vectors[k_] : 0;                            \
    }                                                                                                                          \
    CUCPU_D void cucpu_sobol_init(const T *v_, T c_, T offset, curandState##name##_t *s_) {                                    \
        for (int k_ = 0; k_ < bits; k_++) s_->direction_vectors[k_] = v_[k_];                                                  \
        s_->i = 0, s_->c = c_;                                                                                                 \
        skipahead(offset, s_);                                                                                                 \
    }                                                                                                                          \
    CUCPU_D T curand(curandState##name##_t *s_) {                                                                              \
        T x_ = s_->x;                                                                                                          \
        int zeros_ = __builtin_popcountll((unsigned long long)(s_->i & ~(s_->i + 1)));                                         \
        s_->i++;                                                                                                               \
        s_->x ^= s_->direction_vectors[zeros_ < bits ? zeros_ : bits - 1];                                                     \
        return x_;                                                                                                             \
    }
CUCPU_SOBOL_(Sobol32, unsigned int, 32)
CUCPU_SOBOL_(ScrambledSobol32, unsigned int, 32)
CUCPU_SOBOL_(Sobol64, unsigned long long, 64)
CUCPU_SOBOL_(ScrambledSobol64, unsigned long long, 64)
#undef CUCPU_SOBOL_

CUCPU_D void curand_init(curandDirectionVectors32_t v_, unsigned int offset, curandStateSobol32_t *s_) { cucpu_sobol_init(v_, 0u, offset, s_); }
CUCPU_D void curand_init(curandDirectionVectors32_t v_, unsigned int c_, unsigned int offset, curandStateScrambledSobol32_t *s_) {
    cucpu_sobol_init(v_, c_, offset, s_);
}
CUCPU_D void curand_init(curandDirectionVectors64_t v_, unsigned long long offset, curandStateSobol64_t *s_) {
    cucpu_sobol_init(v_, 0ull, offset, s_);
}
CUCPU_D void curand_init(curandDirectionVectors64_t v_, unsigned long long c_, unsigned long long offset, curandStateScrambledSobol64_t *s_) {
    cucpu_sobol_init(v_, c_, offset, s_);
}

/* ---- distributions ---- */
CUCPU_D float cucpu_quantile_uniform(unsigned x_) { return cucpu_uniform_float(x_); }
CUCPU_D float cucpu_quantile_uniform(unsigned long long x_) { return cucpu_uniform_float((unsigned)(x_ >> 32)); }
CUCPU_D double cucpu_quantile_uniform_double(unsigned x_) { return x_ * 0x1p-32 + 0x1p-32; }
CUCPU_D double cucpu_quantile_uniform_double(unsigned long long x_) { return (x_ >> 11) * 0x1p-53 + 0x1p-54; }
/* The upper half is the lower one's mirror image. */
CUCPU_D float cucpu_quantile_normal(unsigned x_) {
    bool upper_ = x_ > 0x80000000u;
    float z_ = 1.4142135f * CUCPU_ERFCINVF_(2 * ((upper_ ? ~x_ : x_) * 0x1p-32f + 0x1p-33f));
    return upper_ ? z_ : -z_;
}
CUCPU_D float cucpu_quantile_normal(unsigned long long x_) { return cucpu_quantile_normal((unsigned)(x_ >> 32)); }
/* x_ counts units. */
CUCPU_D double cucpu_quantile_units(unsigned long long x_, double unit_) {
    double p_ = x_ * unit_ + unit_ / 2;
    bool upper_ = p_ > 0.5;
    double z_ = 1.4142135623730951 * CUCPU_ERFCINV_(2 * (upper_ ? 1 - p_ : p_));
    return upper_ ? z_ : -z_;
}
CUCPU_D double cucpu_quantile_normal_double(unsigned x_) { return cucpu_quantile_units(x_, 0x1p-32); }
CUCPU_D double cucpu_quantile_normal_double(unsigned long long x_) { return cucpu_quantile_units(x_ >> 11, 0x1p-53); }
/* The least count whose probability, with all below, is u_: from the mean's on, by ratios; up to 4000, above from the normal one. */
CUCPU_D unsigned cucpu_quantile_poisson(double u_, double z_, double mean) {
    if (mean > 4000) {
        double n_ = sqrt(mean) * z_ + mean + 0.5;
        return n_ < 0 ? 0 : (unsigned)n_;
    }
    double peak_ = floor(mean), at_ = exp(peak_ * log(mean) - mean - lgamma(peak_ + 1)), sum_ = 0, p_ = at_;
    for (double k_ = peak_; k_ >= 0 && p_ > 1e-20; k_ -= 1) sum_ += p_, p_ *= k_ / mean; /* of at most the peak */
    double k_ = peak_;
    p_ = at_;
    if (u_ <= sum_) {
        while (k_ > 0 && u_ <= sum_ - p_) sum_ -= p_, p_ *= k_ / mean, k_ -= 1;
    } else
        while (u_ > sum_ && p_ > 1e-20) k_ += 1, p_ *= mean / k_, sum_ += p_;
    return (unsigned)k_;
}

/* For the states whose numbers are quantiles: all functions of one element. */
#define CUCPU_QUANTILES_(S)                                                                                                    \
    CUCPU_D float curand_uniform(S *s_) { return cucpu_quantile_uniform(curand(s_)); }                                         \
    CUCPU_D double curand_uniform_double(S *s_) { return cucpu_quantile_uniform_double(curand(s_)); }                          \
    CUCPU_D float curand_normal(S *s_) { return cucpu_quantile_normal(curand(s_)); }                                           \
    CUCPU_D double curand_normal_double(S *s_) { return cucpu_quantile_normal_double(curand(s_)); }                            \
    CUCPU_D float curand_log_normal(S *s_, float mean, float deviation) { return expf(mean + deviation * curand_normal(s_)); } \
    CUCPU_D double curand_log_normal_double(S *s_, double mean, double deviation) {                                            \
        return exp(mean + deviation * curand_normal_double(s_));                                                               \
    }                                                                                                                          \
    CUCPU_D unsigned int curand_poisson(S *s_, double mean) {                                                                  \
        auto x_ = curand(s_);                                                                                                  \
        return cucpu_quantile_poisson(cucpu_quantile_uniform_double(x_), cucpu_quantile_normal_double(x_), mean);              \
    }
CUCPU_QUANTILES_(curandStateSobol32_t)
CUCPU_QUANTILES_(curandStateScrambledSobol32_t)
CUCPU_QUANTILES_(curandStateSobol64_t)
CUCPU_QUANTILES_(curandStateScrambledSobol64_t)
#endif
