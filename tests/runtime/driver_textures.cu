// The driver API: mipmapped arrays, copies between arrays, views; objects of textures and surfaces tell their descriptions.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#include "expect.h"

__global__ void level(CUtexObject t, float *out, float lod) { *out = tex2DLod<float>(t, 0.25f, 0.5f, lod); }
__global__ void row(CUtexObject t, int *out) { out[threadIdx.x] = tex1D<int>(t, threadIdx.x + 0.5f); }

static void levels(CUstream s) {
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, back;
    CUmipmappedArray m;
    CUarray a;
    unsigned char data[32];
    float *out;
    OK(cuMipmappedArrayCreate(&m, &d, 3));
    for (int i = 0; i < 3; i++) {
        OK(cuMipmappedArrayGetLevel(&a, m, i));
        OK(cuArray3DGetDescriptor(&back, a));
        IS(back.Width * 10 + back.Height, (8 >> i) * 10 + (4 >> i));
        for (unsigned char &b : data) b = 51 * (i + 1);
        for (int y = 0; y < (4 >> i); y++) {
            CUDA_MEMCPY2D c = {};
            c.srcMemoryType = CU_MEMORYTYPE_HOST;
            c.srcHost = data;
            c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
            c.dstArray = a;
            c.dstY = y;
            c.WidthInBytes = 8 >> i;
            c.Height = 1;
            OK(cuMemcpy2D(&c));
        }
    }
    IS(cuMipmappedArrayGetLevel(&a, m, 3), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {}, told;
    CUDA_RESOURCE_VIEW_DESC v = {}, view;
    CUtexObject object;
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.res.mipmap.hMipmappedArray = m;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES; /* bytes are read as fractions */
    t.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    t.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
    t.maxMipmapLevelClamp = 2;
    OK(cuMemAllocManaged((CUdeviceptr *)&out, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuTexObjectCreate(&object, &r, &t, nullptr));
    for (int i = 0; i < 4; i++) {
        level<<<1, 1, 0, s>>>(object, out, i * 0.5f);
        OK(cuStreamSynchronize(s));
        IS(fabsf(*out - 0.2f * (1 + i * 0.5f)) < 1e-5f, true); /* filters give 65535ths */
    }
    OK(cuTexObjectGetTextureDesc(&told, object));
    IS(told.flags, CU_TRSF_NORMALIZED_COORDINATES);
    IS(told.addressMode[0], CU_TR_ADDRESS_MODE_MIRROR);
    IS(told.maxMipmapLevelClamp, 2);
    IS(cuTexObjectGetResourceViewDesc(&view, object), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(object));
    v.format = CU_RES_VIEW_FORMAT_UINT_1X8;
    v.width = 4;
    v.height = 2;
    v.firstMipmapLevel = 1;
    v.lastMipmapLevel = 2;
    OK(cuTexObjectCreate(&object, &r, &t, &v));
    level<<<1, 1, 0, s>>>(object, out, 0);
    OK(cuStreamSynchronize(s));
    IS(fabsf(*out - 0.4f) < 1e-6f, true);
    OK(cuTexObjectGetResourceViewDesc(&view, object));
    IS(view.lastMipmapLevel, 2);
    OK(cuTexObjectDestroy(object));
    OK(cuMipmappedArrayDestroy(m));
    IS(cuMipmappedArrayDestroy(m), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree((CUdeviceptr)out));
}

static void rows(CUstream s) {
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 0, 0, CU_AD_FORMAT_SIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray a, b;
    int host[8], *out;
    for (int i = 0; i < 8; i++) host[i] = i * i - 9;
    OK(cuArray3DCreate(&a, &d));
    OK(cuArray3DCreate(&b, &d));
    OK(cuMemcpyHtoAAsync(a, 0, host, sizeof host, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyAtoA(b, 0, a, 8, 24));
    OK(cuMemcpyAtoHAsync(host, b, 4, 8, s));
    OK(cuStreamSynchronize(s));
    IS(host[0] * 100 + host[1], 0 * 100 + 7);
    IS(cuMemcpyAtoA(b, 16, a, 8, 24), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC r = {}, told;
    CUDA_TEXTURE_DESC t = {};
    CUtexObject object;
    CUsurfObject surface;
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = b;
    OK(cuTexObjectCreate(&object, &r, &t, nullptr));
    OK(cuMemAllocManaged((CUdeviceptr *)&out, 64, CU_MEM_ATTACH_GLOBAL));
    row<<<1, 6, 0, s>>>(object, out);
    OK(cuStreamSynchronize(s));
    for (int i = 0; i < 6; i++) IS(out[i], (i + 2) * (i + 2) - 9);
    OK(cuTexObjectGetResourceDesc(&told, object));
    IS(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == b, true);
    OK(cuSurfObjectCreate(&surface, &r));
    OK(cuSurfObjectGetResourceDesc(&told, surface));
    IS(told.res.array.hArray == b, true);
    IS(cuSurfObjectGetResourceDesc(&told, object), CUDA_ERROR_INVALID_VALUE);
    CUtexObject linear;
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = (CUdeviceptr)out;
    r.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT16;
    r.res.linear.numChannels = 2;
    r.res.linear.sizeInBytes = 64;
    t.flags = CU_TRSF_READ_AS_INTEGER;
    OK(cuTexObjectCreate(&linear, &r, &t, nullptr));
    OK(cuTexObjectGetResourceDesc(&told, linear));
    IS(told.res.linear.format * 100 + told.res.linear.numChannels, CU_AD_FORMAT_UNSIGNED_INT16 * 100 + 2);
    CUDA_TEXTURE_DESC back;
    OK(cuTexObjectGetTextureDesc(&back, linear));
    IS(back.flags, CU_TRSF_READ_AS_INTEGER);
    t.filterMode = CU_TR_FILTER_MODE_LINEAR; // integers are not filtered
    OK(cuTexObjectCreate(&linear, &r, &t, nullptr));
    size_t most;
    OK(cuDeviceGetTexture1DLinearMaxWidth(&most, CU_AD_FORMAT_FLOAT, 4, 0));
    IS(most > 1 << 20, true);
}

int main() {
    CUcontext c;
    CUstream s;
    OK(cuInit(0));
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuStreamCreate(&s, 0));
    levels(s);
    rows(s);
    return report();
}
