// Matrices of a warp: every shape and type of mma and wmma, ldmatrix, stmatrix, movmatrix, against loops on the host;
// elements are put where the PTX ISA says.  Inputs/matrix.ptx: the same in a file of its own.
// REQUIRES: run
// RUN: %cucpu -DFEW %s %S/Inputs/matrix.ptx -o %t.32 && %run %t.32 %S/Inputs/matrix.ptx
// RUN: %cucpu --simd=1 %s %S/Inputs/matrix.ptx -o %t.1 && %run %t.1 %S/Inputs/matrix.ptx
// RUN: %rarely { %cucpu %s %S/Inputs/matrix.ptx -o %t.32 && %run %t.32 %S/Inputs/matrix.ptx; }
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_fp16.h>

typedef uint32_t u32;
typedef uint64_t u64;
static int bad;
static u32 seed = 1;
static u32 random32() { return seed = seed * 1664525 + 1013904223, seed >> 8 ^ seed << 13; }

// ---- types: an element is its bits ----
enum Type { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, E4M3, E5M2, E2M3, E3M2, E2M1, S32 };
static const int bits_of[] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 1, 8, 8, 8, 8, 8, 32};

static float from_bits(u32 i) { float f; memcpy(&f, &i, 4); return f; }
static u32 to_bits(float f) { u32 i; memcpy(&i, &f, 4); return i; }
static double small_float(u32 v, int mantissa, int bias) {
    int e = (v & 127) >> mantissa, m = v & ((1 << mantissa) - 1), one = 1 << mantissa;
    return (v & 128 ? -1 : 1) * (e ? ldexp(one + m, e - bias - mantissa) : ldexp(m, 1 - bias - mantissa));
}
static double value(Type t, u64 v) {
    double d;
    switch (t) {
    case F16: return __half2float(__ushort_as_half((unsigned short)v));
    case BF16: return from_bits((u32)v << 16);
    case TF32: return from_bits((u32)v & ~0x1fffu);
    case F32: return from_bits((u32)v);
    case F64: memcpy(&d, &v, 8); return d;
    case S8: return (int8_t)v;
    case S4: return (int)(v ^ 8) - 8;
    case E4M3: return small_float((u32)v, 3, 7);
    case E5M2: return small_float((u32)v, 2, 15);
    case E2M3: return small_float((u32)((v & 32) << 2 | (v & 31)), 3, 1);
    case E3M2: return small_float((u32)((v & 32) << 2 | (v & 31)), 2, 3);
    case E2M1: return small_float((u32)((v >> 2 & 8) << 4 | (v >> 2 & 7)), 1, 1);
    case S32: return (int32_t)v;
    default: return (double)v;
    }
}
static u64 pick(Type t) {
    u32 r = random32();
    float f = (float)(int)r * 0x1p-30f;
    double d = f + random32() * 0x1p-60;
    u64 v;
    switch (t) {
    case F16: return __half_as_ushort(__float2half(f));
    case BF16: return to_bits(f) >> 16;
    case TF32: case F32: return to_bits(f);
    case F64: memcpy(&v, &d, 8); return v;
    case E4M3: return (r & 127) == 127 ? 0 : r & 255;
    case E5M2: return (r & 127) > 123 ? 1 : r & 255;
    case S32: return r % 8 ? r : r % 16 ? 0x7fffff00 : 0x80000100;
    default: return r & ((1u << bits_of[t]) - 1);
    }
}

enum { KIND_PLAIN, KIND_SAT, KIND_XOR, KIND_AND, KIND_UP, KIND_ZERO };
// d = a * b + c, as mma.h says; matrices by rows
static u64 product(int n, int k, Type ta, Type tb, Type tc, Type td, int kind, const u64 *a, const u64 *b, u64 c, int row, int col) {
    double sum = value(tc, c);
    if (tc == S32) sum = 0;
    if (kind >= KIND_UP) fesetround(kind == KIND_UP ? FE_UPWARD : FE_TOWARDZERO);
    for (int i = 0; i < k; i++) {
        u64 x = a[row * k + i], y = b[i * n + col];
        if (kind == KIND_XOR || kind == KIND_AND) sum += (double)(kind == KIND_XOR ? x ^ y : x & y);
        else if (tc == F64) sum = fma(value(ta, x), value(tb, y), sum);
        else sum = fmaf((float)value(ta, x), (float)value(tb, y), (float)sum);
    }
    fesetround(FE_TONEAREST);
    if (td == S32) {
        int64_t all = (int64_t)sum + (int32_t)c;
        if (kind == KIND_SAT) all = all > INT32_MAX ? INT32_MAX : all < INT32_MIN ? INT32_MIN : all;
        return (u32)all;
    }
    if (td == F16) return __half_as_ushort(__float2half((float)sum));
    u64 v;
    return td == F64 ? (memcpy(&v, &sum, 8), v) : to_bits((float)sum);
}

// ---- mma ----
template <int M_, int N_, int K_, Type A_, Type B_, Type C_, int Kind_ = KIND_PLAIN> struct Shape {
    static const int M = M_, N = N_, K = K_, kind = Kind_;
    static const Type A = A_, B = B_, C = C_;
};
// Element i of lane l in the matrices, from the tables of the ISA; bits: of an element, but those of one bit are words
__device__ int a_place(int bits, int k, int i, int l) {
    int per = bits < 32 ? 32 / bits : 1, row = l / 4 + 8 * (i / per % 2), col = per * (l % 4) + i % per + 4 * per * (i / per / 2);
    return row * k + col;
}
__device__ int a_place8(int bits, int k, int i, int l) { return l / 4 * k + (32 / bits ? 32 / bits : 1) * (l % 4) + i; }
__device__ int b_place(int bits, int n, int i, int l) {
    int per = bits < 32 ? 32 / bits : 1, row = per * (l % 4) + i % per + 4 * per * (i / per);
    return row * n + l / 4;
}
__device__ int c_place(int n, int i, int l) { return (l / 4 + 8 * (i / 2)) * n + l % 4 * 2 + i % 2; }

template <class S> __device__ void gather(u32 *ra, u32 *rb, u32 *rc, const u64 *a, const u64 *b, const u64 *c) {
    const int bits = S::A == B1 ? 1 : S::A == F16 || S::A == BF16 ? 16 : S::A == TF32 ? 32 : S::A == S4 || S::A == U4 ? 4 : 8, l = threadIdx.x % 32;
    const int per = 32 / bits, na = S::M * S::K / 32, nb = S::N * S::K / 32, nc = S::M * S::N / 32;
    for (int i = 0; i < na / per; i++) ra[i] = 0;
    for (int i = 0; i < nb / per; i++) rb[i] = 0;
    for (int i = 0; i < nc; i++) rc[i] = 0;
    for (int i = 0; i < na; i++) ra[i / per] |= (u32)a[S::M == 8 ? a_place8(bits, S::K, i, l) : a_place(bits, S::K, i, l)] << i % per * bits % 32;
    for (int i = 0; i < nb; i++) rb[i / per] |= (u32)b[b_place(bits, S::N, i, l)] << i % per * bits % 32;
    for (int i = 0; i < nc; i++) rc[S::C == F16 ? i / 2 : i] |= (u32)c[c_place(S::N, i, l)] << (S::C == F16 ? i % 2 * 16 : 0);
}
template <class S> __device__ void scatter(u64 *d, const u32 *rc) {
    for (int i = 0; i < S::M * S::N / 32; i++)
        d[c_place(S::N, i, threadIdx.x % 32)] = S::C == F16 ? rc[i / 2] >> i % 2 * 16 & 0xffff : rc[i];
}

#define ASM_424(t) asm volatile("mma.sync.aligned." t " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define ASM_422(t) asm volatile("mma.sync.aligned." t " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define ASM_214(t) asm volatile("mma.sync.aligned." t " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define ASM_212(t) asm volatile("mma.sync.aligned." t " {%0,%1}, {%2,%3}, {%4}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define ASM_112(t) asm volatile("mma.sync.aligned." t " {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(b[0]))

#ifdef FEW
#define ALL_MMA(X)                                                                                                     \
    X(214, "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16, F16, F32, KIND_PLAIN)                                     \
    X(112, "m8n8k16.row.col.satfinite.s32.u8.s8.s32", 8, 8, 16, U8, S8, S32, KIND_SAT)                                 \
    X(424, "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 16, 8, 32, E2M1, E3M2, F32, KIND_PLAIN)
#else
#define ALL_MMA(X)                                                                                                     \
    X(424, "m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, F16, F16, F32, KIND_PLAIN)                                   \
    X(422, "m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, F16, F16, F16, KIND_PLAIN)                                   \
    X(214, "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, F16, F16, F32, KIND_PLAIN)                                     \
    X(212, "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, F16, F16, F16, KIND_PLAIN)                                     \
    X(424, "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, BF16, BF16, F32, KIND_PLAIN)                               \
    X(214, "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, BF16, BF16, F32, KIND_PLAIN)                                 \
    X(214, "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, TF32, TF32, F32, KIND_PLAIN)                                 \
    X(424, "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, TF32, TF32, F32, KIND_PLAIN)                                 \
    X(112, "m8n8k16.row.col.s32.s8.s8.s32", 8, 8, 16, S8, S8, S32, KIND_PLAIN)                                         \
    X(112, "m8n8k16.row.col.satfinite.s32.u8.s8.s32", 8, 8, 16, U8, S8, S32, KIND_SAT)                                 \
    X(214, "m16n8k16.row.col.s32.s8.u8.s32", 16, 8, 16, S8, U8, S32, KIND_PLAIN)                                       \
    X(214, "m16n8k16.row.col.satfinite.s32.u8.u8.s32", 16, 8, 16, U8, U8, S32, KIND_SAT)                               \
    X(424, "m16n8k32.row.col.s32.u8.s8.s32", 16, 8, 32, U8, S8, S32, KIND_PLAIN)                                       \
    X(424, "m16n8k32.row.col.s32.s8.s8.s32.satfinite", 16, 8, 32, S8, S8, S32, KIND_SAT)                               \
    X(112, "m8n8k32.row.col.satfinite.s32.s4.u4.s32", 8, 8, 32, S4, U4, S32, KIND_SAT)                                 \
    X(214, "m16n8k32.row.col.s32.u4.s4.s32", 16, 8, 32, U4, S4, S32, KIND_PLAIN)                                       \
    X(424, "m16n8k64.row.col.s32.s4.s4.s32", 16, 8, 64, S4, S4, S32, KIND_PLAIN)                                       \
    X(112, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 8, 8, 128, B1, B1, S32, KIND_XOR)                                \
    X(214, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", 16, 8, 128, B1, B1, S32, KIND_AND)                              \
    X(424, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 16, 8, 256, B1, B1, S32, KIND_XOR)                              \
    X(424, "m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, E4M3, E5M2, F32, KIND_PLAIN)                               \
    X(422, "m16n8k32.row.col.f16.e5m2.e4m3.f16", 16, 8, 32, E5M2, E4M3, F16, KIND_PLAIN)                               \
    X(214, "m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 8, 16, E4M3, E4M3, F32, KIND_PLAIN)                               \
    X(424, "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", 16, 8, 32, E2M1, E3M2, F32, KIND_PLAIN)                  \
    X(424, "m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e5m2.f32", 16, 8, 32, E2M3, E5M2, F32, KIND_PLAIN)                  \
    X(422, "m16n8k32.row.col.kind::f8f6f4.f16.e4m3.e2m1.f16", 16, 8, 32, E4M3, E2M1, F16, KIND_PLAIN)
#endif

#define KERNEL(form, text, m, n, k, ta, tb, tc, kind)                                                                  \
    struct S_##form##ta##tb##tc##k : Shape<m, n, k, ta, tb, tc, kind> {};                                              \
    __global__ void mma_##form##ta##tb##tc##k(const u64 *ma, const u64 *mb, const u64 *mc, u64 *md) {                  \
        u32 a[8], b[8], c[8];                                                                                          \
        gather<S_##form##ta##tb##tc##k>(a, b, c, ma, mb, mc);                                                          \
        ASM_##form(text);                                                                                              \
        scatter<S_##form##ta##tb##tc##k>(md, c);                                                                       \
    }
ALL_MMA(KERNEL)

// One more with float registers, copies and constants for c, and two results left out.
__global__ void mma_floats(const u64 *ma, const u64 *mb, const u64 *mc, u64 *md) {
    u32 a[8], b[8], c[8];
    float d[2];
    gather<Shape<16, 8, 16, F16, F16, F32>>(a, b, c, ma, mb, mc);
    asm volatile("{ .reg .f32 z; mov.f32 z, 0f3f800000;\n"
                 "mma.m16n8k16.row.col.sync.aligned.f32.f16.f16.f32 {%0,_,%1,_}, {%2,%3,%4,%5}, {%6,%7}, {z,z,0f3F800000,z}; }"
                 : "=f"(d[0]), "=f"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int i = 0; i < 4; i += 2) md[c_place(8, i, threadIdx.x)] = __float_as_uint(d[i / 2]);
}

#define F64_LOADS                                                                                                      \
    double a[8], b[4], c[4];                                                                                           \
    const int l = threadIdx.x;                                                                                         \
    for (int i = 0; i < m * k / 32; i++) a[i] = __longlong_as_double((long long)ma[m == 8 ? a_place8(64, k, i, l) : a_place(64, k, i, l)]); \
    for (int i = 0; i < k * n / 32; i++) b[i] = __longlong_as_double((long long)mb[b_place(64, n, i, l)]);             \
    for (int i = 0; i < m * n / 32; i++) c[i] = __longlong_as_double((long long)mc[c_place(n, i, l)]);
template <int m, int n, int k> __global__ void mma_doubles(const u64 *ma, const u64 *mb, const u64 *mc, u64 *md) {
    F64_LOADS
    if (m == 8)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b[0]));
    else if (k == 4)
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    else if (k == 8)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    for (int i = 0; i < m * n / 32; i++) md[c_place(n, i, l)] = (u64)__double_as_longlong(c[i]);
}

typedef void Kernel(const u64 *, const u64 *, const u64 *, u64 *);
static u64 *ma, *mb, *mc, *md;

static void compare(const char *text, int m, int n, int k, Type ta, Type tb, Type tc, Type td, int kind, int step = 1) {
    if (cudaDeviceSynchronize()) bad++, printf("%s: error\n", text);
    int wrong = 0;
    for (int i = 0; i < m * n; i += step) {
        u64 want = product(n, k, ta, tb, tc, td, kind, ma, mb, mc[i], i / n, i % n);
        if (md[i] != want && !wrong++) printf("%s: element %d, %d is %llx, not %llx\n", text, i / n, i % n, (long long)md[i], (long long)want);
    }
    bad += wrong;
}
static void prepare(int m, int n, int k, Type ta, Type tb, Type tc) {
    for (int i = 0; i < m * k; i++) ma[i] = pick(ta);
    for (int i = 0; i < n * k; i++) mb[i] = pick(tb);
    for (int i = 0; i < m * n; i++) mc[i] = pick(tc), md[i] = 0x1234;
}
static void check(const char *text, Kernel *f, int m, int n, int k, Type ta, Type tb, Type tc, int kind = KIND_PLAIN) {
    prepare(m, n, k, ta, tb, tc);
    f<<<1, 32>>>(ma, mb, mc, md);
    compare(text, m, n, k, ta, tb, tc, tc, kind);
}
static void all_mma() {
#define RUN(form, text, m, n, k, ta, tb, tc, kind) check(text, mma_##form##ta##tb##tc##k, m, n, k, ta, tb, tc, kind);
    ALL_MMA(RUN)
    check("m8n8k4.f64", mma_doubles<8, 8, 4>, 8, 8, 4, F64, F64, F64);
#ifndef FEW
    check("m16n8k4.f64", mma_doubles<16, 8, 4>, 16, 8, 4, F64, F64, F64);
    check("m16n8k8.f64", mma_doubles<16, 8, 8>, 16, 8, 8, F64, F64, F64);
    check("m16n8k16.f64", mma_doubles<16, 8, 16>, 16, 8, 16, F64, F64, F64);
#endif
    prepare(16, 8, 16, F16, F16, F32);
    for (int i = 0; i < 128; i++) mc[i] = 0x3f800000;
    mma_floats<<<1, 32>>>(ma, mb, mc, md);
    compare("floats", 16, 8, 16, F16, F16, F32, F32, KIND_PLAIN, 2);
}

// ---- sparse a: half of each row is stored, the metadata says which; d[16 x 8] ----
#define ASM_SP_424(t, s) asm volatile("mma." t " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, " #s ";" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e))
#define ASM_SP_224(t, s) asm volatile("mma." t " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, " #s ";" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e))
#ifdef FEW
#define ALL_SPARSE(X)                                                                                                  \
    X(224, "sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, TF32, F32, 2)                                       \
    X(224, "sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, S8, S32, 1)
#else
#define ALL_SPARSE(X)                                                                                                  \
    X(224, "sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, F16, F32, 3)                                        \
    X(424, "sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 32, BF16, F32, 1)                                     \
    X(424, "sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 16, TF32, F32, 1)                  \
    X(224, "sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32, S8, S32, 1)                                           \
    X(424, "sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.u8.s32", 64, U8, S32, 0)                         \
    X(224, "sp.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 64, U4, S32, 1)                                           \
    X(424, "sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 128, S4, S32, 0)                                         \
    X(424, "sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", 64, E4M3, F32, 0)                   \
    X(424, "sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 64, E2M1, F32, 0)
#endif
#define SPARSE_KERNEL(form, text, k, t, tc, selector)                                                                  \
    __global__ void sparse_##form##t##k(const u64 *ma, const u64 *mb, const u64 *mc, u64 *md, const u32 *meta) {       \
        u32 a[8], b[8], c[8], unused[8], e = meta[threadIdx.x];                                                        \
        gather<Shape<16, 8, k / 2, t, t, tc>>(a, unused, c, ma, mb, mc);                                               \
        gather<Shape<16, 8, k, t, t, tc>>(unused, b, c, ma, mb, mc);                                                   \
        ASM_SP_##form(text, selector);                                                                                 \
        scatter<Shape<16, 8, k, t, t, tc>>(md, c);                                                                     \
    }
ALL_SPARSE(SPARSE_KERNEL)

static void check_sparse(const char *text, void (*f)(const u64 *, const u64 *, const u64 *, u64 *, const u32 *), int k, Type t, Type tc, int selector) {
    static u32 *meta;
    if (!meta) cudaMallocManaged(&meta, 128);
    prepare(16, 8, k, t, t, tc);
    bool narrow = bits_of[t] <= 8;
    int unit = bits_of[t] == 4 ? 2 : 1, of = t == TF32 ? 2 : 4, chunks = k / of / unit, words = chunks / 4;
    u64 dense[16 * 128] = {0};
    for (int l = 0; l < 32; l++) meta[l] = l % 4 / words == selector ? 0 : ~0u;
    for (int i = 0; i < 16 * chunks; i++) {
        int row = i / chunks, chunk = i % chunks, first = random32() % 3, second = first + 1 + random32() % (3 - first), code = second << 2 | first;
        if (of == 2) code = first ? 14 : 4;
        if (narrow) meta[row % 8 * 4 + selector * words + chunk / 8 * 2 + row / 8] |= (u32)code << chunk % 8 * 4;
        else meta[row % 8 * 4 + selector * words + chunk / 4] |= (u32)code << (row / 8 * 16 + chunk % 4 * 4);
        u64 *from = &ma[row * k / 2 + chunk * of * unit / 2], *to = &dense[row * k + chunk * of * unit];
        if (of == 2) to[first != 0] = from[0];
        for (int e = 0; e < unit && of == 4; e++) to[first * unit + e] = from[e], to[second * unit + e] = from[unit + e];
    }
    f<<<1, 32>>>(ma, mb, mc, md, meta);
    cudaDeviceSynchronize();
    memcpy(ma, dense, sizeof dense);
    compare(text, 16, 8, k, t, t, tc, tc, KIND_PLAIN);
}
static void all_sparse() {
#define RUN_SPARSE(form, text, k, t, tc, selector) check_sparse(text, sparse_##form##t##k, k, t, tc, selector);
    ALL_SPARSE(RUN_SPARSE)
}

// ---- mma.m8n8k4 of half: lanes 4 i ... and 16 + 4 i ... have matrix i ----
#define EIGHTHS(name, ca, cb, tc, td, text, C, D)                                                              \
    __global__ void eighths_##name(const u64 *ma, const u64 *mb, const u64 *mc, u64 *md) {                             \
        int l = threadIdx.x, i = l % 16 / 4, t = l % 4, upper = l / 16 * 4;                                            \
        u32 a[2] = {0, 0}, b[2] = {0, 0}, c[8] = {}, d[8];                                                             \
        for (int e = 0; e < 4; e++) {                                                                                  \
            a[e / 2] |= (u32)ma[32 * i + (ca ? (e + upper) * 4 + t : (t + upper) * 4 + e)] << e % 2 * 16;              \
            b[e / 2] |= (u32)mb[32 * i + (cb ? e * 8 + t + upper : t * 8 + e + upper)] << e % 2 * 16;                  \
        }                                                                                                              \
        for (int e = 0; e < 8; e++)                                                                                    \
            if (tc == F16) c[e / 2] |= (u32)mc[64 * i + (t + upper) * 8 + e] << e % 2 * 16;                            \
            else c[e] = (u32)mc[64 * i + ((l & 1) + (e & 2) + upper) * 8 + (e & 4) + (l & 2) + (e & 1)];               \
        asm volatile("mma.sync.aligned.m8n8k4." text " " D ", {%8,%9}, {%10,%11}, " C ";"                              \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7])  \
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(c[5]), "r"(c[6]), "r"(c[7])); \
        for (int e = 0; e < 8; e++)                                                                                    \
            if (td == F16) md[64 * i + (t + upper) * 8 + e] = d[e / 2] >> e % 2 * 16 & 0xffff;                         \
            else md[64 * i + ((l & 1) + (e & 2) + upper) * 8 + (e & 4) + (l & 2) + (e & 1)] = d[e];                    \
    }
#define EIGHT_D "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define EIGHT_C "{%12,%13,%14,%15,%16,%17,%18,%19}"
#ifndef FEW
EIGHTHS(float, 1, 0, F32, F32, "col.row.f32.f16.f16.f32", EIGHT_C, EIGHT_D)
EIGHTHS(widened, 0, 0, F16, F32, "row.row.f32.f16.f16.f16", "{%12,%13,%14,%15}", EIGHT_D)
EIGHTHS(half, 1, 1, F16, F16, "col.col.f16.f16.f16.f16", "{%12,%13,%14,%15}", "{%0,%1,%2,%3}")
#endif
static void check_eighths(const char *text, void (*f)(const u64 *, const u64 *, const u64 *, u64 *), Type tc, Type td) {
    prepare(16, 16, 8, F16, F16, tc);
    f<<<1, 32>>>(ma, mb, mc, md);
    u64 *old[4] = {ma, mb, mc, md};
    for (int i = 0; i < 4; i++, ma += 32, mb += 32, mc += 64, md += 64) compare(text, 8, 8, 4, F16, F16, tc, td, KIND_PLAIN);
    ma = old[0], mb = old[1], mc = old[2], md = old[3];
}
static void all_eighths() {
#ifndef FEW
    check_eighths("m8n8k4 col.row", eighths_float, F32, F32);
    check_eighths("m8n8k4 row.row", eighths_widened, F16, F32);
    check_eighths("m8n8k4 col.col", eighths_half, F16, F16);
#endif
}

// ---- wmma: matrices in memory with rows of ld elements, packed ----
#define A8 "{a0,a1,a2,a3,a4,a5,a6,a7}"
#define A4 "{a0,a1,a2,a3}"
#define A2 "{a0,a1}"
#define A1 "{a0}"
#define B8 "{b0,b1,b2,b3,b4,b5,b6,b7}"
#define B4 "{b0,b1,b2,b3}"
#define B2 "{b0,b1}"
#define B1_ "{b0}"
#define C8 "{c0,c1,c2,c3,c4,c5,c6,c7}"
#define C4 "{c0,c1,c2,c3}"
#define C2 "{c0,c1}"
#define D8 "{d0,d1,d2,d3,d4,d5,d6,d7}"
#define D4 "{d0,d1,d2,d3}"
#define D2 "{d0,d1}"
struct Places {
    void *a, *b, *c, *d;
    int lda, ldb, ldc, ldd;
};
// e: what is done to the fragments before they are multiplied
#define WMMA(name, reg, shape, la, lb, lc, ld, ta, tc, td, fa, fb, fc, fd, types, e)                                   \
    __global__ void name(Places p) {                                                                                   \
        asm volatile("{ .reg ." reg " a<8>, b<8>; .reg ." reg " c<8>, d<8>;\n"                                         \
                     "wmma.load.a.sync.aligned." la "." shape ".global." ta " " fa ", [%0], %4;\n"                     \
                     "wmma.load.b.sync.aligned." lb "." shape "." ta " " fb ", [%1], %5;\n"                            \
                     "wmma.load.c.sync.aligned." lc "." shape "." tc " " fc ", [%2], %6;\n" e                          \
                     "wmma" types " " fd ", " fa ", " fb ", " fc ";\n"                                                 \
                     "wmma.store.d.sync.aligned." ld "." shape ".global." td " [%3], " fd ", %7; }"                    \
                     ::"l"(p.a), "l"(p.b), "l"(p.c), "l"(p.d), "r"(p.lda), "r"(p.ldb), "r"(p.ldc), "r"(p.ldd) : "memory"); \
    }
#define M16 "m16n16k16"
#define M8 "m8n32k16"
#define M32 "m32n8k16"
#define DOUBLED "add.rn.f16x2 a0,a0,a0; add.rn.f16x2 a1,a1,a1; add.rn.f16x2 a2,a2,a2; add.rn.f16x2 a3,a3,a3;" \
    "add.rn.f16x2 a4,a4,a4; add.rn.f16x2 a5,a5,a5; add.rn.f16x2 a6,a6,a6; add.rn.f16x2 a7,a7,a7;\n"
// name, columns of a, b, c, d; m n k; types; ...
#ifdef FEW
#define ALL_WMMA(X) X(f64_0, 0, 0, 0, 1, 8, 8, 4, F64, F64, F64, KIND_PLAIN, "f64", "m8n8k4", "row", "row", "row", "col", "f64", "f64", "f64", A1, B1_, C2, D2, ".mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64", "")
#else
#define ALL_WMMA(X)                                                                                                    \
    X(f16_0, 0, 0, 0, 0, 16, 16, 16, F16, F32, F32, KIND_PLAIN, "b32", M16, "row", "row", "row", "row", "f16", "f32", "f32", A8, B8, C8, D8, ".mma.sync.aligned.row.row." M16 ".f32.f32", "") \
    X(f16_1, 1, 1, 1, 1, 16, 16, 16, F16, F16, F16, KIND_PLAIN, "b32", M16, "col", "col", "col", "col", "f16", "f16", "f16", A8, B8, C4, D4, ".mma.sync.aligned.col.col." M16 ".f16.f16", "") \
    X(f16_2, 0, 1, 0, 1, 8, 32, 16, F16, F32, F16, KIND_PLAIN, "b32", M8, "row", "col", "row", "col", "f16", "f32", "f16", A8, B8, C8, D4, ".mma.sync.aligned.row.col." M8 ".f16.f32", "") \
    X(f16_3, 1, 0, 1, 0, 32, 8, 16, F16, F16, F32, KIND_PLAIN, "b32", M32, "col", "row", "col", "row", "f16", "f16", "f32", A8, B8, C4, D8, ".mma.sync.aligned.col.row." M32 ".f32.f16", "") \
    X(f16_4, 0, 1, 0, 0, 16, 16, 16, F16, F32, F32, KIND_PLAIN, "b32", M16, "row", "col", "row", "row", "f16", "f32", "f32", A8, B8, C8, D8, ".mma.sync.aligned.row.col." M16 ".f32.f32", DOUBLED) \
    X(bf16_0, 0, 0, 1, 0, 16, 16, 16, BF16, F32, F32, KIND_PLAIN, "b32", M16, "row", "row", "col", "row", "bf16", "f32", "f32", A4, B4, C8, D8, ".mma.sync.aligned.row.row." M16 ".f32.bf16.bf16.f32", "") \
    X(bf16_1, 1, 1, 0, 1, 8, 32, 16, BF16, F32, F32, KIND_PLAIN, "b32", M8, "col", "col", "row", "col", "bf16", "f32", "f32", A2, B8, C8, D8, ".mma.sync.aligned.col.col." M8 ".f32.bf16.bf16.f32", "") \
    X(bf16_2, 0, 1, 0, 0, 32, 8, 16, BF16, F32, F32, KIND_PLAIN, "b32", M32, "row", "col", "row", "row", "bf16", "f32", "f32", A8, B2, C8, D8, ".mma.sync.aligned.row.col." M32 ".f32.bf16.bf16.f32", "") \
    X(s8_0, 0, 0, 1, 0, 16, 16, 16, S8, S32, S32, KIND_SAT, "b32", M16, "row", "row", "col", "row", "s8", "s32", "s32", A2, B2, C8, D8, ".mma.sync.aligned.row.row." M16 ".s32.s8.s8.s32.satfinite", "") \
    X(s8_1, 1, 1, 0, 1, 8, 32, 16, S8, S32, S32, KIND_PLAIN, "b32", M8, "col", "col", "row", "col", "s8", "s32", "s32", A1, B4, C8, D8, ".mma.sync.aligned.col.col." M8 ".s32.s8.s8.s32", "") \
    X(u8_0, 0, 1, 0, 0, 32, 8, 16, U8, S32, S32, KIND_PLAIN, "b32", M32, "row", "col", "row", "row", "u8", "s32", "s32", A4, B1_, C8, D8, ".mma.sync.aligned.row.col." M32 ".s32.u8.u8.s32", "") \
    X(tf32_0, 0, 0, 0, 1, 16, 16, 8, TF32, F32, F32, KIND_PLAIN, "b32", "m16n16k8", "row", "row", "row", "col", "tf32", "f32", "f32", A4, B4, C8, D8, ".mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32", "") \
    X(tf32_1, 1, 1, 1, 0, 16, 16, 8, TF32, F32, F32, KIND_PLAIN, "b32", "m16n16k8", "col", "col", "col", "row", "tf32", "f32", "f32", A4, B4, C8, D8, ".mma.sync.aligned.col.col.m16n16k8.f32.tf32.tf32.f32", "") \
    X(f64_0, 0, 0, 0, 1, 8, 8, 4, F64, F64, F64, KIND_PLAIN, "f64", "m8n8k4", "row", "row", "row", "col", "f64", "f64", "f64", A1, B1_, C2, D2, ".mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64", "") \
    X(f64_1, 1, 1, 1, 0, 8, 8, 4, F64, F64, F64, KIND_PLAIN, "f64", "m8n8k4", "col", "col", "col", "row", "f64", "f64", "f64", A1, B1_, C2, D2, ".mma.sync.aligned.col.col.m8n8k4.rn.f64.f64.f64.f64", "") \
    X(f64_2, 1, 1, 1, 0, 8, 8, 4, F64, F64, F64, KIND_UP, "f64", "m8n8k4", "col", "col", "col", "row", "f64", "f64", "f64", A1, B1_, C2, D2, ".mma.sync.aligned.col.col.m8n8k4.rp.f64.f64.f64.f64", "") \
    X(f64_3, 1, 1, 1, 0, 8, 8, 4, F64, F64, F64, KIND_ZERO, "f64", "m8n8k4", "col", "col", "col", "row", "f64", "f64", "f64", A1, B1_, C2, D2, ".mma.sync.aligned.col.col.m8n8k4.rz.f64.f64.f64.f64", "") \
    X(s4_0, 0, 1, 0, 1, 8, 8, 32, S4, S32, S32, KIND_PLAIN, "b32", "m8n8k32", "row", "col", "row", "col", "s4", "s32", "s32", A1, B1_, C2, D2, ".mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", "") \
    X(u4_0, 0, 1, 1, 0, 8, 8, 32, U4, S32, S32, KIND_SAT, "b32", "m8n8k32", "row", "col", "col", "row", "u4", "s32", "s32", A1, B1_, C2, D2, ".mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", "") \
    X(b1_0, 0, 1, 0, 0, 8, 8, 128, B1, S32, S32, KIND_XOR, "b32", "m8n8k128", "row", "col", "row", "row", "b1", "s32", "s32", A1, B1_, C2, D2, ".mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "")
#endif
#define WMMA_KERNEL(name, ca, cb, cc, cd, m, n, k, t, tc, td, kind, reg, shape, la, lb, lc, ld, na, nc, nd, a, b, c, d, types, e) \
    WMMA(wmma_##name, reg, shape, la, lb, lc, ld, na, nc, nd, a, b, c, d, types, e)
ALL_WMMA(WMMA_KERNEL)

static u64 unit(const unsigned char *p, int bits, int at) {
    u64 v = 0;
    if (bits < 8) return p[at * bits / 8] >> at * bits % 8 & ((1 << bits) - 1);
    memcpy(&v, p + at * bits / 8, bits / 8);
    return v;
}
static void set_unit(unsigned char *p, int bits, int at, u64 v) {
    if (bits < 8) p[at * bits / 8] |= (unsigned char)(v << at * bits % 8);
    else memcpy(p + at * bits / 8, &v, bits / 8);
}
// rows x columns elements to memory, each line `ld` elements long
static void lay(unsigned char *p, const u64 *v, int rows, int columns, int bits, bool by_column, int ld) {
    memset(p, 0, 16384);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) set_unit(p, bits, by_column ? c * ld + r : r * ld + c, v[r * columns + c]);
}
static void check_wmma(const char *text, void (*f)(Places), bool ca, bool cb, bool cc, bool cd, int m, int n, int k, Type t, Type tc, Type td, int kind, bool doubled) {
    static unsigned char *p[4];
    for (int i = 0; !p[3] && i < 4; i++) cudaMallocManaged(&p[i], 16384);
    int more = 128 / bits_of[t] * (bits_of[t] == 64 ? 4 : 1);
    Places at = {p[0], p[1], p[2], p[3], (ca ? m : k) + more, (cb ? k : n) + more, (cc ? m : n) + 16, (cd ? m : n) + 32};
    prepare(m, n, k, t, t, tc);
    lay(p[0], ma, m, k, bits_of[t], ca, at.lda), lay(p[1], mb, k, n, bits_of[t], cb, at.ldb);
    lay(p[2], mc, m, n, bits_of[tc], cc, at.ldc), memset(p[3], 0, 16384);
    f<<<1, 32>>>(at);
    if (cudaDeviceSynchronize()) bad++;
    for (int i = 0; i < m * n; i++) md[i] = unit(p[3], bits_of[td], cd ? i % n * at.ldd + i / n : i / n * at.ldd + i % n);
    for (int i = 0; doubled && i < m * k; i++) ma[i] = __half_as_ushort(__float2half((float)(2 * value(F16, ma[i]))));
    compare(text, m, n, k, t, t, tc, td, kind);
}
static void all_wmma() {
#define RUN_WMMA(name, ca, cb, cc, cd, m, n, k, t, tc, td, kind, reg, shape, la, lb, lc, ld, na, nc, nd, a, b, c, d, types, e) \
    check_wmma("wmma " #name, wmma_##name, ca, cb, cc, cd, m, n, k, t, tc, td, kind, *e);
    ALL_WMMA(RUN_WMMA)
}

// ---- ldmatrix, stmatrix, movmatrix: rows lie anywhere in shared memory ----
__device__ int row_at(int r) { return r * 37 % 32 * 8; } // in elements of 16 bits
template <int how> __global__ void rows(unsigned short *out) {
    __shared__ __align__(16) unsigned short in[256], to[256];
    int l = threadIdx.x;
    for (int i = 0; i < 8; i++) in[row_at(l) + i] = (unsigned short)(l * 8 + i), to[row_at(l) + i] = 0xffff;
    __syncthreads();
    u32 r[4] = {}, turned, at = (u32)__cvta_generic_to_shared(in + row_at(l)), back = (u32)__cvta_generic_to_shared(to + row_at(l));
    if (how == 0) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(l < 8 ? at : 0x7fffffff));
    if (how == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0,%1}, [%2+-64];" : "=r"(r[0]), "=r"(r[1]) : "r"(at + 64));
    if (how >= 2) asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(in + row_at(l)));
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(r[1]));
    for (int i = 0; i < 4; i++) ((u32 *)out)[32 * i + l] = i == 3 && how == 1 ? turned : r[i];
    if (how == 0) asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(l < 8 ? back : 0x7fffffff), "r"(r[0]) : "memory");
    if (how == 1) asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.b16 [%0], {%1,%2};" ::"l"(to + row_at(l)), "r"(r[0]), "r"(r[1]) : "memory");
    if (how == 2) asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(back), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
    __syncthreads();
    for (int i = 0; i < 8; i++) out[256 + l * 8 + i] = to[row_at(l) + i];
}
static void all_rows() {
    unsigned short *out;
    cudaMallocManaged(&out, 1024);
    for (int how = 0; how < 3; how++) {
        int blocks = 1 << how, wrong = 0;
        if (how == 0) rows<0><<<1, 32>>>(out);
        if (how == 1) rows<1><<<1, 32>>>(out);
        if (how == 2) rows<2><<<1, 32>>>(out);
        if (cudaDeviceSynchronize()) bad++;
        for (int b = 0; b < 4; b++)
            for (int l = 0; l < 32; l++)
                for (int e = 0; e < 2; e++) {
                    int row = l / 4, col = l % 4 * 2 + e, got = out[64 * b + 2 * l + e], from = out[256 + 64 * b + 2 * l + e];
                    int plain = 64 * b + 8 * row + col, turned = 64 * b + 8 * col + row;
                    int want = how == 1 && b == 3 ? 64 + 8 * row + col : b >= blocks ? 0 : how == 1 ? turned : plain;
                    wrong += got != want || from != (b >= blocks ? 0xffff : how == 0 ? turned : plain);
                }
        if (wrong) bad += wrong, printf("rows %d: %d are wrong\n", how, wrong);
    }
}

// ---- Inputs/matrix.ptx: d = a * b, rows of 16 x 16 times 16 x 8; several warps ----
static void file(const char *name) {
    CUmodule module;
    CUfunction f;
    const int warps = 3;
    unsigned short *a, *b;
    u32 *d;
    cudaMallocManaged(&a, warps * 512), cudaMallocManaged(&b, 256), cudaMallocManaged(&d, warps * 512);
    for (int i = 0; i < warps * 256; i++) a[i] = (unsigned short)pick(F16);
    for (int i = 0; i < 128; i++) b[i] = (unsigned short)pick(F16), mb[i] = b[i];
    void *args[] = {&a, &b, &d};
    if (cuModuleLoad(&module, name) || cuModuleGetFunction(&f, module, "multiply") || cuLaunchKernel(f, 1, 1, 1, 32 * warps, 1, 1, 0, 0, args, 0)) bad++;
    if (cuCtxSynchronize()) bad++;
    for (int w = 0; w < warps; w++) {
        for (int i = 0; i < 256; i++) ma[i] = a[256 * w + i];
        for (int i = 0; i < 128; i++) mc[i] = 0, md[i] = d[128 * w + i];
        compare("file", 16, 8, 16, F16, F16, F32, F32, KIND_PLAIN);
    }
}

int main(int, char **argv) {
    cudaMallocManaged(&ma, 32768), cudaMallocManaged(&mb, 32768), cudaMallocManaged(&mc, 32768), cudaMallocManaged(&md, 32768);
    all_mma(), all_sparse(), all_eighths(), all_wmma(), all_rows(), file(argv[1]);
    return bad != 0;
}
