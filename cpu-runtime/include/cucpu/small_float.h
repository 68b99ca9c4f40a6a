/* small_float.h: the formats e2m1 (cuda_fp4.h), e2m3 and e3m2 (cuda_fp6.h), alone, in pairs and in fours.
**
** Storage and conversions only.  None of them has an infinity or a NaN: what is larger than the largest number becomes that, NaN
** the positive one, as in NVIDIA's headers.  Rounding is to nearest even or towards zero. */
#ifndef CUCPU_SMALL_FLOAT_H
#define CUCPU_SMALL_FLOAT_H
#include "../cuda_fp8.h"

/* A number takes `bits` bits of its storage: sign, exponent, fraction. */
struct cucpu_e2m1 {
    typedef unsigned char one;
    typedef unsigned char two;
    typedef unsigned short four;
    enum { fraction = 1, bias = 1, sign = 8, bits = 4 };
};
struct cucpu_e2m3 {
    typedef unsigned char one;
    typedef unsigned short two;
    typedef unsigned four;
    enum { fraction = 3, bias = 1, sign = 32, bits = 8 };
};
struct cucpu_e3m2 : cucpu_e2m3 {
    enum { fraction = 2, bias = 3 };
};

/* The absolute value as a multiple of the last place that the result has at this size, and that rounded. */
template <class S, class U, class F> CUCPU_HD typename S::one cucpu_small_round(F v_, int exponent_, enum cudaRoundMode rounding_) {
    constexpr int digits_ = sizeof(F) == 4 ? 23 : 52, bias_ = sizeof(F) == 4 ? 127 : 1023, least_ = 1 - S::bias;
    constexpr unsigned largest_ = S::sign - 1;
    int e_ = exponent_ < least_ ? least_ : exponent_;
    bool fits_ = exponent_ < 6, negative_ = v_ == v_ && __builtin_bit_cast(U, v_) >> (8 * sizeof(U) - 1);
    F places_ = fits_ ? (v_ < 0 ? -v_ : v_) * __builtin_bit_cast(F, (U)(bias_ + S::fraction - e_) << digits_) : 0;
    unsigned r_ = (unsigned)places_;
    F rest_ = places_ - (F)r_;
    r_ += rounding_ == cudaRoundNearest && (rest_ > (F)0.5 || (rest_ == (F)0.5 && (r_ & 1)));
    r_ += (unsigned)(e_ - least_) << S::fraction;
    return (typename S::one)((fits_ && r_ <= largest_ ? r_ : largest_) | (negative_ ? S::sign : 0));
}
template <class S> CUCPU_HD typename S::one cucpu_small_of(float v_, enum cudaRoundMode rounding_) {
    return cucpu_small_round<S, unsigned>(v_, (int)(__builtin_bit_cast(unsigned, v_) >> 23 & 0xff) - 127, rounding_);
}
template <class S> CUCPU_HD typename S::one cucpu_small_of(double v_, enum cudaRoundMode rounding_) {
    int exponent_ = (int)(__builtin_bit_cast(unsigned long long, v_) >> 52 & 0x7ff) - 1023;
    return cucpu_small_round<S, unsigned long long>(v_, exponent_, rounding_);
}
template <class S> CUCPU_HD float cucpu_small_to_float(unsigned v_) {
    unsigned a_ = v_ & (S::sign - 1), e_ = a_ >> S::fraction, hidden_ = e_ ? 1u << S::fraction : 0;
    unsigned places_ = hidden_ | (a_ & ((1u << S::fraction) - 1));
    float r_ = (float)places_ * __builtin_bit_cast(float, ((e_ ? e_ : 1) + 127 - S::bias - S::fraction) << 23);
    return v_ & S::sign ? -r_ : r_;
}
template <class S> CUCPU_HD __half_raw cucpu_small_to_half(unsigned v_) {
    return __half_raw{cucpu_half_from(cucpu_small_to_float<S>(v_))};
}
template <class S, class F> CUCPU_HD typename S::two cucpu_small_pair(F x_, F y_, enum cudaRoundMode rounding_) {
    return (typename S::two)(cucpu_small_of<S>(x_, rounding_) | cucpu_small_of<S>(y_, rounding_) << S::bits);
}

/* The functions that C has: `f` of format A for the kind `first`, of B for another. */
#define CUCPU_SMALL_ONE_(from, to, storage, T, kinds, first, A, B, value)                                                    \
    CUCPU_HD storage __nv_cvt_##from##_to_##to(T v_, kinds kind_, enum cudaRoundMode r_) {                                   \
        return kind_ == first ? cucpu_small_of<A>(value(v_), r_) : cucpu_small_of<B>(value(v_), r_);                         \
    }
#define CUCPU_SMALL_TWO_(from, to, storage, T, kinds, first, A, B, value)                                                    \
    CUCPU_HD storage __nv_cvt_##from##_to_##to(T v_, kinds kind_, enum cudaRoundMode r_) {                                   \
        return kind_ == first ? cucpu_small_pair<A>(value(v_.x), value(v_.y), r_) : cucpu_small_pair<B>(value(v_.x), value(v_.y), r_); \
    }
#define CUCPU_SMALL_SAME_(v) v
#define CUCPU_SMALL_RAW_HALF_(v) cucpu_half_to_float(v.x)
#define CUCPU_SMALL_RAW_BFLOAT_(v) cucpu_bfloat_to_float(v.x)
#define CUCPU_SMALL_C_(fp, kinds, ...)                                                                                       \
    CUCPU_SMALL_ONE_(double, fp, __nv_##fp##_storage_t, double, kinds, __VA_ARGS__, CUCPU_SMALL_SAME_)                       \
    CUCPU_SMALL_ONE_(float, fp, __nv_##fp##_storage_t, float, kinds, __VA_ARGS__, CUCPU_SMALL_SAME_)                         \
    CUCPU_SMALL_ONE_(halfraw, fp, __nv_##fp##_storage_t, __half_raw, kinds, __VA_ARGS__, CUCPU_SMALL_RAW_HALF_)              \
    CUCPU_SMALL_ONE_(bfloat16raw, fp, __nv_##fp##_storage_t, __nv_bfloat16_raw, kinds, __VA_ARGS__, CUCPU_SMALL_RAW_BFLOAT_) \
    CUCPU_SMALL_TWO_(double2, fp##x2, __nv_##fp##x2_storage_t, double2, kinds, __VA_ARGS__, CUCPU_SMALL_SAME_)               \
    CUCPU_SMALL_TWO_(float2, fp##x2, __nv_##fp##x2_storage_t, float2, kinds, __VA_ARGS__, CUCPU_SMALL_SAME_)                 \
    CUCPU_SMALL_TWO_(halfraw2, fp##x2, __nv_##fp##x2_storage_t, __half2_raw, kinds, __VA_ARGS__, cucpu_half_to_float)        \
    CUCPU_SMALL_TWO_(bfloat16raw2, fp##x2, __nv_##fp##x2_storage_t, __nv_bfloat162_raw, kinds, __VA_ARGS__, cucpu_bfloat_to_float) \
    CUCPU_SMALL_BACK_(fp, kinds, __VA_ARGS__)
#define CUCPU_SMALL_BACK_(fp, kinds, first, A, B)                                                                            \
    CUCPU_HD __half_raw __nv_cvt_##fp##_to_halfraw(__nv_##fp##_storage_t v_, kinds kind_) {                                  \
        return kind_ == first ? cucpu_small_to_half<A>(v_) : cucpu_small_to_half<B>(v_);                                     \
    }                                                                                                                        \
    CUCPU_HD __half2_raw __nv_cvt_##fp##x2_to_halfraw2(__nv_##fp##x2_storage_t v_, kinds kind_) {                            \
        return __half2_raw{__nv_cvt_##fp##_to_halfraw((__nv_##fp##_storage_t)v_, kind_).x,                                   \
                           __nv_cvt_##fp##_to_halfraw((__nv_##fp##_storage_t)(v_ >> A::bits), kind_).x};                     \
    }

/* ---- the types ---- */
#define CUCPU_HDM_ __host__ __device__ CUCPU_INLINE_
#define CUCPU_FROM_(T) explicit CUCPU_HDM_ cucpu_small(T v_) : __x(cucpu_small_of<S>((float)v_, cudaRoundNearest)) {}
#define CUCPU_TO_(T, low, high) explicit CUCPU_HDM_ operator T() const { return cucpu_half_to<T>(float(*this), low, high); }
template <class S> struct cucpu_small {
    typename S::one __x;
    cucpu_small() = default;
    CUCPU_FROM_(__half) CUCPU_FROM_(__nv_bfloat16) CUCPU_FROM_(float) CUCPU_FROM_(short) CUCPU_FROM_(unsigned short)
    CUCPU_FROM_(int) CUCPU_FROM_(unsigned) CUCPU_FROM_(long) CUCPU_FROM_(unsigned long) CUCPU_FROM_(long long)
    CUCPU_FROM_(unsigned long long)
    explicit CUCPU_HDM_ cucpu_small(double v_) : __x(cucpu_small_of<S>(v_, cudaRoundNearest)) {}
    explicit CUCPU_HDM_ operator __half() const { return __half(cucpu_small_to_half<S>(__x)); }
    explicit CUCPU_HDM_ operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }
    explicit CUCPU_HDM_ operator float() const { return cucpu_small_to_float<S>(__x); }
    explicit CUCPU_HDM_ operator double() const { return (double)float(*this); }
    explicit CUCPU_HDM_ operator bool() const { return (__x & (S::sign - 1)) != 0; }
    CUCPU_TO_(char, -128, 127) CUCPU_TO_(signed char, -128, 127) CUCPU_TO_(unsigned char, 0, 255)
    CUCPU_TO_(short, -32768, 32767) CUCPU_TO_(unsigned short, 0, 65535)
    CUCPU_TO_(int, -__INT_MAX__ - 1, __INT_MAX__) CUCPU_TO_(unsigned, 0, ~0u)
    CUCPU_TO_(long, -__LONG_MAX__ - 1, __LONG_MAX__) CUCPU_TO_(unsigned long, 0, ~0ul)
    CUCPU_TO_(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__) CUCPU_TO_(unsigned long long, 0, ~0ull)
};
#undef CUCPU_FROM_
#undef CUCPU_TO_

/* x in the low bits. */
#define CUCPU_FROM_(T, F) explicit CUCPU_HDM_ cucpu_small2(T v_) : __x(cucpu_small_pair<S>((F)v_.x, (F)v_.y, cudaRoundNearest)) {}
template <class S> struct cucpu_small2 {
    typename S::two __x;
    cucpu_small2() = default;
    CUCPU_FROM_(__half2, float) CUCPU_FROM_(__nv_bfloat162, float) CUCPU_FROM_(float2, float) CUCPU_FROM_(double2, double)
    explicit CUCPU_HDM_ operator __half2() const {
        return __half2(__half(cucpu_small_to_half<S>(__x)), __half(cucpu_small_to_half<S>(__x >> S::bits)));
    }
    explicit CUCPU_HDM_ operator float2() const {
        return float2{cucpu_small_to_float<S>(__x), cucpu_small_to_float<S>(__x >> S::bits)};
    }
};
#undef CUCPU_FROM_
#define CUCPU_PAIRS_(low, high) ((typename S::four)(cucpu_small2<S>(low).__x | (unsigned)cucpu_small2<S>(high).__x << 2 * S::bits))
#define CUCPU_FROM_(T, T2) explicit CUCPU_HDM_ cucpu_small4(T v_) : __x(CUCPU_PAIRS_((T2{v_.x, v_.y}), (T2{v_.z, v_.w}))) {}
template <class S> struct cucpu_small4 {
    typename S::four __x;
    cucpu_small4() = default;
    explicit CUCPU_HDM_ cucpu_small4(__half2 low_, __half2 high_) : __x(CUCPU_PAIRS_(low_, high_)) {}
    explicit CUCPU_HDM_ cucpu_small4(__nv_bfloat162 low_, __nv_bfloat162 high_) : __x(CUCPU_PAIRS_(low_, high_)) {}
    CUCPU_FROM_(float4, float2) CUCPU_FROM_(double4, double2) CUCPU_FROM_(double4_16a, double2) CUCPU_FROM_(double4_32a, double2)
    explicit CUCPU_HDM_ operator float4() const {
        return float4{cucpu_small_to_float<S>(__x), cucpu_small_to_float<S>(__x >> S::bits),
                      cucpu_small_to_float<S>(__x >> 2 * S::bits), cucpu_small_to_float<S>(__x >> 3 * S::bits)};
    }
};
#undef CUCPU_FROM_
#undef CUCPU_PAIRS_
#undef CUCPU_HDM_

/* Types of their own, so that programs can name them in declarations. */
#define CUCPU_SMALL_TYPE_(name, of, S)                                                                                       \
    struct __align__(sizeof(of<S>)) name : of<S> {                                                                           \
        using of<S>::of;                                                                                                     \
        name() = default;                                                                                                    \
    };
#define CUCPU_SMALL_TYPES_(fp, format)                                                                                       \
    CUCPU_SMALL_TYPE_(__nv_##fp##_##format, cucpu_small, cucpu_##format)                                                     \
    CUCPU_SMALL_TYPE_(__nv_##fp##x2_##format, cucpu_small2, cucpu_##format)                                                  \
    CUCPU_SMALL_TYPE_(__nv_##fp##x4_##format, cucpu_small4, cucpu_##format)
#endif
