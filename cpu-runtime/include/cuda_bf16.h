/* cuda_bf16.h: the types __nv_bfloat16 and __nv_bfloat162.
**
** The arithmetic, comparisons and math are in cucpu/half_ops.inc, shared by both 16-bit formats;
** here are the type and its conversions.  C++ in CUDA mode or of a host compiler. */
#ifndef CUCPU_CUDA_BF16_H
#define CUCPU_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask for it */
#include "cuda_runtime.h"
#include "cuda_fp16.h"
#include "cucpu/defs.h"
#if CUCPU_HAS_HALF_

#define CUCPU_HDM_ __host__ __device__ CUCPU_INLINE_
struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
CUCPU_HD float cucpu_bfloat_to_float(unsigned short b_) {
    return __builtin_bit_cast(float, (unsigned)b_ << 16);
}
/* Round to nearest even on the bit pattern; NaN becomes the canonical 0x7fff. */
CUCPU_HD unsigned short cucpu_bfloat_from(float v_) {
    unsigned u_ = __builtin_bit_cast(unsigned, v_);
    unsigned r_ = (u_ + 0x7fff + (u_ >> 16 & 1)) >> 16;
    return (unsigned short)(v_ != v_ ? 0x7fff : r_);
}
/* Through float rounded to odd, so that the second rounding sees the whole value: v_ + rest_, which is less than half an ulp. */
CUCPU_HD unsigned short cucpu_bfloat_from(double v_, double rest_ = 0) {
    float f_ = (float)v_;
    unsigned u_ = __builtin_bit_cast(unsigned, f_);
    double d_ = v_ - (double)f_ + rest_;
    if (d_ < 0 || d_ > 0) u_ = (d_ < 0) == (v_ < 0) ? u_ | 1 : (u_ - 1) | 1;
    return cucpu_bfloat_from(__builtin_bit_cast(float, u_));
}
/* Whole numbers in as many bits as a float or double has, rounded to odd, for the same reason. */
template <class T_> CUCPU_HD T_ cucpu_odd_integer(T_ v_, int bits_, T_ exact_) {
    T_ low_ = ((T_)1 << bits_) - 1;
    bool fits_ = v_ < exact_ && (v_ >= 0 || v_ > -exact_);
    return fits_ || !(v_ & low_) ? v_ : (v_ & ~low_) | (low_ + 1);
}
CUCPU_HD double cucpu_odd_double(float v_) { return v_; }
CUCPU_HD double cucpu_odd_double(short v_) { return v_; }
CUCPU_HD double cucpu_odd_double(unsigned short v_) { return v_; }
CUCPU_HD double cucpu_odd_double(int v_) { return v_; }
CUCPU_HD double cucpu_odd_double(unsigned v_) { return v_; }
#define CUCPU_INTEGER_(T)                                                                          \
    CUCPU_HD double cucpu_odd_double(T v_) { return (double)cucpu_odd_integer<T>(v_, 11, (T)1 << 53); } \
    CUCPU_HD unsigned short cucpu_bfloat_from(T v_) { return cucpu_bfloat_from(cucpu_odd_double(v_)); }
CUCPU_INTEGER_(long) CUCPU_INTEGER_(unsigned long) CUCPU_INTEGER_(long long) CUCPU_INTEGER_(unsigned long long)
#undef CUCPU_INTEGER_
CUCPU_HD unsigned short cucpu_bfloat_from(short v_) { return cucpu_bfloat_from((float)v_); }
CUCPU_HD unsigned short cucpu_bfloat_from(unsigned short v_) { return cucpu_bfloat_from((float)v_); }
CUCPU_HD unsigned short cucpu_bfloat_from(int v_) { return cucpu_bfloat_from((float)cucpu_odd_integer<int>(v_, 8, 1 << 24)); }
CUCPU_HD unsigned short cucpu_bfloat_from(unsigned v_) { return cucpu_bfloat_from((float)cucpu_odd_integer<unsigned>(v_, 8, 1u << 24)); }
struct __align__(2) __nv_bfloat16 {
  protected:
    unsigned short __x;

  public:
    __nv_bfloat16() = default;
    CUCPU_HDM_ __nv_bfloat16(__nv_bfloat16_raw r_) : __x(r_.x) {}
    CUCPU_HDM_ __nv_bfloat16(float v_) : __x(cucpu_bfloat_from(v_)) {}
    CUCPU_HDM_ __nv_bfloat16(double v_) : __x(cucpu_bfloat_from(v_)) {}
    CUCPU_HDM_ explicit __nv_bfloat16(const __half &v_) : __x(cucpu_bfloat_from((float)v_)) {}
#define CUCPU_INTEGER_(T)                                                                          \
    CUCPU_HDM_ __nv_bfloat16(T v_) : __x(cucpu_bfloat_from(v_)) {}                                 \
    CUCPU_HDM_ __nv_bfloat16 &operator=(T v_) { return *this = __nv_bfloat16(v_); }
    CUCPU_INTEGER_(short) CUCPU_INTEGER_(unsigned short) CUCPU_INTEGER_(int)
    CUCPU_INTEGER_(unsigned) CUCPU_INTEGER_(long) CUCPU_INTEGER_(unsigned long)
    CUCPU_INTEGER_(long long) CUCPU_INTEGER_(unsigned long long)
#undef CUCPU_INTEGER_
    CUCPU_HDM_ __nv_bfloat16 &operator=(__nv_bfloat16_raw r_) { __x = r_.x; return *this; }
    CUCPU_HDM_ __nv_bfloat16 &operator=(float v_) { return *this = __nv_bfloat16(v_); }
    CUCPU_HDM_ __nv_bfloat16 &operator=(double v_) { return *this = __nv_bfloat16(v_); }
    CUCPU_HDM_ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    CUCPU_HDM_ operator __nv_bfloat16_raw() const volatile { return __nv_bfloat16_raw{__x}; }
    CUCPU_HDM_ volatile __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r_) volatile { return __x = r_.x, *this; }
    CUCPU_HDM_ volatile __nv_bfloat16 &operator=(const volatile __nv_bfloat16_raw &r_) volatile { return __x = r_.x, *this; }
    CUCPU_HDM_ operator float() const { return cucpu_bfloat_to_float(__x); }
#define CUCPU_TO_(T) CUCPU_HDM_ operator T() const;
    CUCPU_TO_(signed char) CUCPU_TO_(unsigned char) CUCPU_TO_(char) CUCPU_TO_(short) CUCPU_TO_(unsigned short) CUCPU_TO_(int)
    CUCPU_TO_(unsigned) CUCPU_TO_(long) CUCPU_TO_(unsigned long) CUCPU_TO_(long long) CUCPU_TO_(unsigned long long)
#undef CUCPU_TO_
    CUCPU_HDM_ explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
CUCPU_HDM_ __half::__half(const __nv_bfloat16 &v_) : __x(cucpu_half_from((float)v_)) {}

/* ---- conversions ---- */
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    CUCPU_HDM_ __nv_bfloat162(__nv_bfloat16 a_, __nv_bfloat16 b_) : x(a_), y(b_) {}
    CUCPU_HDM_ __nv_bfloat162(__nv_bfloat162_raw r_) : x(__nv_bfloat16_raw{r_.x}), y(__nv_bfloat16_raw{r_.y}) {}
    CUCPU_HDM_ operator __nv_bfloat162_raw() const {
        return __nv_bfloat162_raw{__builtin_bit_cast(unsigned short, x), __builtin_bit_cast(unsigned short, y)};
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
CUCPU_HD bool __hisnan(__nv_bfloat16 a_) { return (float)a_ != (float)a_; }
CUCPU_HD int __hisinf(__nv_bfloat16 a_) { return (float)a_ == __builtin_inff() ? 1 : (float)a_ == -__builtin_inff() ? -1 : 0; }
CUCPU_HD __nv_bfloat16 __hneg(__nv_bfloat16 a_) {
    return __nv_bfloat16_raw{(unsigned short)(__builtin_bit_cast(unsigned short, a_) ^ 0x8000)};
}
CUCPU_HD __nv_bfloat16 __habs(__nv_bfloat16 a_) {
    return __nv_bfloat16_raw{(unsigned short)(__builtin_bit_cast(unsigned short, a_) & 0x7fff)};
}
CUCPU_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a_) { return __builtin_bit_cast(unsigned short, a_); }
CUCPU_HD short __bfloat16_as_short(__nv_bfloat16 a_) { return __builtin_bit_cast(short, a_); }
CUCPU_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a_) { return __builtin_bit_cast(__nv_bfloat16, a_); }
CUCPU_HD __nv_bfloat16 __short_as_bfloat16(short a_) { return __builtin_bit_cast(__nv_bfloat16, a_); }

/* The neighbour of the nearest value where the mode asks for it; up: towards +infinity. */
CUCPU_HD __nv_bfloat16 cucpu_step_bfloat16(__nv_bfloat16 a_, bool up) {
    unsigned short i_ = __builtin_bit_cast(unsigned short, a_);
    unsigned short r_ = (i_ & 0x7fff) == 0 ? (up ? 1 : 0x8001) : (i_ >> 15) == up ? i_ - 1 : i_ + 1;
    return __nv_bfloat16_raw{r_};
}
CUCPU_HD __nv_bfloat16 cucpu_bfloat16_rd(double v_) {
    __nv_bfloat16 a_ = __nv_bfloat16(v_);
    return (double)(float)a_ > v_ ? cucpu_step_bfloat16(a_, false) : a_;
}
CUCPU_HD __nv_bfloat16 cucpu_bfloat16_ru(double v_) {
    __nv_bfloat16 a_ = __nv_bfloat16(v_);
    return (double)(float)a_ < v_ ? cucpu_step_bfloat16(a_, true) : a_;
}
CUCPU_HD __nv_bfloat16 cucpu_bfloat16_rz(double v_) { return v_ < 0 ? cucpu_bfloat16_ru(v_) : cucpu_bfloat16_rd(v_); }
CUCPU_HD __nv_bfloat16 __float2bfloat16(float a_) { return __nv_bfloat16(a_); }
CUCPU_HD __nv_bfloat16 __double2bfloat16(double a_) { return __nv_bfloat16(a_); }
CUCPU_HD float __bfloat162float(__nv_bfloat16 a_) { return (float)a_; }
#define CUCPU_CONVERT_(T, name)                                                                    \
    CUCPU_HD __nv_bfloat16 __##name##2bfloat16_rn(T a_) { return __nv_bfloat16(a_); }              \
    CUCPU_HD __nv_bfloat16 __##name##2bfloat16_rz(T a_) { return cucpu_bfloat16_rz(cucpu_odd_double(a_)); } \
    CUCPU_HD __nv_bfloat16 __##name##2bfloat16_rd(T a_) { return cucpu_bfloat16_rd(cucpu_odd_double(a_)); } \
    CUCPU_HD __nv_bfloat16 __##name##2bfloat16_ru(T a_) { return cucpu_bfloat16_ru(cucpu_odd_double(a_)); }
CUCPU_CONVERT_(float, float)
CUCPU_CONVERT_(int, int) CUCPU_CONVERT_(unsigned, uint)
CUCPU_CONVERT_(short, short) CUCPU_CONVERT_(unsigned short, ushort)
CUCPU_CONVERT_(long long, ll) CUCPU_CONVERT_(unsigned long long, ull)
#undef CUCPU_CONVERT_
/* To integers: saturating; NaN is 0, or the sign bit alone of 64 bits. */
template <class T_> CUCPU_HD T_ cucpu_bfloat16_to(float v_, T_ low, T_ high) {
    return v_ != v_ ? T_(sizeof(T_) == 8 ? 1ull << 63 : 0) : v_ <= (float)low ? low : v_ >= (float)high ? high : (T_)v_;
}
#define CUCPU_CONVERT_(T, name, low, high)                                                         \
    CUCPU_HD T __bfloat162##name##_rz(__nv_bfloat16 a_) { return cucpu_bfloat16_to<T>((float)a_, low, high); } \
    CUCPU_HD T __bfloat162##name##_rn(__nv_bfloat16 a_) {                                          \
        return cucpu_bfloat16_to<T>(__builtin_rintf((float)a_), low, high);                        \
    }                                                                                              \
    CUCPU_HD T __bfloat162##name##_rd(__nv_bfloat16 a_) {                                          \
        return cucpu_bfloat16_to<T>(__builtin_floorf((float)a_), low, high);                       \
    }                                                                                              \
    CUCPU_HD T __bfloat162##name##_ru(__nv_bfloat16 a_) {                                          \
        return cucpu_bfloat16_to<T>(__builtin_ceilf((float)a_), low, high);                        \
    }                                                                                              \
    CUCPU_HDM_ __nv_bfloat16::operator T() const { return __bfloat162##name##_rz(*this); }
CUCPU_CONVERT_(signed char, char, -128, 127) CUCPU_CONVERT_(unsigned char, uchar, 0, 255)
CUCPU_CONVERT_(short, short, -32768, 32767) CUCPU_CONVERT_(unsigned short, ushort, 0, 65535)
CUCPU_CONVERT_(int, int, -__INT_MAX__ - 1, __INT_MAX__) CUCPU_CONVERT_(unsigned, uint, 0, ~0u)
CUCPU_CONVERT_(long long, ll, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
CUCPU_CONVERT_(unsigned long long, ull, 0, ~0ull)
#undef CUCPU_CONVERT_
CUCPU_HDM_ __nv_bfloat16::operator char() const { return (char)__bfloat162char_rz(*this); }
CUCPU_HDM_ __nv_bfloat16::operator long() const { return __bfloat162ll_rz(*this); }
CUCPU_HDM_ __nv_bfloat16::operator unsigned long() const { return __bfloat162ull_rz(*this); }

/* ---- pairs ---- */
CUCPU_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a_, __nv_bfloat16 b_) { return __nv_bfloat162{a_, b_}; }
CUCPU_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a_, __nv_bfloat16 b_) { return __nv_bfloat162{a_, b_}; }
CUCPU_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a_) { return __nv_bfloat162{a_, a_}; }
CUCPU_HD __nv_bfloat162 __float2bfloat162_rn(float a_) { return __nv_bfloat162{__nv_bfloat16(a_), __nv_bfloat16(a_)}; }
CUCPU_HD __nv_bfloat162 __floats2bfloat162_rn(float a_, float b_) { return __nv_bfloat162{__nv_bfloat16(a_), __nv_bfloat16(b_)}; }
CUCPU_HD __nv_bfloat162 __float22bfloat162_rn(float2 a_) { return __nv_bfloat162{__nv_bfloat16(a_.x), __nv_bfloat16(a_.y)}; }
CUCPU_HD float2 __bfloat1622float2(__nv_bfloat162 a_) { return float2{(float)a_.x, (float)a_.y}; }
CUCPU_HD float __low2float(__nv_bfloat162 a_) { return (float)a_.x; }
CUCPU_HD float __high2float(__nv_bfloat162 a_) { return (float)a_.y; }
CUCPU_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a_) { return a_.x; }
CUCPU_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a_) { return a_.y; }
CUCPU_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a_) { return __nv_bfloat162{a_.x, a_.x}; }
CUCPU_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a_) { return __nv_bfloat162{a_.y, a_.y}; }
CUCPU_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a_, __nv_bfloat162 b_) { return __nv_bfloat162{a_.x, b_.x}; }
CUCPU_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a_, __nv_bfloat162 b_) { return __nv_bfloat162{a_.y, b_.y}; }
CUCPU_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a_) { return __nv_bfloat162{a_.y, a_.x}; }

/* The product is exact; what the sum loses may decide a tie far above it. */
CUCPU_HD unsigned short cucpu_bfloat_fma(float a_, float b_, float c_) {
#if defined(__clang__)
#pragma clang fp contract(off) reassociate(off)
#endif
    double p_ = (double)a_ * b_, s_ = p_ + c_, t_ = s_ - p_;
    return cucpu_bfloat_from(s_, (p_ - (s_ - t_)) + (c_ - t_));
}
#define CUCPU_FMA_(a, b, c) __nv_bfloat16_raw{cucpu_bfloat_fma(a, b, c)}
#define CUCPU_H __nv_bfloat16
#define CUCPU_H2 __nv_bfloat162
#include "cucpu/half_ops.inc"
#undef CUCPU_H
#undef CUCPU_H2
#undef CUCPU_HDM_
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
#endif
