/* cuda_fp16.h: the types half and half2.
**
** The arithmetic, comparisons and math are in cucpu/half_ops.inc, shared by both 16-bit formats;
** here are the type and its conversions.  C++ in CUDA mode or of a host compiler. */
#ifndef CUCPU_CUDA_FP16_H
#define CUCPU_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask for it */
#include "cuda_runtime.h"
#include "cucpu/defs.h"
#if CUCPU_HAS_HALF_

#define CUCPU_HDM_ __host__ __device__ CUCPU_INLINE_
struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};
#if defined(__CUDA__)
CUCPU_HD float cucpu_half_to_float(unsigned short b_) { return (float)__builtin_bit_cast(_Float16, b_); }
/* NaN becomes the canonical 0x7fff. */
CUCPU_HD unsigned short cucpu_half_from(float v_) {
    unsigned u_ = v_ != v_ ? 0x7fffffff : __builtin_bit_cast(unsigned, v_);
    return __builtin_bit_cast(unsigned short, (_Float16)__builtin_bit_cast(float, u_));
}
#else /* not every host compiler has _Float16 */
/* The exponent gets its new bias by a product with 2^112, which also brings subnormal numbers to their place. */
CUCPU_HD float cucpu_half_to_float(unsigned short b_) {
    float a_ = __builtin_bit_cast(float, (b_ & 0x7fffu) << 13) * __builtin_bit_cast(float, 0x77800000u);
    unsigned special_ = (b_ & 0x7c00) == 0x7c00 ? 0x7f800000 : 0, quiet_ = special_ && (b_ & 0x3ff) ? 0x400000 : 0;
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a_) | special_ | quiet_ | (b_ & 0x8000u) << 16);
}
/* Below 2^-14 the sum with a number whose last place is the smallest half rounds. */
CUCPU_HD unsigned short cucpu_half_from(float v_) {
    unsigned u_ = __builtin_bit_cast(unsigned, v_), sign_ = u_ >> 16 & 0x8000, a_ = u_ & 0x7fffffff;
    unsigned sum_ = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, a_) + 0.5f) - 0x3f000000;
    unsigned r_ = a_ < 0x38800000 ? sum_ : (a_ - 0x38000000 + 0xfff + (a_ >> 13 & 1)) >> 13;
    return (unsigned short)(a_ > 0x7f800000 ? 0x7fff : sign_ | (r_ > 0x7c00 ? 0x7c00 : r_));
}
#endif
/* Through float rounded to odd, so that the second rounding sees the whole value. */
CUCPU_HD unsigned short cucpu_half_from(double v_) {
    float f_ = (float)v_;
    unsigned u_ = __builtin_bit_cast(unsigned, f_);
    double d_ = __builtin_fabs(v_) - __builtin_fabs((double)f_);
    if (d_ == d_ && d_ != 0) u_ = d_ < 0 ? (u_ - 1) | 1 : u_ | 1;
    return cucpu_half_from(__builtin_bit_cast(float, u_));
}
struct __nv_bfloat16;
struct __align__(2) __half {
  protected:
    unsigned short __x;

  public:
    __half() = default;
    CUCPU_HDM_ __half(__half_raw r_) : __x(r_.x) {}
    CUCPU_HDM_ __half(float v_) : __x(cucpu_half_from(v_)) {}
    CUCPU_HDM_ __half(double v_) : __x(cucpu_half_from(v_)) {}
    CUCPU_HDM_ explicit __half(const __nv_bfloat16 &v_); /* in cuda_bf16.h */
/* Whole numbers that a float does not hold are infinite. */
#define CUCPU_INTEGER_(T)                                                                          \
    CUCPU_HDM_ __half(T v_) : __x(cucpu_half_from((float)v_)) {}                                   \
    CUCPU_HDM_ __half &operator=(T v_) { return *this = __half(v_); }
    CUCPU_INTEGER_(short) CUCPU_INTEGER_(unsigned short) CUCPU_INTEGER_(int)
    CUCPU_INTEGER_(unsigned) CUCPU_INTEGER_(long) CUCPU_INTEGER_(unsigned long)
    CUCPU_INTEGER_(long long) CUCPU_INTEGER_(unsigned long long)
#undef CUCPU_INTEGER_
    CUCPU_HDM_ __half &operator=(__half_raw r_) { __x = r_.x; return *this; }
    CUCPU_HDM_ __half &operator=(float v_) { return *this = __half(v_); }
    CUCPU_HDM_ __half &operator=(double v_) { return *this = __half(v_); }
    CUCPU_HDM_ operator __half_raw() const { return __half_raw{__x}; }
    CUCPU_HDM_ operator __half_raw() const volatile { return __half_raw{__x}; }
    CUCPU_HDM_ volatile __half &operator=(const __half_raw &r_) volatile { return __x = r_.x, *this; }
    CUCPU_HDM_ volatile __half &operator=(const volatile __half_raw &r_) volatile { return __x = r_.x, *this; }
    CUCPU_HDM_ operator float() const { return cucpu_half_to_float(__x); }
#define CUCPU_TO_(T) CUCPU_HDM_ operator T() const;
    CUCPU_TO_(signed char) CUCPU_TO_(unsigned char) CUCPU_TO_(char) CUCPU_TO_(short) CUCPU_TO_(unsigned short) CUCPU_TO_(int)
    CUCPU_TO_(unsigned) CUCPU_TO_(long) CUCPU_TO_(unsigned long) CUCPU_TO_(long long) CUCPU_TO_(unsigned long long)
#undef CUCPU_TO_
    CUCPU_HDM_ explicit operator bool() const { return (__x & 0x7fff) != 0; }
};

/* ---- conversions ---- */
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    CUCPU_HDM_ __half2(__half a_, __half b_) : x(a_), y(b_) {}
    CUCPU_HDM_ __half2(__half2_raw r_) : x(__half_raw{r_.x}), y(__half_raw{r_.y}) {}
    CUCPU_HDM_ operator __half2_raw() const {
        return __half2_raw{__builtin_bit_cast(unsigned short, x), __builtin_bit_cast(unsigned short, y)};
    }
};
typedef __half half;
typedef __half2 half2;
CUCPU_HD bool __hisnan(__half a_) { return (float)a_ != (float)a_; }
CUCPU_HD int __hisinf(__half a_) { return (float)a_ == __builtin_inff() ? 1 : (float)a_ == -__builtin_inff() ? -1 : 0; }
CUCPU_HD __half __hneg(__half a_) {
    return __half_raw{(unsigned short)(__builtin_bit_cast(unsigned short, a_) ^ 0x8000)};
}
CUCPU_HD __half __habs(__half a_) {
    return __half_raw{(unsigned short)(__builtin_bit_cast(unsigned short, a_) & 0x7fff)};
}
CUCPU_HD unsigned short __half_as_ushort(__half a_) { return __builtin_bit_cast(unsigned short, a_); }
CUCPU_HD short __half_as_short(__half a_) { return __builtin_bit_cast(short, a_); }
CUCPU_HD __half __ushort_as_half(unsigned short a_) { return __builtin_bit_cast(__half, a_); }
CUCPU_HD __half __short_as_half(short a_) { return __builtin_bit_cast(__half, a_); }

/* The neighbour of the nearest value where the mode asks for it; up: towards +infinity. */
CUCPU_HD __half cucpu_step_half(__half a_, bool up) {
    unsigned short i_ = __builtin_bit_cast(unsigned short, a_);
    unsigned short r_ = (i_ & 0x7fff) == 0 ? (up ? 1 : 0x8001) : (i_ >> 15) == up ? i_ - 1 : i_ + 1;
    return __half_raw{r_};
}
CUCPU_HD __half cucpu_half_rd(double v_) {
    __half a_ = __half(v_);
    return (double)(float)a_ > v_ ? cucpu_step_half(a_, false) : a_;
}
CUCPU_HD __half cucpu_half_ru(double v_) {
    __half a_ = __half(v_);
    return (double)(float)a_ < v_ ? cucpu_step_half(a_, true) : a_;
}
CUCPU_HD __half cucpu_half_rz(double v_) { return v_ < 0 ? cucpu_half_ru(v_) : cucpu_half_rd(v_); }
CUCPU_HD __half __float2half(float a_) { return __half(a_); }
CUCPU_HD __half __double2half(double a_) { return __half(a_); }
CUCPU_HD float __half2float(__half a_) { return (float)a_; }
#define CUCPU_CONVERT_(T, name)                                                                    \
    CUCPU_HD __half __##name##2half_rn(T a_) { return __half(a_); }                                \
    CUCPU_HD __half __##name##2half_rz(T a_) { return cucpu_half_rz((double)a_); }                 \
    CUCPU_HD __half __##name##2half_rd(T a_) { return cucpu_half_rd((double)a_); }                 \
    CUCPU_HD __half __##name##2half_ru(T a_) { return cucpu_half_ru((double)a_); }
CUCPU_CONVERT_(float, float)
CUCPU_CONVERT_(int, int) CUCPU_CONVERT_(unsigned, uint)
CUCPU_CONVERT_(short, short) CUCPU_CONVERT_(unsigned short, ushort)
CUCPU_CONVERT_(long long, ll) CUCPU_CONVERT_(unsigned long long, ull)
#undef CUCPU_CONVERT_
/* To integers: saturating; NaN is 0, or the sign bit alone of 64 bits. */
template <class T_> CUCPU_HD T_ cucpu_half_to(float v_, T_ low, T_ high) {
    return v_ != v_ ? T_(sizeof(T_) == 8 ? 1ull << 63 : 0) : v_ <= (float)low ? low : v_ >= (float)high ? high : (T_)v_;
}
#define CUCPU_CONVERT_(T, name, low, high)                                                         \
    CUCPU_HD T __half2##name##_rz(__half a_) { return cucpu_half_to<T>((float)a_, low, high); }    \
    CUCPU_HD T __half2##name##_rn(__half a_) {                                                     \
        return cucpu_half_to<T>(__builtin_rintf((float)a_), low, high);                            \
    }                                                                                              \
    CUCPU_HD T __half2##name##_rd(__half a_) {                                                     \
        return cucpu_half_to<T>(__builtin_floorf((float)a_), low, high);                           \
    }                                                                                              \
    CUCPU_HD T __half2##name##_ru(__half a_) {                                                     \
        return cucpu_half_to<T>(__builtin_ceilf((float)a_), low, high);                            \
    }                                                                                              \
    CUCPU_HDM_ __half::operator T() const { return __half2##name##_rz(*this); }
CUCPU_CONVERT_(signed char, char, -128, 127) CUCPU_CONVERT_(unsigned char, uchar, 0, 255)
CUCPU_CONVERT_(short, short, -32768, 32767) CUCPU_CONVERT_(unsigned short, ushort, 0, 65535)
CUCPU_CONVERT_(int, int, -__INT_MAX__ - 1, __INT_MAX__) CUCPU_CONVERT_(unsigned, uint, 0, ~0u)
CUCPU_CONVERT_(long long, ll, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
CUCPU_CONVERT_(unsigned long long, ull, 0, ~0ull)
#undef CUCPU_CONVERT_
CUCPU_HDM_ __half::operator char() const { return (char)__half2char_rz(*this); }
CUCPU_HDM_ __half::operator long() const { return __half2ll_rz(*this); }
CUCPU_HDM_ __half::operator unsigned long() const { return __half2ull_rz(*this); }

/* ---- pairs ---- */
CUCPU_HD __half2 make_half2(__half a_, __half b_) { return __half2{a_, b_}; }
CUCPU_HD __half2 __halves2half2(__half a_, __half b_) { return __half2{a_, b_}; }
CUCPU_HD __half2 __half2half2(__half a_) { return __half2{a_, a_}; }
CUCPU_HD __half2 __float2half2_rn(float a_) { return __half2{__half(a_), __half(a_)}; }
CUCPU_HD __half2 __floats2half2_rn(float a_, float b_) { return __half2{__half(a_), __half(b_)}; }
CUCPU_HD __half2 __float22half2_rn(float2 a_) { return __half2{__half(a_.x), __half(a_.y)}; }
CUCPU_HD float2 __half22float2(__half2 a_) { return float2{(float)a_.x, (float)a_.y}; }
CUCPU_HD float __low2float(__half2 a_) { return (float)a_.x; }
CUCPU_HD float __high2float(__half2 a_) { return (float)a_.y; }
CUCPU_HD __half __low2half(__half2 a_) { return a_.x; }
CUCPU_HD __half __high2half(__half2 a_) { return a_.y; }
CUCPU_HD __half2 __low2half2(__half2 a_) { return __half2{a_.x, a_.x}; }
CUCPU_HD __half2 __high2half2(__half2 a_) { return __half2{a_.y, a_.y}; }
CUCPU_HD __half2 __lows2half2(__half2 a_, __half2 b_) { return __half2{a_.x, b_.x}; }
CUCPU_HD __half2 __highs2half2(__half2 a_, __half2 b_) { return __half2{a_.y, b_.y}; }
CUCPU_HD __half2 __lowhigh2highlow(__half2 a_) { return __half2{a_.y, a_.x}; }

/* The product is exact in float; the sum is rounded to odd. */
CUCPU_HD unsigned short cucpu_half_fma(float a_, float b_, float c_) {
#if defined(__clang__)
#pragma clang fp contract(off) reassociate(off)
#endif
    float p_ = a_ * b_, s_ = p_ + c_, t_ = s_ - p_, e_ = (p_ - (s_ - t_)) + (c_ - t_);
    unsigned u_ = __builtin_bit_cast(unsigned, s_);
    if (e_ < 0 || e_ > 0) u_ = (e_ < 0) == (s_ < 0) ? u_ | 1 : (u_ - 1) | 1;
    return cucpu_half_from(__builtin_bit_cast(float, u_));
}
#define CUCPU_FMA_(a, b, c) __half_raw{cucpu_half_fma(a, b, c)}
#define CUCPU_H __half
#define CUCPU_H2 __half2
#include "cucpu/half_ops.inc"
#undef CUCPU_H
#undef CUCPU_H2
#undef CUCPU_HDM_
typedef __half nv_half;
typedef __half2 nv_half2;
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
#endif
