/* cuda_fp8.h: the 8-bit floating-point formats e4m3 and e5m2, alone, in pairs and in fours; e8m0 is in cucpu/fp8_scale.h.
**
** Storage and conversions only, as on GPUs before sm_100: programs compute in float or half.  A
** conversion rounds once, to nearest even; __NV_SATFINITE gives the largest finite value for what is
** larger, __NV_NOSAT infinity (e5m2) or NaN (e4m3, which has no infinity).  NaN of a float loses its sign. */
#ifndef CUCPU_CUDA_FP8_H
#define CUCPU_CUDA_FP8_H
#define __CUDA_FP8_H__ /* programs ask for it */
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#if CUCPU_HAS_HALF_

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* ---- one value ---- */

/* Normal results: the exponent gets its new bias and the rest is rounded off as an integer, so that a
** carry moves into the exponent.  Below them the sum with a number whose last place is the smallest
** result rounds. */
CUCPU_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v_, __nv_saturation_t sat_, __nv_fp8_interpretation_t kind_) {
    int bits_ = kind_ == __NV_E4M3 ? 3 : 2, bias_ = kind_ == __NV_E4M3 ? 7 : 15;
    unsigned u_ = __builtin_bit_cast(unsigned, v_), sign_ = u_ >> 24 & 0x80, a_ = u_ & 0x7fffffff;
    unsigned finite_ = kind_ == __NV_E4M3 ? 0x7e : 0x7b, ulp_ = (unsigned)(127 + 23 + 1 - bias_ - bits_) << 23;
    unsigned sum_ = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, a_) + __builtin_bit_cast(float, ulp_));
    unsigned down_ = a_ - ((unsigned)(127 - bias_) << 23);
    unsigned r_ = (down_ + (1u << (22 - bits_)) - 1 + (down_ >> (23 - bits_) & 1)) >> (23 - bits_);
    r_ = a_ < (unsigned)(128 - bias_) << 23 ? sum_ - ulp_ : r_;
    r_ = r_ <= finite_ ? r_ : sat_ == __NV_SATFINITE ? finite_ : finite_ + 1;
    return (__nv_fp8_storage_t)(a_ > 0x7f800000 ? 0x7f : sign_ | r_);
}
/* Through float rounded to odd, so that the second rounding sees the whole value.  NaN as in NVIDIA's
** header, which truncates it: the sign stays, and in e5m2 one bit behind the one that makes it quiet. */
CUCPU_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v_, __nv_saturation_t sat_, __nv_fp8_interpretation_t kind_) {
    float f_ = (float)v_;
    unsigned u_ = __builtin_bit_cast(unsigned, f_);
    double d_ = __builtin_fabs(v_) - __builtin_fabs((double)f_);
    if (d_ == d_ && d_ != 0) u_ = d_ < 0 ? (u_ - 1) | 1 : u_ | 1;
    unsigned nan_ = kind_ == __NV_E4M3 ? 0x7f : 0x7e | (u_ >> 21 & 1);
    if (v_ != v_) return (__nv_fp8_storage_t)((u_ >> 24 & 0x80) | nan_);
    return __nv_cvt_float_to_fp8(__builtin_bit_cast(float, u_), sat_, kind_);
}
CUCPU_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v_, __nv_saturation_t sat_, __nv_fp8_interpretation_t kind_) {
    return __nv_cvt_float_to_fp8(cucpu_half_to_float(v_.x), sat_, kind_);
}
CUCPU_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v_, __nv_saturation_t sat_,
                                                        __nv_fp8_interpretation_t kind_) {
    return __nv_cvt_float_to_fp8(cucpu_bfloat_to_float(v_.x), sat_, kind_);
}
CUCPU_HD float cucpu_fp8_to_float(__nv_fp8_storage_t v_, __nv_fp8_interpretation_t kind_) {
    unsigned a_ = v_ & 0x7f, sign_ = (unsigned)(v_ & 0x80) << 24;
    unsigned small_ = __builtin_bit_cast(unsigned, (float)(v_ & 7) * (1.0f / 512));
    unsigned r_ = a_ == 0x7f ? 0x7fffffff : a_ < 8 ? small_ | sign_ : ((a_ << 20) + (120u << 23)) | sign_;
    if (kind_ == __NV_E5M2) return a_ > 0x7c ? __builtin_bit_cast(float, 0x7fffffff) : cucpu_half_to_float((unsigned short)(v_ << 8));
    return __builtin_bit_cast(float, r_);
}
CUCPU_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v_, __nv_fp8_interpretation_t kind_) {
    float f_ = cucpu_fp8_to_float(v_, kind_);
    return __half_raw{(unsigned short)(f_ != f_ ? 0x7fff : cucpu_half_from(f_))};
}

/* ---- pairs: x in the low byte ---- */
CUCPU_HD __nv_fp8x2_storage_t cucpu_fp8_pair(__nv_fp8_storage_t x_, __nv_fp8_storage_t y_) {
    return (__nv_fp8x2_storage_t)(x_ | y_ << 8);
}
#define CUCPU_PAIR_(name, one, T)                                                                  \
    CUCPU_HD __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(T v_, __nv_saturation_t sat_, __nv_fp8_interpretation_t kind_) { \
        return cucpu_fp8_pair(__nv_cvt_##one##_to_fp8(v_.x, sat_, kind_), __nv_cvt_##one##_to_fp8(v_.y, sat_, kind_)); \
    }
CUCPU_PAIR_(float2, float, float2)
CUCPU_PAIR_(double2, double, double2)
#undef CUCPU_PAIR_
#define CUCPU_PAIR_(name, one, T)                                                                  \
    CUCPU_HD __nv_fp8x2_storage_t __nv_cvt_##name##2_to_fp8x2(T##2_raw v_, __nv_saturation_t sat_, __nv_fp8_interpretation_t kind_) { \
        return cucpu_fp8_pair(__nv_cvt_##name##_to_fp8(one{v_.x}, sat_, kind_), __nv_cvt_##name##_to_fp8(one{v_.y}, sat_, kind_)); \
    }
CUCPU_PAIR_(halfraw, __half_raw, __half)
CUCPU_PAIR_(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat16)
#undef CUCPU_PAIR_
CUCPU_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v_, __nv_fp8_interpretation_t kind_) {
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v_, kind_).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v_ >> 8), kind_).x};
}

/* ---- the types ---- */
#define CUCPU_HDM_ __host__ __device__ CUCPU_INLINE_
/* To integers as halves convert: towards zero, saturating, NaN as in cucpu_half_to. */
#define CUCPU_TO_(T, low, high) \
    explicit CUCPU_HDM_ operator T() const { return cucpu_half_to<T>(float(*this), low, high); }
#define CUCPU_FROM_(T) \
    explicit CUCPU_HDM_ FP8_(T v_) : __x(__nv_cvt_float_to_fp8((float)v_, __NV_SATFINITE, KIND_)) {}
#define CUCPU_FP8_ONE_                                                                             \
  public:                                                                                          \
    __nv_fp8_storage_t __x;                                                                        \
    FP8_() = default;                                                                              \
    explicit CUCPU_HDM_ FP8_(__half v_) : __x(__nv_cvt_halfraw_to_fp8(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ FP8_(__nv_bfloat16 v_) : __x(__nv_cvt_bfloat16raw_to_fp8(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ FP8_(double v_) : __x(__nv_cvt_double_to_fp8(v_, __NV_SATFINITE, KIND_)) {} \
    CUCPU_FROM_(float) CUCPU_FROM_(short) CUCPU_FROM_(unsigned short) CUCPU_FROM_(int)             \
    CUCPU_FROM_(unsigned) CUCPU_FROM_(long) CUCPU_FROM_(unsigned long) CUCPU_FROM_(long long)      \
    CUCPU_FROM_(unsigned long long)                                                                \
    explicit CUCPU_HDM_ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, KIND_)); } \
    explicit CUCPU_HDM_ operator float() const { return cucpu_fp8_to_float(__x, KIND_); }          \
    explicit CUCPU_HDM_ operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }     \
    explicit CUCPU_HDM_ operator double() const { return (double)float(*this); }                   \
    explicit CUCPU_HDM_ operator bool() const { return (__x & 0x7f) != 0; }                        \
    CUCPU_TO_(char, -128, 127) CUCPU_TO_(signed char, -128, 127) CUCPU_TO_(unsigned char, 0, 255)  \
    CUCPU_TO_(short, -32768, 32767) CUCPU_TO_(unsigned short, 0, 65535)                            \
    CUCPU_TO_(int, -__INT_MAX__ - 1, __INT_MAX__) CUCPU_TO_(unsigned, 0, ~0u)                      \
    CUCPU_TO_(long, -__LONG_MAX__ - 1, __LONG_MAX__) CUCPU_TO_(unsigned long, 0, ~0ul)             \
    CUCPU_TO_(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__) CUCPU_TO_(unsigned long long, 0, ~0ull)
#define CUCPU_FP8_TWO_                                                                             \
  public:                                                                                          \
    __nv_fp8x2_storage_t __x;                                                                      \
    FP8X2_() = default;                                                                            \
    explicit CUCPU_HDM_ FP8X2_(__half2 v_) : __x(__nv_cvt_halfraw2_to_fp8x2(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ FP8X2_(__nv_bfloat162 v_) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ FP8X2_(float2 v_) : __x(__nv_cvt_float2_to_fp8x2(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ FP8X2_(double2 v_) : __x(__nv_cvt_double2_to_fp8x2(v_, __NV_SATFINITE, KIND_)) {} \
    explicit CUCPU_HDM_ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND_)); } \
    explicit CUCPU_HDM_ operator float2() const {                                                  \
        return float2{cucpu_fp8_to_float((__nv_fp8_storage_t)__x, KIND_),                          \
                      cucpu_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), KIND_)};                  \
    }
#define CUCPU_FOUR_(T, T2) \
    explicit CUCPU_HDM_ FP8X4_(T v_) : __x(FP8X2_(T2{v_.x, v_.y}).__x | (unsigned)FP8X2_(T2{v_.z, v_.w}).__x << 16) {}
#define CUCPU_FP8_FOUR_                                                                            \
  public:                                                                                          \
    __nv_fp8x4_storage_t __x;                                                                      \
    FP8X4_() = default;                                                                            \
    explicit CUCPU_HDM_ FP8X4_(__half2 a_, __half2 b_) : __x(FP8X2_(a_).__x | (unsigned)FP8X2_(b_).__x << 16) {} \
    explicit CUCPU_HDM_ FP8X4_(__nv_bfloat162 a_, __nv_bfloat162 b_)                               \
        : __x(FP8X2_(a_).__x | (unsigned)FP8X2_(b_).__x << 16) {}                                  \
    CUCPU_FOUR_(float4, float2) CUCPU_FOUR_(double4, double2) CUCPU_FOUR_(double4_16a, double2) CUCPU_FOUR_(double4_32a, double2) \
    explicit CUCPU_HDM_ operator float4() const {                                                  \
        FP8X2_ a_, b_;                                                                             \
        a_.__x = (__nv_fp8x2_storage_t)__x, b_.__x = (__nv_fp8x2_storage_t)(__x >> 16);            \
        float2 l_ = float2(a_), h_ = float2(b_);                                                   \
        return float4{l_.x, l_.y, h_.x, h_.y};                                                     \
    }

#define KIND_ __NV_E4M3
#define FP8_ __nv_fp8_e4m3
#define FP8X2_ __nv_fp8x2_e4m3
#define FP8X4_ __nv_fp8x4_e4m3
struct __align__(1) __nv_fp8_e4m3 { CUCPU_FP8_ONE_ };
struct __align__(2) __nv_fp8x2_e4m3 { CUCPU_FP8_TWO_ };
struct __align__(4) __nv_fp8x4_e4m3 { CUCPU_FP8_FOUR_ };
#undef KIND_
#undef FP8_
#undef FP8X2_
#undef FP8X4_
#define KIND_ __NV_E5M2
#define FP8_ __nv_fp8_e5m2
#define FP8X2_ __nv_fp8x2_e5m2
#define FP8X4_ __nv_fp8x4_e5m2
struct __align__(1) __nv_fp8_e5m2 { CUCPU_FP8_ONE_ };
struct __align__(2) __nv_fp8x2_e5m2 { CUCPU_FP8_TWO_ };
struct __align__(4) __nv_fp8x4_e5m2 { CUCPU_FP8_FOUR_ };
#undef KIND_
#undef FP8_
#undef FP8X2_
#undef FP8X4_
#undef CUCPU_FP8_ONE_
#undef CUCPU_FP8_TWO_
#undef CUCPU_FP8_FOUR_
#undef CUCPU_FOUR_
#undef CUCPU_FROM_
#undef CUCPU_TO_
#undef CUCPU_HDM_
#include "cucpu/fp8_scale.h"
#endif
#endif
