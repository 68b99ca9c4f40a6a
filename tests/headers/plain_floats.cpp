// The headers of half, bfloat16, fp8, fp6 and fp4 are C++ for any host compiler, without warnings, and convert there as in .cu files.
// RUN: %clangxx -std=c++11 -Wall -Wextra -Werror -I%include %s -o %t && %t
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -I%include %s -o %t && %t
// RUN: %cucpu -Werror all-warnings -x cu %s -o %t && %run %t
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <math.h>

static int half_bits(double v) { return __half_as_ushort(__double2half(v)); }

int main() {
    static const struct { double value; int bits; } halves[] = {
        {0.0, 0}, {-0.0, 0x8000}, {1.0, 0x3c00}, {-2.5, 0xc100}, {65504, 0x7bff}, {65519.996, 0x7bff}, {65520, 0x7c00}, {-1e9, 0xfc00},
        {ldexp(1, -14), 0x400}, {ldexp(1023, -24), 0x3ff}, {ldexp(1.5, -24), 2}, {ldexp(2.5, -24), 2}, {ldexp(1, -25), 0},
        {ldexp(1.0001, -25), 1}, {1 + ldexp(1, -11), 0x3c00}, {1 + ldexp(3, -11), 0x3c02}, {1 + ldexp(1, -11) + ldexp(1, -40), 0x3c01}};
    int wrong = 0;
    for (unsigned i = 0; i < sizeof halves / sizeof *halves; i++) wrong += half_bits(halves[i].value) != halves[i].bits;
    for (int i = 0; i < 0x7c00; i++) { /* all finite halves, and there and back */
        double want = ldexp((i & 0x3ff) | (i >= 0x400 ? 0x400 : 0), (i >= 0x400 ? i >> 10 : 1) - 25);
        float v = __half2float(__ushort_as_half((unsigned short)i));
        wrong += (double)v != want || half_bits(-v) != (i | 0x8000);
    }
    __half nan = __float2half((float)NAN), two = __float2half(2.0f);
    wrong += !__hisnan(nan) || !__hisnan(nan + two) || !__hisinf(__ushort_as_half(0x7c00)) || !(two < two * two);
    __nv_bfloat162 pair = __floats2bfloat162_rn(1.00390625f, -3.0f); /* a tie: to even */
    wrong += __low2float(pair) != 1.0f || __high2float(pair) != -3.0f;
    wrong += (float)__nv_fp8_e4m3(500.0f) != 448.0f || (float)__nv_fp8_e5m2(0.3f) != 0.3125f;
    wrong += (float)__nv_fp6_e2m3(9.0f) != 7.5f || (float)__nv_fp4_e2m1(-2.6f) != -3.0f;
    return wrong != 0;
}
