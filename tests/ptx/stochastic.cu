// Conversions to small formats that are younger than the others: from pairs of 16 bits; cvt.rs: rounded up where the random bits and what is cut off have a sum with a carry; which bits belong to which number.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 %s -o %t && %run %t; }
#include <cmath>
#include <cstdio>
#include <cstring>
typedef unsigned u32;

/* A format of e bits of exponent and m of mantissa; last: its largest number; nan: the code of NaN; r: random bits of a number. */
struct Format {
    int e, m, r;
    u32 last, nan;
    bool endless; /* has an infinity, behind its largest number */
    double value(u32 code) const {
        int x = code >> m, bias = (1 << (e - 1)) - 1, f = code & ((1 << m) - 1);
        return x ? ldexp(f + (1 << m), x - bias - m) : ldexp(f, 1 - bias - m);
    }
    u32 code(float f, u32 random, bool finite) const {
        u32 low = 0, sign = std::signbit(f) ? 1u << (e + m) : 0, infinity = endless && !finite ? last + 1 : last;
        double a = fabs(f);
        if (f != f) return nan;
        if (std::isinf(f)) return sign | infinity;
        while (low <= last && value(low + 1) <= a) low++;
        if (low > last) return sign | infinity;
        double cut = (a - value(low)) / (value(low + 1) - value(low));
        if ((u32)ldexp(cut, r) + random >= 1u << r) low++;
        return sign | (low > last ? infinity : low);
    }
};
static const Format half = {5, 10, 13, 0x7bff, 0x7fff, true}, brain = {8, 7, 16, 0x7f7f, 0x7fff, true}, e4m3 = {4, 3, 16, 0x7e, 0x7f, false},
                    e5m2 = {5, 2, 16, 0x7b, 0x7f, false}, e2m3 = {2, 3, 16, 31, 31, false}, e3m2 = {3, 2, 16, 31, 31, false},
                    e2m1 = {2, 1, 8, 7, 7, false};

__global__ void kernel(const float *x, const u32 *bits, u32 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = x[(i + 1) % n], e = x[(i + 2) % n], f = x[(i + 3) % n];
    u32 r = bits[i], *d = out + 9 * i;
    unsigned short four;
    asm("cvt.rs.f16x2.f32 %0, %1, %2, %3;" : "=r"(d[0]) : "f"(a), "f"(b), "r"(r));
    asm("cvt.rs.bf16x2.f32 %0, %1, %2, %3;" : "=r"(d[1]) : "f"(a), "f"(b), "r"(r));
    asm("cvt.rs.relu.satfinite.f16x2.f32 %0, %1, %2, %3;" : "=r"(d[2]) : "f"(a), "f"(b), "r"(r));
    asm("cvt.rs.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d[3]) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    asm("cvt.rs.satfinite.e5m2x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d[4]) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    asm("cvt.rs.satfinite.e2m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d[5]) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    asm("cvt.rs.satfinite.e3m2x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d[6]) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    asm("cvt.rs.relu.satfinite.e4m3x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=r"(d[7]) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    asm("cvt.rs.satfinite.e2m1x4.f32 %0, {%1, %2, %3, %4}, %5;" : "=h"(four) : "f"(a), "f"(b), "f"(e), "f"(f), "r"(r));
    d[8] = four;
}

/* The small formats of two halves or bfloat16 are those of their values as floats. */
#define FROM_PAIR(to, from, as_floats, a, b, both, out)                                                                             \
    asm("{ .reg .b16 h; .reg .b8 t; " as_floats(to) : "=r"(out[0]) : "f"(a), "f"(b));                                               \
    asm("{ .reg .b16 h; .reg .b8 t; " as_floats##_PAIR(to, from) : "=r"(out[1]) : "r"(both));
#define BYTE(to) "cvt.rn.satfinite." to ".f32 t, %1, %2; cvt.u32.u8 %0, t; }"
#define BYTE_PAIR(to, from) "cvt.rn.satfinite." to "." from " t, %1; cvt.u32.u8 %0, t; }"
#define SHORT(to) "cvt.rn.satfinite.relu." to ".f32 h, %1, %2; cvt.u32.u16 %0, h; }"
#define SHORT_PAIR(to, from) "cvt.rn.satfinite.relu." to "." from " h, %1; cvt.u32.u16 %0, h; }"
__global__ void pairs(const float *x, u32 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 half2, brain2, *d = out + 14 * i;
    float a, b, c, e;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(half2) : "f"(x[i]), "f"(x[(i + 1) % n]));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(brain2) : "f"(x[i]), "f"(x[(i + 1) % n]));
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, h; cvt.f32.f16 %1, l; }" : "=f"(a), "=f"(b) : "r"(half2));
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.bf16 %0, h; cvt.f32.bf16 %1, l; }" : "=f"(c), "=f"(e) : "r"(brain2));
    FROM_PAIR("e2m1x2", "f16x2", BYTE, a, b, half2, d)
    FROM_PAIR("e2m1x2", "bf16x2", BYTE, c, e, brain2, (d + 2))
    FROM_PAIR("e2m3x2", "f16x2", SHORT, a, b, half2, (d + 4))
    FROM_PAIR("e3m2x2", "bf16x2", SHORT, c, e, brain2, (d + 6))
    FROM_PAIR("e4m3x2", "bf16x2", SHORT, c, e, brain2, (d + 8))
    FROM_PAIR("e5m2x2", "bf16x2", SHORT, c, e, brain2, (d + 10))
    FROM_PAIR("e3m2x2", "f16x2", SHORT, a, b, half2, (d + 12))
}

static float relu(float f) { return f <= 0 ? 0 : f; }
static u32 two(const Format &t, float a, float b, u32 r, bool finite) {
    u32 mask = (1u << t.r) - 1;
    return t.code(a, r >> 16 & mask, finite) << 16 | t.code(b, r & mask, finite);
}
static u32 four(const Format &t, const float *v, u32 r) {
    return t.code(v[0], r >> 16, true) << 24 | t.code(v[1], r >> 16, true) << 16 | t.code(v[2], r & 0xffff, true) << 8 | t.code(v[3], r & 0xffff, true);
}
static u32 fp4(const float *v, u32 r) {
    return e2m1.code(v[0], r >> 24, true) << 12 | e2m1.code(v[1], r >> 8 & 255, true) << 8 | e2m1.code(v[2], r >> 16 & 255, true) << 4 | e2m1.code(v[3], r & 255, true);
}

int main() {
    const int n = 2048;
    float *x;
    u32 *bits, *out, seed = 1;
    cudaMallocManaged(&x, n * 4), cudaMallocManaged(&bits, n * 4), cudaMallocManaged(&out, n * 14 * 4);
    static const float special[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 448, 449, 464, -57344, 60000, 6, 6.5f, 7.5f, 28, 30, 65504, 65519, 65535, 65536, 3.4e38f, 1e-7f, 6e-8f, 2e-3f, 0.1f, 0.06f};
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        bits[i] = seed ^ seed >> 15;
        seed = seed * 1664525 + 1013904223;
        x[i] = ldexpf((int)seed / 2147483648.0f, (int)(seed >> 5 & 31) - 18);
        if (i % 5 == 0) x[i] = special[i / 5 % (sizeof special / sizeof *special)];
        if (i % 7 == 0) bits[i] = i % 2 ? 0xffffffff : 0;
    }
    kernel<<<n / 128, 128>>>(x, bits, out, n);
    if (cudaDeviceSynchronize()) return 2;
    int bad = 0;
    for (int i = 0; i < n; i++) {
        float v[4], w[4];
        for (int k = 0; k < 4; k++) v[k] = x[(i + k) % n], w[k] = relu(v[k]);
        u32 r = bits[i], want[9] = {two(half, v[0], v[1], r, false), two(brain, v[0], v[1], r, false), two(half, w[0], w[1], r, true), four(e4m3, v, r),
                                    four(e5m2, v, r), four(e2m3, v, r), four(e3m2, v, r), four(e4m3, w, r), fp4(v, r)};
        for (int k = 0; k < 9; k++)
            if (out[9 * i + k] != want[k] && bad++ < 10) printf("%d of (%a, %a, %a, %a), 0x%x: 0x%x, not 0x%x\n", k, v[0], v[1], v[2], v[3], r, out[9 * i + k], want[k]);
    }
    pairs<<<n / 128, 128>>>(x, out, n);
    if (cudaDeviceSynchronize()) return 2;
    for (int i = 0; i < 7 * n; i++)
        if (out[2 * i] != out[2 * i + 1] && bad++ < 10) printf("pair %d of %d: 0x%x, not 0x%x\n", i % 7, i / 7, out[2 * i + 1], out[2 * i]);
    printf("%d wrong\n", bad);
    return bad != 0;
}
