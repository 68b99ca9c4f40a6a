// Conversions between numbers, half, bfloat16 and bytes with a point: what a GPU answers. cmath's
// accuracy is not looked at: special values only.
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 --simd=1 %s -o %t && %run %t > %t.out
// RUN: %python %S/Inputs/compare.py %S/Inputs/device_floats.txt %S/Inputs/device_floats.known %t.out
#include "Inputs/values.h"
#include <cmath>
#include <cuda_fp8.h>

#define CASTS(X) X((signed char)x) X((unsigned char)x) X((short)x) X((unsigned short)x) X((int)x) X((u32)x) X((long long)x) X((u64)x) X((bool)x)
#define FOUR(X, f) X(f##_rn(x)) X(f##_rz(x)) X(f##_rd(x)) X(f##_ru(x))
#define INTS_OF(X, f) FOUR(X, f##2int) FOUR(X, f##2uint) FOUR(X, f##2ll) FOUR(X, f##2ull)
#define OF_FLOAT(X) CASTS(X) INTS_OF(X, __float) X(cvt_s8_f32(x)) X(cvt_u8_f32(x)) X(cvt_s16_f32(x)) X(cvt_u16_f32(x)) X(cvt_sat_s8_f32(x)) \
    X(cvt_sat_u8_f32(x)) X(cvt_sat_s16_f32(x)) X(cvt_sat_u16_f32(x)) X(cvt_ftz_s32_f32(x)) X(cvt_sat_f32_f32(x)) X(cvt_rni_f32_f32(x)) X(lrintf(x)) \
    X(llrintf(x)) X(lroundf(x)) X(rintf(x)) X(roundf(x)) X(truncf(x)) X(ceilf(x)) X(floorf(x)) X(__saturatef(x)) X((double)x) X(ilogbf(x)) X(logbf(x)) \
    X(__float_as_int(x)) X(fminf(x, y)) X(fmaxf(x, y)) X(fminf(y, x)) X(fabsf(x)) X(-x) X(x + y) X(x * y) X(x / y) X(fmaf(x, y, z)) X(sqrtf(x)) X(signbit(x)) \
    X(isnan(x)) X(fmodf(x, y)) X(remainderf(x, y)) X(nextafterf(x, y)) X(copysignf(x, y)) X(fdimf(x, y)) X(__fdividef(x, y)) X(rsqrtf(x)) X(__frcp_rn(x)) \
    X(__frsqrt_rn(x))
#define OF_DOUBLE(X) CASTS(X) INTS_OF(X, __double) FOUR(X, __double2float) X((float)x) X(__double2hiint(x)) X(__double2loint(x)) X(cvt_s8_f64(x)) \
    X(cvt_u8_f64(x)) X(cvt_s16_f64(x)) X(cvt_u16_f64(x)) X(cvt_sat_f64_f64(x)) X(cvt_sat_f32_f64(x)) X(lrint(x)) X(lround(x)) X(llround(x)) X(rint(x)) \
    X(round(x)) X(ilogb(x)) X(__double2half(x)) X(__double2bfloat16(x)) X(fmin(x, y)) X(fmax(x, y)) X(x + y) X(x * y) X(x / y) X(sqrt(x)) X(fma(x, y, z)) \
    X(__drcp_rn(x)) X(-x) X(fabs(x))
#define OF_LONG(X) FOUR(X, __ll2float) FOUR(X, __ull2float) FOUR(X, __ll2double) FOUR(X, __ull2double) FOUR(X, __int2float) FOUR(X, __uint2float) \
    X(__int2double_rn(x)) X(__uint2double_rn(x)) X((float)x) X((float)(u64)x) X((double)x) X((float)(short)x) FOUR(X, __ll2half) FOUR(X, __ull2half) \
    FOUR(X, __int2half) FOUR(X, __uint2half) FOUR(X, __short2half) FOUR(X, __ushort2half) FOUR(X, __ll2bfloat16) FOUR(X, __ull2bfloat16) \
    FOUR(X, __int2bfloat16) FOUR(X, __uint2bfloat16) FOUR(X, __short2bfloat16) FOUR(X, __ushort2bfloat16)
#define NARROW(X) FOUR(X, __float2half) FOUR(X, __float2bfloat16) X(__float2half(x)) X(__float2bfloat16(x)) X(__floats2half2_rn(x, y)) \
    X(__floats2bfloat162_rn(x, y)) FP8(X, float, x) X(__nv_cvt_float2_to_fp8x2(make_float2(x, y), __NV_SATFINITE, __NV_E4M3)) \
    X(__nv_cvt_float2_to_fp8x2(make_float2(x, y), __NV_NOSAT, __NV_E5M2)) FP8(X, double, (double)x) E8(X, float, x) X(half_relu(x)) X(bf16_relu(x)) \
    X(half_sat(x)) X(tf32(x)) X((__half)x) X((__nv_bfloat16)x) X((__nv_fp8_e4m3)x) X((__nv_fp8_e5m2)x)
#define FP8(X, from, v) X(__nv_cvt_##from##_to_fp8(v, __NV_SATFINITE, __NV_E4M3)) X(__nv_cvt_##from##_to_fp8(v, __NV_NOSAT, __NV_E4M3)) \
    X(__nv_cvt_##from##_to_fp8(v, __NV_SATFINITE, __NV_E5M2)) X(__nv_cvt_##from##_to_fp8(v, __NV_NOSAT, __NV_E5M2))
#define E8(X, from, v) X(__nv_cvt_##from##_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) X(__nv_cvt_##from##_to_e8m0(v, __NV_NOSAT, cudaRoundPosInf)) \
    X(__nv_cvt_##from##_to_e8m0(v, __NV_SATFINITE, cudaRoundZero)) X(__nv_cvt_##from##_to_e8m0(v, __NV_NOSAT, cudaRoundZero))
#define SMALL_INTS(X, f) X(__##f##2char_rz(x)) X(__##f##2uchar_rz(x)) FOUR(X, __##f##2short) FOUR(X, __##f##2ushort) FOUR(X, __##f##2int) \
    FOUR(X, __##f##2uint) FOUR(X, __##f##2ll) FOUR(X, __##f##2ull)
#define MIXED(X) X(__hadd(x, y)) X(__hsub(x, y)) X(__hmul(x, y)) X(__hdiv(x, y)) X(__hadd_rn(x, y)) X(__hmul_rn(x, y)) X(__hadd_sat(x, y)) \
    X(__hsub_sat(x, y)) X(__hmul_sat(x, y)) X(__hfma(x, y, z)) X(__hfma_sat(x, y, z)) X(__hfma_relu(x, y, z)) X(__hmin(x, y)) X(__hmax(x, y)) \
    X(__hmin_nan(x, y)) X(__hmax_nan(x, y)) X(__hmin(y, x)) X(__hmax(y, x)) X(__habs(x)) X(__hneg(x)) X(__hisnan(x)) X(__hisinf(x)) X(__heq(x, y)) \
    X(__hne(x, y)) X(__hlt(x, y)) X(__hle(x, y)) X(__hgt(x, y)) X(__hge(x, y)) X(__hequ(x, y)) X(__hneu(x, y)) X(__hltu(x, y)) X(__hleu(x, y)) \
    X(__hgtu(x, y)) X(__hgeu(x, y)) X(hceil(x)) X(hfloor(x)) X(htrunc(x)) X(hrint(x)) X(hsqrt(x)) X(x + y) X(x == y) X(-x)
#define PAIRS(X) X(__hadd2(xx, yy)) X(__hmul2(xx, yy)) X(__h2div(xx, yy)) X(__hfma2(xx, yy, zz)) X(__hfma2_sat(xx, yy, zz)) X(__hfma2_relu(xx, yy, zz)) \
    X(__hadd2_sat(xx, yy)) X(__hmin2(xx, yy)) X(__hmax2(xx, yy)) X(__hmin2_nan(xx, yy)) X(__hmax2_nan(xx, yy)) X(__heq2(xx, yy)) X(__hne2(xx, yy)) \
    X(__hltu2(xx, yy)) X(__heq2_mask(xx, yy)) X(__hneu2_mask(xx, yy)) X(__hbeq2(xx, yy)) X(__hbneu2(xx, yy)) X(__hisnan2(xx)) X(__habs2(xx)) X(__hneg2(xx)) \
    X(h2rint(xx)) X(__hcmadd(xx, yy, zz))
#define OF_HALF(X) SMALL_INTS(X, half) X(__half2float(x)) X((double)__half2float(x)) X((int)x) X((unsigned short)x) X((long long)x) X((bool)x) \
    FP8(X, halfraw, (__half_raw)x) MIXED(X) PAIRS(X)
#define OF_BF16(X) SMALL_INTS(X, bfloat16) X(__bfloat162float(x)) X((int)x) X((unsigned short)x) X((u64)x) X((bool)x) \
    FP8(X, bfloat16raw, (__nv_bfloat16_raw)x) E8(X, bfloat16raw, (__nv_bfloat16_raw)x) MIXED(X) PAIRS(X)
#define APPROXIMATE(X) X(hrcp(x)) X(hrsqrt(x)) X(hexp(x)) X(hexp2(x)) X(hexp10(x)) X(hlog(x)) X(hlog2(x)) X(hlog10(x)) X(hsin(x)) X(hcos(x)) X(htanh(x)) \
    X(htanh_approx(x))
#define SPECIAL(X) X(__expf(x)) X(exp2f(x)) X(__exp10f(x)) X(__logf(x)) X(__log2f(x)) X(__log10f(x)) X(__sinf(x)) X(__cosf(x)) X(__tanf(x)) X(__powf(x, 0)) \
    X(__powf(x, 1)) X(powf(x, 0)) X(powf(1, x)) X(powf(x, -1)) X(expf(x)) X(logf(x)) X(log1pf(x)) X(expm1f(x)) X(sinf(x)) X(cosf(x)) X(tanf(x)) X(atanf(x)) \
    X(asinf(x)) X(acosf(x)) X(tanhf(x)) X(cbrtf(x)) X(erff(x)) X(tgammaf(x)) X(lgammaf(x)) X(rcbrtf(x)) X(hypotf(x, NAN)) X(atan2f(x, x)) X(fmaxf(x, NAN)) \
    X(__fdividef(1, x)) X(1 / x) X(ex2(x)) X(lg2(x)) X(rcp(x)) X(rsq(x)) X(sine(x)) X(tanh_a(x)) X(sqrt_a(x)) X(normcdff(x)) X(erfinvf(x)) X(j0f(x)) \
    X(y0f(x)) X(log(x * 1.0)) X(exp(x * 1.0)) X(pow(x * 1.0, 0.0)) X(tgamma(x * 1.0)) X(rsqrt(x * 1.0)) X(cbrt(x * 1.0)) X(atan(x * 1.0))
#define OF_BYTES(X) X(from8(__nv_cvt_fp8_to_halfraw(x, __NV_E4M3))) X(from8(__nv_cvt_fp8_to_halfraw(x, __NV_E5M2))) X(from8b(__nv_cvt_e8m0_to_bf16raw(x))) \
    X((float)e4m3(x)) X((float)e5m2(x)) X((int)e4m3(x)) X((bool)e4m3(x)) X((unsigned char)e5m2(x))

#define ASM(name, T, R, code, from, to)                                                                                                                        \
    __device__ T name(R x) {                                                                                                                                   \
        T r;                                                                                                                                                   \
        asm(code " %0, %1;" : to(r) : from(x));                                                                                                                \
        return r;                                                                                                                                              \
    }
#define SMALL(size)                                                                                                                                            \
    ASM(cvt_s##size##_f32, int, float, "cvt.rzi.s" #size ".f32", "f", "=r")                                                                                    \
    ASM(cvt_u##size##_f32, int, float, "cvt.rzi.u" #size ".f32", "f", "=r")                                                                                    \
    ASM(cvt_sat_s##size##_f32, int, float, "cvt.rni.sat.s" #size ".f32", "f", "=r")                                                                            \
    ASM(cvt_sat_u##size##_f32, int, float, "cvt.rni.sat.u" #size ".f32", "f", "=r")                                                                            \
    ASM(cvt_s##size##_f64, int, double, "cvt.rzi.s" #size ".f64", "d", "=r")                                                                                   \
    ASM(cvt_u##size##_f64, int, double, "cvt.rzi.u" #size ".f64", "d", "=r")
SMALL(8)
SMALL(16)
ASM(cvt_ftz_s32_f32, int, float, "cvt.rpi.ftz.s32.f32", "f", "=r") ASM(cvt_sat_f32_f32, float, float, "cvt.sat.f32.f32", "f", "=f")
    ASM(cvt_rni_f32_f32, float, float, "cvt.rni.f32.f32", "f", "=f") ASM(cvt_sat_f64_f64, double, double, "cvt.sat.f64.f64", "d", "=d")
        ASM(cvt_sat_f32_f64, float, double, "cvt.rn.sat.f32.f64", "d", "=f") ASM(half_relu, unsigned short, float, "cvt.rn.relu.f16.f32", "f", "=h")
            ASM(bf16_relu, unsigned short, float, "cvt.rn.relu.bf16.f32", "f", "=h") ASM(half_sat, unsigned short, float, "cvt.rn.sat.f16.f32", "f", "=h")
                ASM(tf32, u32, float, "cvt.rna.tf32.f32", "f", "=r") ASM(ex2, float, float, "ex2.approx.f32", "f", "=f")
                    ASM(lg2, float, float, "lg2.approx.f32", "f", "=f") ASM(rcp, float, float, "rcp.approx.f32", "f", "=f")
                        ASM(rsq, float, float, "rsqrt.approx.f32", "f", "=f") ASM(sine, float, float, "sin.approx.f32", "f", "=f")
                            ASM(tanh_a, float, float, "tanh.approx.f32", "f", "=f") ASM(sqrt_a, float, float, "sqrt.approx.f32", "f", "=f") __device__ __half
    from8(__half_raw r) {
    return __half(r);
}
__device__ __nv_bfloat16 from8b(__nv_bfloat16_raw r) { return __nv_bfloat16(r); }
__device__ __nv_fp8_e4m3 e4m3(unsigned char x) {
    __nv_fp8_e4m3 v;
    v.__x = x;
    return v;
}
__device__ __nv_fp8_e5m2 e5m2(unsigned char x) {
    __nv_fp8_e5m2 v;
    v.__x = x;
    return v;
}

__device__ __half2 both(__half a, __half b) { return __halves2half2(a, b); }
__device__ __nv_bfloat162 both(__nv_bfloat16 a, __nv_bfloat16 b) { return __halves2bfloat162(a, b); }
template <class T> static std::vector<T> of_bits(const std::vector<u64> &bits) {
    std::vector<T> v(bits.size());
    for (size_t i = 0; i < v.size(); i++) memcpy((void *)&v[i], &bits[i], sizeof(T));
    return v;
}
static std::vector<u64> turned(std::vector<u64> v, size_t by) {
    size_t n = v.size();
    std::vector<u64> r(n);
    for (size_t i = 0; i < n; i++) r[i] = v[(i * 7 + by) % n];
    return r;
}
/* As TABLE of 16 bits, with pairs xx, yy, zz. */
#define PAIR_TABLE(name, T, OPS)                                                                                                                               \
    static const char *const name##_names[] = {OPS(NAME)};                                                                                                     \
    __global__ void name(const T *a, const T *b, const T *c, Rec *o, int n) {                                                                                  \
        int i = threadIdx.x, k = 0;                                                                                                                            \
        if (i >= n) return;                                                                                                                                    \
        T x = a[i], y = b[i], z = c[i];                                                                                                                        \
        auto xx = both(x, y), yy = both(y, z), zz = both(z, x);                                                                                                \
        OPS(EVAL)                                                                                                                                              \
    }                                                                                                                                                          \
    static void name##_run(const std::vector<u64> &bits) {                                                                                                     \
        int n = (int)bits.size();                                                                                                                              \
        const size_t count = sizeof(name##_names) / sizeof(char *);                                                                                            \
        Dev<T> a(of_bits<T>(bits)), b(of_bits<T>(turned(bits, 3))), c(of_bits<T>(turned(bits, 8)));                                                            \
        Dev<Rec> o(count *n);                                                                                                                                  \
        printf("-- " #name "\n");                                                                                                                              \
        row("x", of_bits<unsigned short>(bits));                                                                                                               \
        row("y", of_bits<unsigned short>(turned(bits, 3)));                                                                                                    \
        row("z", of_bits<unsigned short>(turned(bits, 8)));                                                                                                    \
        name<<<1, n>>>(a.d, b.d, c.d, o.d, n);                                                                                                                 \
        rows(name##_names, count, o, n);                                                                                                                       \
    }
TABLE(floats, float, OF_FLOAT)
TABLE(doubles, double, OF_DOUBLE)
TABLE(longs, long long, OF_LONG) TABLE(narrow, float, NARROW) TABLE(special, float, SPECIAL) TABLE(bytes, unsigned char, OF_BYTES)
    PAIR_TABLE(halves, __half, OF_HALF) PAIR_TABLE(bfloats, __nv_bfloat16, OF_BF16) TABLE(approximate_half, __half, APPROXIMATE)
        TABLE(approximate_bfloat, __nv_bfloat16, APPROXIMATE)

            template <class T>
            static std::vector<T> turn(const std::vector<T> &v, int by) {
    std::vector<T> r;
    for (size_t i = 0; i < v.size(); i++) r.push_back(v[(i * 7 + by) % v.size()]);
    return r;
}

int main() {
    std::vector<float> f = {0,
                            -0.0f,
                            0.5f,
                            -0.5f,
                            1.5f,
                            2.5f,
                            -2.5f,
                            0.99999994f,
                            -1,
                            127.5f,
                            128,
                            -129,
                            255.5f,
                            256,
                            32767.5f,
                            -32769,
                            65535.5f,
                            65536,
                            2147483520.0f,
                            2147483648.0f,
                            -2147483904.0f,
                            4294967296.0f,
                            1e10f,
                            -1e10f,
                            9.2233715e18f,
                            9.223372e18f,
                            -9.3e18f,
                            1.8446744e19f,
                            1e30f,
                            -1e30f,
                            1e-40f,
                            -1e-40f,
                            INFINITY,
                            -INFINITY};
    const std::vector<float> nans = of_bits<float>({0x7fc00000, 0xffc12345, 0x7f800001, 0xff812345, 0x7fffffff});
    f.insert(f.end(), nans.begin(), nans.end());
    floats_run(f, turn(f, 3), turn(f, 11));
    std::vector<double> d = {0,
                             -0.0,
                             0.5,
                             -0.5,
                             1.5,
                             2.5,
                             0.99999999999999989,
                             -1,
                             127.5,
                             128,
                             -129,
                             256,
                             32768,
                             -32769.5,
                             65536,
                             2147483647.5,
                             2147483648.0,
                             -2147483648.5,
                             -2147483649.0,
                             4294967295.5,
                             4294967296.0,
                             9.2233720368547748e18,
                             9.2233720368547758e18,
                             -9.3e18,
                             1.8446744073709550e19,
                             1.8446744073709552e19,
                             3.4028235677973362e38,
                             3.4028235677973366e38,
                             1.401298464324817e-45,
                             7e-46,
                             65519.999,
                             65520,
                             1e300,
                             -1e300,
                             1e-310,
                             INFINITY,
                             -INFINITY};
    const std::vector<double> dn = of_bits<double>({0x7ff8000000000000, 0xfff8123456789abc, 0x7ff0000000000001});
    d.insert(d.end(), dn.begin(), dn.end());
    doubles_run(d, turn(d, 3), turn(d, 11));
    longs_run({0,
               1,
               -1,
               16777217,
               -16777217,
               16777219,
               33554431,
               2147483647,
               -2147483647 - 1,
               4294967295,
               2049,
               2051,
               -2049,
               65519,
               65520,
               65504,
               -65520,
               70000,
               257,
               259,
               -257,
               1ll << 53 | 1,
               3 | 1ll << 53,
               0x7fffffffffffffff,
               (long long)(1ull << 63),
               0x7fffffbfffffffff,
               0x7fffffc000000000,
               0x123456789abcdef,
               32767,
               32768},
              std::vector<long long>(30), std::vector<long long>(30));
    std::vector<float> n = {0,
                            -0.0f,
                            1,
                            -1.5f,
                            65504,
                            65519.996f,
                            65520,
                            -65536,
                            2.9802322e-8f,
                            2.9802326e-8f,
                            5.9604645e-8f,
                            -8.9406967e-8f,
                            6.1035156e-5f,
                            6.1e-5f,
                            3.3895314e38f,
                            3.4e38f,
                            1.00390625f,
                            1.01171875f,
                            448,
                            464,
                            465,
                            480,
                            -1e6f,
                            57344,
                            61440,
                            61441,
                            0.0009765625f,
                            0.00097656256f,
                            0.0019f,
                            7.6293945e-6f,
                            1.1e-5f,
                            1.5f * 0.015625f,
                            1e-40f,
                            INFINITY,
                            -INFINITY,
                            17,
                            19};
    n.push_back(nans[0]), n.push_back(nans[1]), n.push_back(nans[2]);
    narrow_run(n, turn(n, 3), n);
    special_run({0, -0.0f, 1, -1, -2, 1e-40f, INFINITY, -INFINITY, nans[0], nans[1], nans[2]}, std::vector<float>(11), std::vector<float>(11));
    std::vector<unsigned char> b;
    for (int i = 0; i < 40; i++) b.push_back(i < 10 ? i : i < 20 ? 110 + i - 10 : i < 28 ? 120 + i - 20 : i < 32 ? 128 + (i - 28) * 3 : 248 + i - 32);
    bytes_run(b, b, b);
    halves_run({0,      0x8000, 0x0001, 0x83ff, 0x0400, 0x3800, 0xb800, 0x3bff, 0x3c00, 0xbc00, 0x3e00, 0x4100, 0x57f8, 0x5c00, 0xd808,
                0x77ff, 0x7800, 0x7bff, 0xfbff, 0xf801, 0x1400, 0x5f00, 0x5f41, 0x7b81, 0x7c00, 0xfc00, 0x7e00, 0xfe45, 0x7c01, 0x7fff});
    bfloats_run({0,      0x8000, 0x0001, 0x807f, 0x0080, 0x3f00, 0xbf00, 0x3f7f, 0x3f80, 0xbf80, 0x3fc0, 0x4020, 0x42ff, 0x4380, 0xc301, 0x46ff,
                 0x4f00, 0x4f80, 0xcf01, 0x5f00, 0x5f80, 0x7f7f, 0xff7f, 0x43e0, 0x43e8, 0x7f80, 0xff80, 0x7fc0, 0xffc5, 0x7f81, 0x7fff});
    const std::vector<__half> h = of_bits<__half>({0, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe45, 0x7c01});
    const std::vector<__nv_bfloat16> g = of_bits<__nv_bfloat16>({0, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x7f80, 0xff80, 0x7fc0, 0xffc5, 0x7f81});
    approximate_half_run(h, h, h);
    approximate_bfloat_run(g, g, g);
    printf("done\n");
}
