// Results of half and bfloat16 arithmetic bit by bit: NaN is 0x7fff, saturation gives no -0, a sum of products is rounded once; the same
// on the host and by PTX.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=1 %s -o %t && %run %t; }
// RUN: %also { %cucpu --simd=8 --cpu=x86-64-v2 %s -o %t && %run %t; }
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned short Bits;
template <class T> __host__ __device__ Bits bits(T v) {
    Bits b;
    memcpy(&b, &v, 2);
    return b;
}
template <class T> __host__ __device__ T value(Bits b) {
    T v;
    memcpy(&v, &b, 2);
    return v;
}
enum { RESULTS = 12 };

template <class T> __host__ __device__ void compute(float nan, Bits a, Bits b, Bits c, Bits *out) {
    T x = value<T>(a), y = value<T>(b), z = value<T>(c);
    out[0] = bits(T(nan)), out[1] = bits(T((double)nan)), out[2] = bits(T(-nan));
    out[3] = bits(__hadd(x, T(nan))), out[4] = bits(__hfma(x, T(nan), y));
    out[5] = bits(__hmul_sat(T(-0.0f), x)), out[6] = bits(__hadd_sat(T(nan), y)), out[7] = bits(__hmin(T(-nan), T(nan)));
    out[8] = bits(__hfma(x, y, z)), out[9] = bits(__hfma_sat(x, y, z)), out[10] = bits(__hfma_relu(x, y, z));
    out[11] = bits(__hadd_sat(T(-0.0f), T(-0.0f)));
}

__global__ void half_kernel(float nan, const Bits *a, Bits *out) { compute<__half>(nan, a[threadIdx.x], a[32 + threadIdx.x], a[64 + threadIdx.x], out + RESULTS * threadIdx.x); }
__global__ void bfloat_kernel(float nan, const Bits *a, Bits *out) { compute<__nv_bfloat16>(nan, a[threadIdx.x], a[32 + threadIdx.x], a[64 + threadIdx.x], out + RESULTS * threadIdx.x); }

__global__ void ptx_kernel(float nan, Bits nan_bits, const Bits *a, Bits *out) {
    unsigned i = threadIdx.x;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out[8 * i]) : "f"(nan));
    asm("add.f16 %0, %1, %2;" : "=h"(out[8 * i + 1]) : "h"(a[i]), "h"(nan_bits));
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(out[8 * i + 2]) : "h"(a[i]), "h"(nan_bits), "h"(a[32 + i]));
    asm("max.f16 %0, %1, %1;" : "=h"(out[8 * i + 3]) : "h"(nan_bits));
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(out[8 * i + 4]) : "h"(a[i]), "h"(a[32 + i]), "h"(a[64 + i]));
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(out[8 * i + 5]) : "h"(a[i]), "h"(a[32 + i]), "h"(a[64 + i]));
    asm("{ .reg .f64 d; cvt.f64.f32 d, %1; cvt.rn.f16.f64 %0, d; }" : "=h"(out[8 * i + 6]) : "f"(nan));
    asm("cvt.rm.f16.f32 %0, %1;" : "=h"(out[8 * i + 7]) : "f"(nan));
}

static int wrong(const char *what, int i, Bits got, Bits want) {
    if (got != want) printf("%s[%d]: 0x%04x, not 0x%04x\n", what, i, got, want);
    return got != want;
}

int main() {
    Bits *a, *half, *bfloat, *ptx, on_host[RESULTS];
    float nan;
    unsigned u = 0xffc12345;
    memcpy(&nan, &u, 4);
    cudaMallocManaged(&a, 96 * 2), cudaMallocManaged(&half, 32 * RESULTS * 2), cudaMallocManaged(&bfloat, 32 * RESULTS * 2), cudaMallocManaged(&ptx, 32 * 8 * 2);
    /* finite and positive in both formats; of bfloat16 the tiny third decides a tie between the others' product and its neighbour */
    for (int i = 0; i < 32; i++) a[i] = Bits(0x1278 + 8 * i), a[32 + i] = Bits(0x6270 - 4 * i), a[64 + i] = Bits(0x1234 + i);
    half_kernel<<<1, 32>>>(nan, a, half);
    bfloat_kernel<<<1, 32>>>(nan, a, bfloat);
    ptx_kernel<<<1, 32>>>(nan, 0xfe77, a, ptx);
    if (cudaDeviceSynchronize()) return 2;
    int bad = wrong("bfloat fma", 0, bfloat[8], 0x3569);
    for (int i = 0; i < 32; i++) {
        for (int k = 0; k < RESULTS; k++) {
            bool saturated = k == 5 || k == 6 || k == 11;
            if (k < 8 || k == 11) bad += wrong("half", k, half[RESULTS * i + k], saturated ? 0 : 0x7fff), bad += wrong("bfloat", k, bfloat[RESULTS * i + k], saturated ? 0 : 0x7fff);
        }
        compute<__half>(nan, a[i], a[32 + i], a[64 + i], on_host);
        for (int k = 0; k < RESULTS; k++) bad += wrong("half, host", k, half[RESULTS * i + k], on_host[k]);
        compute<__nv_bfloat16>(nan, a[i], a[32 + i], a[64 + i], on_host);
        for (int k = 0; k < RESULTS; k++) bad += wrong("bfloat, host", k, bfloat[RESULTS * i + k], on_host[k]);
        for (int k = 0; k < 8; k++) bad += wrong("ptx", k, ptx[8 * i + k], k == 4 ? half[RESULTS * i + 8] : k == 5 ? bfloat[RESULTS * i + 8] : 0x7fff);
    }
    return bad != 0;
}
