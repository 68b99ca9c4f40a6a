// cuda_fp8.h, cuda_fp6.h, cuda_fp4.h: conversions on the device and on the host against the list of all values of a format.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 -ftz=true %s -o %t && %run %t; }
#include "check.h"
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

struct Format {
    __nv_fp8_interpretation_t kind;
    int bits, bias, finite; /* of the mantissa; of the exponent; the largest finite value's code */
};
static const Format formats[] = {{__NV_E4M3, 3, 7, 0x7e}, {__NV_E5M2, 2, 15, 0x7b}};

static double value(const Format &f, int code) {
    int e = code >> f.bits, m = code & ((1 << f.bits) - 1);
    return e ? std::ldexp(m | 1 << f.bits, e - f.bias - f.bits) : std::ldexp(m, 1 - f.bias - f.bits);
}

/* The nearest code, of two the even one; one behind the last finite value stands for what is larger. */
static int nearest(const Format &f, double x, bool saturate) {
    if (std::isnan(x)) return 0x7f;
    int sign = std::signbit(x) ? 0x80 : 0, c = 0;
    for (x = std::fabs(x); c <= f.finite && value(f, c + 1) <= x; c++) {}
    if (c <= f.finite) {
        double low = x - value(f, c), high = value(f, c + 1) - x;
        c += high < low || (high == low && c % 2);
    }
    return sign | (c <= f.finite ? c : saturate ? f.finite : f.finite + 1);
}

__global__ void convert(__nv_fp8_interpretation_t kind, __nv_saturation_t sat, const float *x, unsigned char *one, unsigned char *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    one[i] = __nv_cvt_float_to_fp8(x[i], sat, kind);
    wide[i] = __nv_cvt_double_to_fp8(x[i], sat, kind);
}

/* All results, the middles between them, and the floats and doubles beside both. */
static std::vector<float> arguments(const Format &f) {
    std::vector<float> x = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e30f, 1e-30f, 1e-42f};
    for (int c = 0; c <= f.finite; c++)
        for (double v : {value(f, c), (value(f, c) + value(f, c + 1)) / 2})
            for (float y : {float(v), std::nextafterf(float(v), INFINITY), std::nextafterf(float(v), -INFINITY)})
                x.push_back(y), x.push_back(-y);
    return x;
}

static void check_format(const Format &f, bool saturate) {
    std::vector<float> x = arguments(f);
    int n = int(x.size());
    Buffer<float> dx(x);
    Buffer<unsigned char> one(x.size()), wide(x.size());
    __nv_saturation_t sat = saturate ? __NV_SATFINITE : __NV_NOSAT;
    convert<<<(n + 99) / 100, 100>>>(f.kind, sat, dx, one, wide, n);
    std::vector<unsigned char> want;
    for (float y : x) want.push_back((unsigned char)nearest(f, y, saturate));
    SAME(one.get(), want);
    want[4] = f.kind == __NV_E4M3 ? 0x7f : 0x7e; /* NaN of a double is truncated */
    SAME(wide.get(), want);
    for (float y : x) {
        CHECK(__nv_cvt_float_to_fp8(y, sat, f.kind) == nearest(f, y, saturate));
        for (double d : {y * (1 + 1e-13), y * (1 - 1e-13)})
            if (d == d) CHECK(__nv_cvt_double_to_fp8(d, sat, f.kind) == nearest(f, d, saturate));
    }
    for (int c = 0; c < 256; c++) {
        double v = value(f, c & 0x7f) * (c & 0x80 ? -1 : 1);
        float h = __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)c, f.kind)));
        if ((c & 0x7f) <= f.finite) CHECK(h == v && std::signbit(h) == (c >> 7));
        else if (f.kind == __NV_E5M2 && (c & 0x7f) == 0x7c) CHECK(h == (c & 0x80 ? -INFINITY : INFINITY));
        else CHECK(h != h);
    }
}

template <class One, class Two, class Four> __global__ void types(float *out) {
    One a(1.5f), b(__half(-2.0f)), c(1000000), d(__nv_bfloat16(0.25f));
    Two p(make_float2(1, -2));
    Four q(make_float4(1, 2, -3, 4)), r(__half2(5, 6), __half2(7, 8));
    if (Four(make_double4_16a(1, 2, -3, 4)).__x != q.__x || Four(make_double4_32a(1, 2, -3, 4)).__x != q.__x) q = r;
    float2 f = float2(p);
    float4 g = float4(q), h = float4(r);
    float v[] = {float(a), float(__half(b)), float(int(c)), float(double(d)), f.x, f.y, __half2(p).y,
                 g.x, g.y, g.z, g.w, h.x, h.y, h.z, h.w, float(bool(One(0.0f)))};
    for (int i = 0; i < 16; i++) out[i] = v[i];
}

/* e8m0: three numbers for each power of two (at it, a little above, above the middle), both roundings; then all codes and whole numbers. */
__device__ __host__ static bool scale_is(int c, double up, __nv_fp8_storage_t want, enum cudaRoundMode rounding, __nv_saturation_t sat) {
    double v = ::ldexp(up, c - 127);
    float f = (float)v;
    bool exact = f == v; /* a float has no more than 23 places below 2^-126 */
    return __nv_cvt_double_to_e8m0(-v, sat, rounding) == want && (!exact || __nv_cvt_float_to_e8m0(f, sat, rounding) == want);
}
__device__ __host__ static int wrong_scales(int c) {
    int wrong = 0;
    for (int k = 0; k < 3; k++) {
        double up = k == 0 ? 1 : k == 1 ? 1.25 : 1.75;
        int ceiling = c + (k > 0);
        wrong += !scale_is(c, up, c, cudaRoundZero, __NV_NOSAT);
        wrong += !scale_is(c, up, ceiling < 254 ? ceiling : 254, cudaRoundPosInf, __NV_SATFINITE);
        wrong += !scale_is(c, up, ceiling, cudaRoundPosInf, __NV_NOSAT);
    }
    __nv_fp8_e8m0 s;
    s.__x = c;
    wrong += float(s) != ::ldexp(1.0, c - 127) || double(s) != float(s) || __nv_fp8_e8m0(float(s)).__x != c || int(s) != int(c < 127 ? 0 : c > 157 ? 2147483647 : 1 << (c - 127));
    if (c < 64) wrong += __nv_fp8_e8m0(1ull << c).__x != 127 + c || (c > 1 && c < 62 && __nv_fp8_e8m0((1ll << c) + 1).__x != 128 + c);
    return wrong;
}
__global__ void scales(int *wrong) {
    wrong[threadIdx.x] = threadIdx.x < 255 ? wrong_scales(threadIdx.x) : float(__nv_fp8_e8m0(NAN)) == float(__nv_fp8_e8m0(NAN));
    __nv_fp8x4_e8m0 four(make_float4(0, 3, 1e30f, -0.25f));
    float4 f = float4(four);
    float2 two = float2(__nv_fp8x2_e8m0(__half2(5, 0.5f)));
    wrong[threadIdx.x] += __nv_fp8x4_e8m0(make_double4_16a(0, 3, 1e30f, -0.25)).__x != four.__x || __nv_fp8x4_e8m0(make_double4_32a(0, 3, 1e30f, -0.25)).__x != four.__x;
    wrong[threadIdx.x] += four.__x != 0x7de38100 || f.x != 0x1p-127f || f.y != 4 || f.w != 0.25f || two.x != 8 || two.y != 0.5f;
}

static void check_scales() {
    Buffer<int> wrong(256);
    scales<<<1, 256>>>(wrong);
    SAME(wrong.get(), std::vector<int>(256, 0));
    for (int c = 0; c < 255; c++) CHECK(wrong_scales(c) == 0);
    CHECK(__nv_cvt_float_to_e8m0(INFINITY, __NV_NOSAT, cudaRoundPosInf) == 255 && __nv_cvt_float_to_e8m0(0, __NV_NOSAT, cudaRoundPosInf) == 0);
}

/* e2m1, e2m3, e3m2: as above, with nothing behind the largest value; towards zero too. */
template <class T> __global__ void small_floats(const float *x, unsigned char *near, unsigned char *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) near[i] = T(x[i]).__x, wide[i] = T(double(x[i])).__x;
}
__global__ void small_cut(int bits, const float *x, unsigned char *cut, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cut[i] = bits == 1 ? __nv_cvt_float_to_fp4(x[i], __NV_E2M1, cudaRoundZero)
                                  : __nv_cvt_float_to_fp6(x[i], bits == 2 ? __NV_E3M2 : __NV_E2M3, cudaRoundZero);
}
static int small_code(const Format &f, double x, bool cut) {
    if (std::isnan(x)) return f.finite;
    int c = 0, sign = std::signbit(x) ? f.finite + 1 : 0;
    for (x = std::fabs(x); c < f.finite && value(f, c + 1) <= x; c++) {}
    if (!cut && c < f.finite) {
        double low = x - value(f, c), high = value(f, c + 1) - x;
        c += high < low || (high == low && c % 2);
    }
    return sign | c;
}
template <class T, class Two, class Four> static void check_small(const Format &f) {
    std::vector<float> x = arguments(f);
    int n = int(x.size());
    Buffer<float> dx(x);
    Buffer<unsigned char> near(x.size()), wide(x.size()), cut(x.size());
    small_floats<T><<<(n + 99) / 100, 100>>>(dx, near, wide, n);
    small_cut<<<(n + 99) / 100, 100>>>(f.bits, dx, cut, n);
    std::vector<unsigned char> want, want_cut;
    for (float y : x) want.push_back(small_code(f, y, false)), want_cut.push_back(small_code(f, y, true));
    SAME(near.get(), want), SAME(wide.get(), want), SAME(cut.get(), want_cut);
    for (float y : x) CHECK(T(y).__x == small_code(f, y, false));
    for (int c = 0; c < 2 * (f.finite + 1); c++) {
        double v = value(f, c & f.finite) * (c > f.finite ? -1 : 1);
        T t;
        t.__x = c;
        CHECK(float(t) == v && std::signbit(float(t)) == (c > f.finite) && float(__half(t)) == v && int(t) == int(v) && bool(t) == (v != 0));
    }
    float2 two = float2(Two(make_float2(-2, 0.6f)));
    float4 four = float4(Four(make_float4(1, 2, -3, 4)));
    CHECK(two.x == -2 && std::fabs(two.y - 0.6f) < 0.11f && four.x == 1 && four.y == 2 && four.z == -3 && four.w == 4);
    Buffer<float> out(16);
    types<T, Two, Four><<<1, 1>>>(out);
    float top = float(value(f, f.finite)), eight = std::fmin(8, top), seven = float(value(f, small_code(f, 7, false)));
    float five = float(value(f, small_code(f, 5, false))), quarter = float(value(f, small_code(f, 0.25, false)));
    SAME(out.get(), (std::vector<float>{1.5f, -2, std::floor(top), quarter, 1, -2, -2, 1, 2, -3, 4, five, 6, seven, eight, 0}));
}

int main() {
    check_scales();
    check_small<__nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1>({__NV_E4M3, 1, 1, 7});
    check_small<__nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3>({__NV_E4M3, 3, 1, 31});
    check_small<__nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2>({__NV_E4M3, 2, 3, 31});
    for (const Format &f : formats) check_format(f, true), check_format(f, false);
    std::vector<float> want = {1.5f, -2, 448, 0.25f, 1, -2, -2, 1, 2, -3, 4, 5, 6, 7, 8, 0};
    Buffer<float> out(16);
    types<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3><<<1, 1>>>(out);
    SAME(out.get(), want);
    want[2] = 57344;
    types<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2><<<1, 1>>>(out);
    SAME(out.get(), want);
    return finish();
}
