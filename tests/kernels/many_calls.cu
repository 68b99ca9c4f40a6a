// Large functions that a kernel calls often are vector functions: fetches of textures, the program's own; also
// under a condition, and for blocks with idle lanes.  The results are those of a loop that calls them from one place.
// REQUIRES: run
// RUN: sh %S/Inputs/run_widths.sh %cucpu %s %t -O2
// RUN: %cucpu -O2 --dump-after=vectorise_calls --stop-after=vectorise_calls -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t && %run %t && %cucpu -G -fmad=false --simd=32 %s -o %t && %run %t; }
// CHECK-DAG: define internal {{.*}}tex2D{{.*}}.called(
// CHECK-DAG: define internal {{.*}}own{{.*}}.called(
// -fmad=false: with -G it is up to code generation what is fused.
#include "check.h"

#define TWICE(f) f f
#define FOUR(f) TWICE(f) TWICE(f)
#define SIXTEEN(f) FOUR(f) FOUR(f) FOUR(f) FOUR(f)
#define SIXTY_FOUR(f) SIXTEEN(f) SIXTEEN(f) SIXTEEN(f) SIXTEEN(f)

/* ---- textures ---- */

__device__ float4 fetch(cudaTextureObject_t t, float4 s, int i, int n) {
    float4 v = tex2D<float4>(t, i * 0.37f + n, i * 0.11f + n * 0.5f);
    return make_float4(s.x + v.x * n, s.y - v.y, s.z + v.z, s.w * 0.5f + v.w);
}

__global__ void fetches(cudaTextureObject_t t, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    float4 s = {0, 0, 0, 0};
    SIXTEEN(s = fetch(t, s, i, k++);) SIXTEEN(s = fetch(t, s, i, k++);)
    if (i % 3) { FOUR(s = fetch(t, s, i, k++);) }
    out[i] = s;
}

__global__ void fetches_in_loop(cudaTextureObject_t t, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 s = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < (i % 3 ? 36 : 32); k++) s = fetch(t, s, i, k);
    out[i] = s;
}

static void textures() {
    enum { W = 32, H = 16, N = 77 };
    float4 *texels, *out[2];
    CUDA(cudaMallocManaged(&texels, W * H * sizeof *texels));
    for (int i = 0; i < W * H; i++) texels[i] = make_float4(i * 0.37f, i % 7, -i * 1.5f, i % 13 * 0.1f);
    for (int k = 0; k < 2; k++) CUDA(cudaMallocManaged(&out[k], N * sizeof **out));
    for (int linear = 0; linear < 2; linear++) {
        cudaResourceDesc r = {};
        cudaTextureDesc d = {};
        cudaTextureObject_t t;
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D = {texels, cudaCreateChannelDesc<float4>(), W, H, W * sizeof *texels};
        d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
        CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
        fetches<<<2, 64>>>(t, out[0], N);
        fetches_in_loop<<<2, 64>>>(t, out[1], N);
        CUDA(cudaDeviceSynchronize());
        CHECK(!memcmp(out[0], out[1], N * sizeof **out));
        CUDA(cudaDestroyTextureObject(t));
    }
}

/* ---- a function of the program; bool and 64 bits as parameters ---- */

struct Pair {
    double a;
    long long b;
};

__device__ Pair own(Pair p, const float *table, bool add, int k) {
    SIXTY_FOUR(p.a = p.a * 0.9375 + (add ? table[(k + (int)p.b) & 15] : -0.5f); p.b = p.b * 3 + (long long)p.a % 7; k++;)
    return p;
}

__device__ Pair own_by_value(double a, long long b, const float *table, bool add, int k) { return own({a, b}, table, add, k); }

__global__ void calls(const float *table, Pair *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    if (i >= n) return;
    Pair p = {i * 0.5, i};
    SIXTY_FOUR(p = own_by_value(p.a, p.b, table, i & 1, k++);)
    out[i] = p;
}

__global__ void calls_in_loop(const float *table, Pair *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pair p = {i * 0.5, i};
#pragma unroll 1
    for (int k = 0; k < 64; k++) p = own_by_value(p.a, p.b, table, i & 1, k);
    out[i] = p;
}

static void functions() {
    enum { N = 77 };
    float *table;
    Pair *out[2];
    CUDA(cudaMallocManaged(&table, 16 * sizeof *table));
    for (int i = 0; i < 16; i++) table[i] = i * 0.25f;
    for (int k = 0; k < 2; k++) CUDA(cudaMallocManaged(&out[k], N * sizeof **out));
    calls<<<2, 64>>>(table, out[0], N);
    calls_in_loop<<<2, 64>>>(table, out[1], N);
    CUDA(cudaDeviceSynchronize());
    CHECK(!memcmp(out[0], out[1], N * sizeof **out));
}

int main() {
    textures();
    functions();
    return finish();
}
