// Inputs/texture.ptx: fetches give what CUDA's functions give; reading, writing and adding to a surface.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s %S/Inputs/texture.ptx -o %t.1 && %run %t.1 %S/Inputs/texture.ptx
// RUN: %also { %cucpu --simd=8 %s %S/Inputs/texture.ptx -o %t.8 && %run %t.8 %S/Inputs/texture.ptx; }
// RUN: %also { %cucpu --simd=32 %s %S/Inputs/texture.ptx -o %t.32 && %run %t.32 %S/Inputs/texture.ptx; }
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include "Inputs/pinned.h"
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef uint32_t u32;
enum { THREADS = 64 };
static CUmodule module_;
static int bad;
#define CHECK(got, want) ((got) != (want) ? (void)(bad++, printf("line %d: %x instead of %x\n", __LINE__, (u32)(got), (u32)(want))) : (void)0)

__global__ void reference(float *out, cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t solid,
                          cudaTextureObject_t layers, cudaTextureObject_t bytes) {
    int t = threadIdx.x;
    float *o = out + 16 * t, y = t * 0.25f, z = t * 0.125f, x = y - 1.5f;
    o[0] = tex1Dfetch<float>(line, t), o[1] = tex1D<float>(line, x);
    float4 p = tex2D<float4>(plane, x, y);
    o[4] = p.x, o[5] = p.y, o[6] = p.z, o[7] = p.w;
    o[2] = tex3D<float>(solid, x, y, z), o[3] = tex2DLayered<float>(layers, x, y, t & 1);
    uchar4 b = tex2D<uchar4>(bytes, x, y);
    o[8] = __int_as_float(b.x), o[9] = __int_as_float(b.w), o[10] = __int_as_float(b.y);
    o[11] = tex2Dgather<float4>(plane, x, y, 1).z;
    o[12] = __int_as_float(12), o[13] = __int_as_float(9);
}

static cudaTextureObject_t texture_of(cudaArray_t a, bool linear, cudaTextureAddressMode mode, bool normalized = false) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = normalized;
    cudaTextureObject_t t = 0;
    CHECK(cudaCreateTextureObject(&t, &r, &d, 0), 0);
    return t;
}

static cudaArray_t array(cudaChannelFormatDesc c, int w, int h, int d, unsigned flags) {
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &c, make_cudaExtent(w, h, d), flags), 0);
    int texel = (c.x + c.y + c.z + c.w) / 8, n = w * (h ? h : 1) * (d ? d : 1) * texel;
    unsigned char *bytes = new unsigned char[n];
    for (int i = 0; i < n; i++) bytes[i] = c.x == 32 && i % 4 == 3 ? 63 + i % 3 : (unsigned char)(i * 37 + i / 7);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(bytes, w * texel, w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p), 0);
    delete[] bytes;
    return a;
}

static void launch(const char *name, void **args) {
    CUfunction f;
    int r = cuModuleGetFunction(&f, module_, name);
    if (!r) r = cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, 0, args, 0);
    if (!r) r = cuCtxSynchronize();
    if (r) bad++, printf("%s: error %d\n", name, r);
}

static void fetch() {
    float *got = pinned<float>(16 * THREADS), *want = pinned<float>(16 * THREADS);
    auto one = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<float4>(), small = cudaCreateChannelDesc<uchar4>();
    float *memory;
    cudaMallocManaged(&memory, THREADS * sizeof(float));
    for (int i = 0; i < THREADS; i++) memory[i] = i * 1.5f;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory, r.res.linear.desc = one, r.res.linear.sizeInBytes = 50 * sizeof(float);
    cudaTextureDesc d = {};
    cudaTextureObject_t line, plane = texture_of(array(four, 12, 9, 0, cudaArrayTextureGather), true, cudaAddressModeClamp),
                              solid = texture_of(array(one, 5, 6, 7, 0), true, cudaAddressModeBorder),
                              layers = texture_of(array(one, 8, 8, 2, cudaArrayLayered), false, cudaAddressModeClamp),
                              bytes = texture_of(array(small, 10, 10, 0, 0), false, cudaAddressModeClamp);
    CHECK(cudaCreateTextureObject(&line, &r, &d, 0), 0);
    void *p = got;
    void *args[] = {&p, &line, &plane, &solid, &layers, &bytes};
    launch("fetch", args);
    reference<<<1, THREADS>>>(want, line, plane, solid, layers, bytes);
    CHECK(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < 16 * THREADS; i++)
        if (memcmp(&got[i], &want[i], 4)) bad++, printf("[%d].%d: %g, not %g\n", i / 16, i % 16, got[i], want[i]);
}

static void surfaces() {
    cudaArray_t a = array(cudaCreateChannelDesc<unsigned>(), 8, 8, 0, cudaArraySurfaceLoadStore);
    u32 before[64], after[64], *out = pinned(2 * THREADS);
    cudaMemcpy2DFromArray(before, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r), 0);
    void *p = out, *args[] = {&s, &p};
    launch("surface", args);
    cudaMemcpy2DFromArray(after, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        if (i != 24) CHECK(after[i], before[i] + 1);
        CHECK(out[2 * i + 1], 8u);
        if (i < 56) CHECK(out[2 * i] & 0xff, (before[56 + i % 8] + (out[2 * i] != (before[56 + i % 8] & 0xff))) & 0xff);
    }
    CHECK(after[24], before[24] + 1 + 63 * 32);
}

/* Of texture references: .texref, .surfref, and .tex of version 1. */
__global__ void reference2(float *out, cudaTextureObject_t line, cudaTextureObject_t plane) {
    int t = threadIdx.x;
    float *o = out + 8 * t, y = t * 0.25f, x = y - 1.5f;
    o[0] = tex1Dfetch<float>(line, t), o[1] = tex2D<float4>(plane, y, y).y;
    float4 p = tex2D<float4>(plane, x, y);
    o[2] = p.x, o[3] = p.w;
    o[4] = __int_as_float(12), o[5] = __int_as_float(8);
}

static void references() {
    float *got = pinned<float>(8 * THREADS), *want = pinned<float>(8 * THREADS), *memory;
    auto four = cudaCreateChannelDesc<float4>();
    cudaArray_t plane = array(four, 12, 9, 0, 0), a = array(cudaCreateChannelDesc<unsigned>(), 8, 8, 0, cudaArraySurfaceLoadStore);
    u32 before[64], after[64];
    cudaMemcpy2DFromArray(before, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    cudaMallocManaged(&memory, THREADS * sizeof(float));
    for (int i = 0; i < THREADS; i++) memory[i] = i * 1.5f;
    CUtexref old, ref;
    CUsurfref surface;
    size_t offset = 1;
    CHECK(cuModuleGetTexRef(&old, module_, "old"), 0);
    CHECK(cuModuleGetTexRef(&ref, module_, "plane_ref"), 0);
    CHECK(cuModuleGetSurfRef(&surface, module_, "surface_ref"), 0);
    CHECK(cuTexRefSetFormat(old, CU_AD_FORMAT_FLOAT, 1), 0);
    CHECK(cuTexRefSetAddress(&offset, old, (CUdeviceptr)memory, 50 * sizeof(float)), 0);
    CHECK(offset, 0u);
    CHECK(cuTexRefSetArray(ref, (CUarray)plane, CU_TRSA_OVERRIDE_FORMAT), 0);
    CHECK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_LINEAR), 0);
    CHECK(cuSurfRefSetArray(surface, (CUarray)a, 0), 0);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory, r.res.linear.desc = cudaCreateChannelDesc<float>(), r.res.linear.sizeInBytes = 50 * sizeof(float);
    cudaTextureDesc d = {};
    cudaTextureObject_t line;
    CHECK(cudaCreateTextureObject(&line, &r, &d, 0), 0);
    void *p = got, *args[] = {&p};
    launch("references", args);
    reference2<<<1, THREADS>>>(want, line, texture_of(plane, true, cudaAddressModeClamp));
    CHECK(cudaDeviceSynchronize(), 0);
    cudaMemcpy2DFromArray(after, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++) {
        CHECK(after[i], before[i] + 1);
        CHECK(((u32 *)got)[8 * i + 6], after[i]);
        if (memcmp(&got[8 * i], &want[8 * i], 24)) bad++, printf("thread %d: references\n", i);
    }
}

__global__ void reference3(float *out, cudaTextureObject_t plane, cudaTextureObject_t scaled, cudaTextureObject_t line) {
    int t = threadIdx.x;
    float *o = out + 8 * t, y = t * 0.25f, x = y - 1.5f;
    o[0] = tex2D<float4>(plane, x + 2, y - 1).x;
    x *= 0.0625f, y *= 0.125f;
    o[1] = tex2D<float4>(scaled, x - 1 / 16.0f, y + 2 / 8.0f).y;
    float4 p = tex2D<float4>(scaled, x, y);
    __half h[4] = {__float2half(p.x), __float2half(p.y), __float2half(p.z), __float2half(p.w)};
    memcpy(o + 2, h, 8);
    o[4] = tex1Dfetch<float>(line, t + 1);
    o[5] = __int_as_float(2), o[6] = __int_as_float(1), o[7] = __int_as_float(16);
}

static void more() {
    float *got = pinned<float>(8 * THREADS), *want = pinned<float>(8 * THREADS), *memory;
    cudaMallocManaged(&memory, 80 * sizeof(float));
    for (int i = 0; i < 80; i++) memory[i] = i * 1.5f;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory, r.res.linear.desc = cudaCreateChannelDesc<float>(), r.res.linear.sizeInBytes = 80 * sizeof(float);
    cudaTextureDesc d = {};
    auto four = cudaCreateChannelDesc<float4>();
    cudaTextureObject_t line, plane = texture_of(array(four, 12, 9, 0, 0), true, cudaAddressModeClamp),
                              scaled = texture_of(array(four, 16, 8, 0, 0), true, cudaAddressModeWrap, true);
    CHECK(cudaCreateTextureObject(&line, &r, &d, 0), 0);
    void *p = got, *args[] = {&p, &plane, &scaled, &line};
    launch("more", args);
    reference3<<<1, THREADS>>>(want, plane, scaled, line);
    CHECK(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < 8 * THREADS; i++)
        if (memcmp(&got[i], &want[i], 4)) bad++, printf("more [%d].%d: %g, not %g\n", i / 8, i % 8, got[i], want[i]);
}

int main(int, char **argv) {
    cudaFree(0);
    CHECK(cuModuleLoad(&module_, argv[1]), 0);
    if (bad) return 1;
    fetch(), surfaces(), references(), more();
    printf("%d wrong\n", bad);
    return bad != 0;
}
