/* video.h: SIMD-in-a-word intrinsics (__vadd2, __vcmpgtu4 ...) and the DPX functions.
**
** One loop over the 16-bit or 8-bit lanes of a word, on scalars: a vector type here would only be
** in the way of the compiler's own vectorization over threads. */
#ifndef CUCPU_VIDEO_H
#define CUCPU_VIDEO_H
#include "defs.h"

/* Lane i of v, n lanes, signed or unsigned; and the expression over all lanes. */
CUCPU_D int cucpu_lane(unsigned v_, int i_, int bits, bool is_signed) {
    return is_signed ? (int)(v_ << (32 - bits - i_ * bits)) >> (32 - bits)
                     : (int)(v_ >> (i_ * bits) & ((1u << bits) - 1));
}
CUCPU_D int cucpu_clamp(int v_, int low, int high) { return v_ < low ? low : v_ > high ? high : v_; }
#define CUCPU_LANES_(n, is_signed, expression)                                                     \
    CUCPU_BODY_(                                                                                   \
        unsigned r_ = 0;                                                                           \
        _Pragma("unroll") for (int i_ = 0; i_ < n; i_++) {                                         \
            const int bits = 32 / n, top = 1 << (bits - 1),                                        \
                      x = cucpu_lane(a_, i_, bits, is_signed),                                     \
                      y = cucpu_lane(b_, i_, bits, is_signed);                                     \
            (void)top, (void)y;                                                                    \
            r_ |= ((unsigned)(expression) & ((1u << bits) - 1)) << (i_ * bits);                    \
        } return r_;)
#define CUCPU_V2_(name, n, s, expression)                                                          \
    CUCPU_D unsigned name##n(unsigned a_, unsigned b_) CUCPU_LANES_(n, s, expression)
#define CUCPU_V1_(name, n, s, expression)                                                          \
    CUCPU_D unsigned cucpu_##name##n(unsigned a_, unsigned b_) CUCPU_LANES_(n, s, expression)      \
    CUCPU_D unsigned name##n(unsigned a_) CUCPU_BODY_(return cucpu_##name##n(a_, 0);)
#define CUCPU_COMPARISON_(n, name, s, op)                                                          \
    CUCPU_V2_(__vcmp##name, n, s, x op y ? ~0u : 0u) CUCPU_V2_(__vset##name, n, s, x op y ? 1u : 0u)
#define CUCPU_VIDEO_(n)                                                                            \
    CUCPU_V1_(__vabs, n, true, x < 0 ? -x : x)                                                     \
    CUCPU_V1_(__vabsss, n, true, cucpu_clamp(x < 0 ? -x : x, 0, top - 1))                          \
    CUCPU_V1_(__vneg, n, true, -x)                                                                 \
    CUCPU_V1_(__vnegss, n, true, cucpu_clamp(-x, -top, top - 1))                                   \
    CUCPU_V2_(__vadd, n, false, x + y)                                                             \
    CUCPU_V2_(__vaddss, n, true, cucpu_clamp(x + y, -top, top - 1))                                \
    CUCPU_V2_(__vaddus, n, false, cucpu_clamp(x + y, 0, 2 * top - 1))                              \
    CUCPU_V2_(__vsub, n, false, x - y)                                                             \
    CUCPU_V2_(__vsubss, n, true, cucpu_clamp(x - y, -top, top - 1))                                \
    CUCPU_V2_(__vsubus, n, false, cucpu_clamp(x - y, 0, 2 * top - 1))                              \
    CUCPU_V2_(__vabsdiffs, n, true, x > y ? x - y : y - x)                                         \
    CUCPU_V2_(__vabsdiffu, n, false, x > y ? x - y : y - x)                                        \
    CUCPU_V2_(__vavgs, n, true, (x + y + (x + y >= 0)) >> 1)                                       \
    CUCPU_V2_(__vavgu, n, false, (x + y + 1) >> 1)                                                 \
    CUCPU_V2_(__vhaddu, n, false, (x + y) >> 1)                                                    \
    CUCPU_V2_(__vmaxs, n, true, x > y ? x : y) CUCPU_V2_(__vmaxu, n, false, x > y ? x : y)         \
    CUCPU_V2_(__vmins, n, true, x < y ? x : y) CUCPU_V2_(__vminu, n, false, x < y ? x : y)         \
    CUCPU_COMPARISON_(n, eq, false, ==) CUCPU_COMPARISON_(n, ne, false, !=)                        \
    CUCPU_COMPARISON_(n, ges, true, >=) CUCPU_COMPARISON_(n, geu, false, >=)                       \
    CUCPU_COMPARISON_(n, gts, true, >) CUCPU_COMPARISON_(n, gtu, false, >)                         \
    CUCPU_COMPARISON_(n, les, true, <=) CUCPU_COMPARISON_(n, leu, false, <=)                       \
    CUCPU_COMPARISON_(n, lts, true, <) CUCPU_COMPARISON_(n, ltu, false, <)                         \
    CUCPU_D unsigned __vsads##n(unsigned a_, unsigned b_) {                                        \
        unsigned d_ = __vabsdiffs##n(a_, b_), sum = 0;                                             \
        _Pragma("unroll") for (int i_ = 0; i_ < n; i_++) sum += d_ >> (i_ * 32 / n) & ((1u << 32 / n) - 1); \
        return sum;                                                                                \
    }                                                                                              \
    CUCPU_D unsigned __vsadu##n(unsigned a_, unsigned b_) {                                        \
        unsigned d_ = __vabsdiffu##n(a_, b_), sum = 0;                                             \
        _Pragma("unroll") for (int i_ = 0; i_ < n; i_++) sum += d_ >> (i_ * 32 / n) & ((1u << 32 / n) - 1); \
        return sum;                                                                                \
    }
CUCPU_VIDEO_(2)
CUCPU_VIDEO_(4)
#undef CUCPU_VIDEO_
#undef CUCPU_COMPARISON_
#undef CUCPU_V1_
#undef CUCPU_V2_
#undef CUCPU_LANES_

/* ---- DPX: additions, minima and maxima of three, clamped at zero (_relu) ---- */
#define CUCPU_DPX_(T, type, wide)                                                                  \
    CUCPU_D T __viaddmax_##type(T a_, T b_, T c_) { return max((T)((wide)a_ + (wide)b_), c_); }    \
    CUCPU_D T __viaddmin_##type(T a_, T b_, T c_) { return min((T)((wide)a_ + (wide)b_), c_); }    \
    CUCPU_D T __vimax3_##type(T a_, T b_, T c_) { return max(max(a_, b_), c_); }                   \
    CUCPU_D T __vimin3_##type(T a_, T b_, T c_) { return min(min(a_, b_), c_); }                   \
    CUCPU_D T __vibmax_##type(T a_, T b_, bool *p_) { return *p_ = a_ >= b_, max(a_, b_); }        \
    CUCPU_D T __vibmin_##type(T a_, T b_, bool *p_) { return *p_ = a_ <= b_, min(a_, b_); }
CUCPU_DPX_(int, s32, unsigned)
CUCPU_DPX_(unsigned, u32, unsigned)
#undef CUCPU_DPX_
#define CUCPU_RELU_(name) CUCPU_D int name##_relu(int a_, int b_, int c_) { return max(name(a_, b_, c_), 0); }
CUCPU_RELU_(__viaddmax_s32) CUCPU_RELU_(__viaddmin_s32)
CUCPU_RELU_(__vimax3_s32) CUCPU_RELU_(__vimin3_s32)
#undef CUCPU_RELU_
CUCPU_D int __vimax_s32_relu(int a_, int b_) { return max(max(a_, b_), 0); }
CUCPU_D int __vimin_s32_relu(int a_, int b_) { return max(min(a_, b_), 0); }
#define CUCPU_X2_(t, s)                                                                            \
    CUCPU_D unsigned __viaddmax_##t##16x2(unsigned a_, unsigned b_, unsigned c_) {                 \
        return __vmax##s##2(__vadd2(a_, b_), c_);                                                  \
    }                                                                                              \
    CUCPU_D unsigned __viaddmin_##t##16x2(unsigned a_, unsigned b_, unsigned c_) {                 \
        return __vmin##s##2(__vadd2(a_, b_), c_);                                                  \
    }                                                                                              \
    CUCPU_D unsigned __vimax3_##t##16x2(unsigned a_, unsigned b_, unsigned c_) {                   \
        return __vmax##s##2(__vmax##s##2(a_, b_), c_);                                             \
    }                                                                                              \
    CUCPU_D unsigned __vimin3_##t##16x2(unsigned a_, unsigned b_, unsigned c_) {                   \
        return __vmin##s##2(__vmin##s##2(a_, b_), c_);                                             \
    }                                                                                              \
    CUCPU_D unsigned __vibmax_##t##16x2(unsigned a_, unsigned b_, bool *high_, bool *low_) {       \
        unsigned first_ = __vcmpge##s##2(a_, b_);                                                  \
        return *high_ = first_ >> 31, *low_ = first_ & 1, __vmax##s##2(a_, b_);                    \
    }                                                                                              \
    CUCPU_D unsigned __vibmin_##t##16x2(unsigned a_, unsigned b_, bool *high_, bool *low_) {       \
        unsigned first_ = __vcmple##s##2(a_, b_);                                                  \
        return *high_ = first_ >> 31, *low_ = first_ & 1, __vmin##s##2(a_, b_);                    \
    }
CUCPU_X2_(s, s)
CUCPU_X2_(u, u)
#undef CUCPU_X2_
#define CUCPU_RELU_(name)                                                                          \
    CUCPU_D unsigned name##_relu(unsigned a_, unsigned b_, unsigned c_) {                          \
        return __vmaxs2(name(a_, b_, c_), 0);                                                      \
    }
CUCPU_RELU_(__viaddmax_s16x2) CUCPU_RELU_(__viaddmin_s16x2)
CUCPU_RELU_(__vimax3_s16x2) CUCPU_RELU_(__vimin3_s16x2)
#undef CUCPU_RELU_
CUCPU_D unsigned __vimax_s16x2_relu(unsigned a_, unsigned b_) { return __vmaxs2(__vmaxs2(a_, b_), 0); }
CUCPU_D unsigned __vimin_s16x2_relu(unsigned a_, unsigned b_) { return __vmaxs2(__vmins2(a_, b_), 0); }
#endif
