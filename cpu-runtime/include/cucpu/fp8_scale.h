/* fp8_scale.h: the 8-bit scaling factors e8m0, alone, in pairs and in fours: powers of two from 2^-127 to 2^127, and NaN (0xff).
**
** Included by cuda_fp8.h.  A number's absolute value is rounded to a power of two in the given direction, at the middle upwards; what is
** smaller than 2^-127, and 0, becomes that, what is larger than 2^127 that (__NV_SATFINITE) or NaN. */
#ifndef CUCPU_FP8_SCALE_H
#define CUCPU_FP8_SCALE_H

/* The power of two at or below v, and whether it is more than that and at least the middle, give the code: a number of 11 exponent bits. */
CUCPU_HD __nv_fp8_storage_t cucpu_scale(int exponent_, bool more_, bool half_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    bool up_ = rounding_ == cudaRoundPosInf ? more_ : rounding_ == cudaRoundNearest && half_;
    int code_ = exponent_ + 127 + up_;
    return (__nv_fp8_storage_t)(code_ < 0 ? 0 : code_ <= 254 ? code_ : sat_ == __NV_SATFINITE ? 254 : 255);
}
CUCPU_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    unsigned long long a_ = __builtin_bit_cast(unsigned long long, v_) & 0x7fffffffffffffffull, rest_ = a_ << 12;
    int exponent_ = (int)(a_ >> 52) - 1023;
    if (v_ != v_) return 0xff;
    if (rounding_ == cudaRoundZero && exponent_ > 127 && exponent_ < 1024) exponent_ = 127; /* as through a float */
    return cucpu_scale(exponent_, rest_ != 0, rest_ >> 63 != 0, sat_, rounding_);
}
CUCPU_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    unsigned a_ = __builtin_bit_cast(unsigned, v_) & 0x7fffffff, e_ = a_ >> 23, rest_ = a_ << 9;
    if (a_ > 0x7f800000) return 0xff;
    if (e_ == 0) e_ = rest_ >> 31, rest_ = e_ ? rest_ << 1 : 0, e_ -= 1; /* 2^-127 is a denormal; what is less is clipped */
    return cucpu_scale((int)e_ - 127, rest_ != 0, rest_ >> 31 != 0, sat_, rounding_);
}
CUCPU_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    return __nv_cvt_float_to_e8m0(cucpu_bfloat_to_float(v_.x), sat_, rounding_);
}
CUCPU_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t v_) {
    return __nv_bfloat16_raw{(unsigned short)(v_ == 0xff ? 0x7fff : v_ ? v_ << 7 : 0x40)};
}

#define CUCPU_HDM_ __host__ __device__ CUCPU_INLINE_
#define CUCPU_UP_ __NV_SATFINITE, cudaRoundPosInf
/* Whole numbers are rounded up as they are, not as a float. */
CUCPU_HD __nv_fp8_storage_t cucpu_scale_of(unsigned long long v_) {
    return (__nv_fp8_storage_t)(v_ == 0 ? 0 : v_ == 1 ? 127 : 127 + 64 - __builtin_clzll(v_ - 1));
}
#define CUCPU_UNSIGNED_(T) explicit CUCPU_HDM_ __nv_fp8_e8m0(T v_) : __x(cucpu_scale_of(v_)) {}
#define CUCPU_SIGNED_(T)                                                                                                     \
    explicit CUCPU_HDM_ __nv_fp8_e8m0(T v_) : __x(cucpu_scale_of(v_ < 0 ? -(unsigned long long)v_ : (unsigned long long)v_)) {}
/* Towards zero, saturating. */
#define CUCPU_TO_(T, low, high)                                                                                              \
    explicit CUCPU_HDM_ operator T() const { return cucpu_half_to<T>(float(*this), low, high); }

struct __align__(1) __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit CUCPU_HDM_ __nv_fp8_e8m0(__half v_) : __x(__nv_cvt_float_to_e8m0(__half2float(v_), CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8_e8m0(__nv_bfloat16 v_) : __x(__nv_cvt_bfloat16raw_to_e8m0(v_, CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8_e8m0(float v_) : __x(__nv_cvt_float_to_e8m0(v_, CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8_e8m0(double v_) : __x(__nv_cvt_double_to_e8m0(v_, CUCPU_UP_)) {}
    CUCPU_UNSIGNED_(unsigned short) CUCPU_UNSIGNED_(unsigned) CUCPU_UNSIGNED_(unsigned long) CUCPU_UNSIGNED_(unsigned long long)
    CUCPU_SIGNED_(short) CUCPU_SIGNED_(int) CUCPU_SIGNED_(long) CUCPU_SIGNED_(long long)
    explicit CUCPU_HDM_ operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
    explicit CUCPU_HDM_ operator float() const { return cucpu_bfloat_to_float(__nv_cvt_e8m0_to_bf16raw(__x).x); }
    explicit CUCPU_HDM_ operator double() const { return (double)float(*this); }
    explicit CUCPU_HDM_ operator __half() const {
        return __half(__half_raw{(unsigned short)(__x == 0xff ? 0x7fff : cucpu_half_from(float(*this)))});
    }
    explicit CUCPU_HDM_ operator bool() const { return true; }
    CUCPU_TO_(char, -128, 127) CUCPU_TO_(signed char, -128, 127) CUCPU_TO_(unsigned char, 0, 255)
    CUCPU_TO_(short, -32768, 32767) CUCPU_TO_(unsigned short, 0, 65535)
    CUCPU_TO_(int, -__INT_MAX__ - 1, __INT_MAX__) CUCPU_TO_(unsigned, 0, ~0u)
    CUCPU_TO_(long, -__LONG_MAX__ - 1, __LONG_MAX__) CUCPU_TO_(unsigned long, 0, ~0ul)
    CUCPU_TO_(long long, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__) CUCPU_TO_(unsigned long long, 0, ~0ull)
};

/* ---- pairs: x in the low byte ---- */
CUCPU_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    return cucpu_fp8_pair(__nv_cvt_float_to_e8m0(v_.x, sat_, rounding_), __nv_cvt_float_to_e8m0(v_.y, sat_, rounding_));
}
CUCPU_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    return cucpu_fp8_pair(__nv_cvt_double_to_e8m0(v_.x, sat_, rounding_), __nv_cvt_double_to_e8m0(v_.y, sat_, rounding_));
}
CUCPU_HD __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw v_, __nv_saturation_t sat_, enum cudaRoundMode rounding_) {
    return __nv_cvt_float2_to_e8m0x2(float2{cucpu_bfloat_to_float(v_.x), cucpu_bfloat_to_float(v_.y)}, sat_, rounding_);
}
CUCPU_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t v_) {
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)v_).x, __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(v_ >> 8)).x};
}

struct __align__(2) __nv_fp8x2_e8m0 {
    __nv_fp8x2_storage_t __x;
    __nv_fp8x2_e8m0() = default;
    explicit CUCPU_HDM_ __nv_fp8x2_e8m0(__half2 v_) : __x(__nv_cvt_float2_to_e8m0x2(__half22float2(v_), CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8x2_e8m0(__nv_bfloat162 v_) : __x(__nv_cvt_bfloat162raw_to_e8m0x2(v_, CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8x2_e8m0(float2 v_) : __x(__nv_cvt_float2_to_e8m0x2(v_, CUCPU_UP_)) {}
    explicit CUCPU_HDM_ __nv_fp8x2_e8m0(double2 v_) : __x(__nv_cvt_double2_to_e8m0x2(v_, CUCPU_UP_)) {}
    explicit CUCPU_HDM_ operator __nv_bfloat162() const { return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)); }
    explicit CUCPU_HDM_ operator float2() const {
        __nv_bfloat162_raw r_ = __nv_cvt_e8m0x2_to_bf162raw(__x);
        return float2{cucpu_bfloat_to_float(r_.x), cucpu_bfloat_to_float(r_.y)};
    }
    explicit CUCPU_HDM_ operator __half2() const {
        __nv_fp8_e8m0 x_, y_;
        x_.__x = (__nv_fp8_storage_t)__x, y_.__x = (__nv_fp8_storage_t)(__x >> 8);
        return __half2(__half(x_), __half(y_));
    }
};

#define CUCPU_FOUR_(a, b) (__nv_fp8x2_e8m0(a).__x | (unsigned)__nv_fp8x2_e8m0(b).__x << 16)
#define CUCPU_FROM_(T, T2) explicit CUCPU_HDM_ __nv_fp8x4_e8m0(T v_) : __x(CUCPU_FOUR_((T2{v_.x, v_.y}), (T2{v_.z, v_.w}))) {}
struct __align__(4) __nv_fp8x4_e8m0 {
    __nv_fp8x4_storage_t __x;
    __nv_fp8x4_e8m0() = default;
    explicit CUCPU_HDM_ __nv_fp8x4_e8m0(__half2 low_, __half2 high_) : __x(CUCPU_FOUR_(low_, high_)) {}
    explicit CUCPU_HDM_ __nv_fp8x4_e8m0(__nv_bfloat162 low_, __nv_bfloat162 high_) : __x(CUCPU_FOUR_(low_, high_)) {}
    CUCPU_FROM_(float4, float2) CUCPU_FROM_(double4, double2) CUCPU_FROM_(double4_16a, double2) CUCPU_FROM_(double4_32a, double2)
    explicit CUCPU_HDM_ operator float4() const {
        __nv_fp8x2_e8m0 low_, high_;
        low_.__x = (__nv_fp8x2_storage_t)__x, high_.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        float2 a_ = float2(low_), b_ = float2(high_);
        return float4{a_.x, a_.y, b_.x, b_.y};
    }
};
#undef CUCPU_FROM_
#undef CUCPU_FOUR_
#undef CUCPU_TO_
#undef CUCPU_SIGNED_
#undef CUCPU_UNSIGNED_
#undef CUCPU_UP_
#undef CUCPU_HDM_
#endif
