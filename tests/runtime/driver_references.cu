// The driver API as before CUDA 4 and 12: texture and surface references of modules, launches whose parameters belong to the function.
// REQUIRES: run
// RUN: %cucpu -DMODULE -std=c++17 -cubin %s -o %t.cubin && %cucpu -std=c++17 %s -o %t -lcuda && %run %t %t.cubin | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#ifdef MODULE
texture<float, 2> image;
texture<uchar4, 1, cudaReadModeNormalizedFloat> line;
surface<void, 2> screen;
extern "C" __global__ void read(float *out, float x, float y) {
    out[0] = tex2D(image, x, y);
    out[1] = tex1Dfetch(line, 1).y;
}
extern "C" __global__ void write(int row) { surf2Dwrite(float(row * 10 + threadIdx.x), screen, threadIdx.x * 4, row); }
extern "C" __global__ void sum(int *out, char a, double b, float c) {
    extern __shared__ int s[];
    s[threadIdx.x] = blockIdx.y * 100 + blockIdx.x * 10 + threadIdx.x;
    __syncthreads();
    if (threadIdx.x + blockIdx.x + blockIdx.y == 0) out[0] = s[blockDim.x - 1] + a + int(b) + int(c) + 1000 * gridDim.x + 10000 * gridDim.y;
}
#else
#include "expect.h"
static CUmodule m;
static CUdeviceptr out;

template <class T> static T at(CUdeviceptr p, int i = 0) {
    T v;
    OK(cuMemcpyDtoH(&v, p + i * sizeof(T), sizeof(T)));
    return v;
}
static CUfunction function(const char *name) {
    CUfunction f;
    OK(cuModuleGetFunction(&f, m, name));
    return f;
}
static void read(float x, float y) {
    void *args[] = {&out, &x, &y};
    OK(cuLaunchKernel(function("read"), 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
}
static CUarray filled(float first) {
    CUDA_ARRAY3D_DESCRIPTOR d = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray a;
    float data[16];
    OK(cuArray3DCreate(&a, &d));
    for (int i = 0; i < 16; i++) data[i] = first + i;
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = data, c.srcPitch = 16;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = a;
    c.WidthInBytes = 16, c.Height = 4;
    OK(cuMemcpy2D(&c));
    return a;
}

static void textures() {
    CUtexref image, line, again;
    OK(cuModuleGetTexRef(&image, m, "image"));
    OK(cuModuleGetTexRef(&again, m, "image"));
    IS(again == image, 1);
    IS(cuModuleGetTexRef(&again, m, "nothing"), CUDA_ERROR_NOT_FOUND);
    IS(cuModuleGetTexRef(nullptr, m, "image"), CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleGetTexRef(&line, m, "line"));
    CUarray a = filled(0), b = filled(100), got;
    IS(cuTexRefGetArray(&got, image), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefSetArray(image, a, CU_TRSA_OVERRIDE_FORMAT));
    IS(cuTexRefSetArray(image, a, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexRefGetArray(&got, image));
    IS(got == a, 1);
    CUdeviceptr bytes, p;
    OK(cuMemAlloc(&bytes, 8));
    OK(cuMemcpyHtoD(bytes, "\1\2\3\4\5\377\7\10", 8));
    OK(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT8, 4));
    size_t offset = 5;
    OK(cuTexRefSetAddress(&offset, line, bytes, 8));
    IS(offset, 0);
    OK(cuTexRefGetAddress(&p, line));
    IS(p == bytes, 1);
    CUarray_format format;
    int channels;
    OK(cuTexRefGetFormat(&format, &channels, line));
    IS(format * 10 + channels, CU_AD_FORMAT_UNSIGNED_INT8 * 10 + 4);
    read(1.5f, 2.5f);
    IS(at<float>(out), 9);
    IS(at<float>(out, 1), 1);
    OK(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR));
    read(1.0f, 0.5f);
    IS(at<float>(out), 0.5);
    OK(cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP));
    read(1.125f, 0.125f);
    IS(at<float>(out), 0);
    OK(cuTexRefSetArray(image, b, CU_TRSA_OVERRIDE_FORMAT));
    read(1.125f, 0.125f);
    IS(at<float>(out), 100);
    CUaddress_mode mode;
    CUfilter_mode filter;
    unsigned flags;
    OK(cuTexRefGetAddressMode(&mode, image, 0));
    OK(cuTexRefGetFilterMode(&filter, image));
    OK(cuTexRefGetFlags(&flags, image));
    IS(mode * 100 + filter * 10 + flags, CU_TR_ADDRESS_MODE_WRAP * 100 + CU_TR_FILTER_MODE_LINEAR * 10 + CU_TRSF_NORMALIZED_COORDINATES);
    IS(cuTexRefSetAddressMode(image, 3, mode), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetFlags(image, 0x1000), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefSetFilterMode((CUtexref)&flags, filter), CUDA_ERROR_INVALID_VALUE);
    IS(cuTexRefDestroy(image), CUDA_ERROR_INVALID_VALUE);
    OK(cuParamSetTexRef(function("read"), CU_PARAM_TR_DEFAULT, image));
    IS(cuParamSetTexRef(function("read"), 0, image), CUDA_ERROR_INVALID_VALUE);
}

static void surfaces() {
    CUsurfref s;
    CUarray a = filled(0), got;
    OK(cuModuleGetSurfRef(&s, m, "screen"));
    OK(cuSurfRefSetArray(s, a, 0));
    OK(cuSurfRefGetArray(&got, s));
    IS(got == a, 1);
    int row = 2;
    void *args[] = {&row};
    OK(cuLaunchKernel(function("write"), 1, 1, 1, 4, 1, 1, 0, 0, args, 0));
    float data[4];
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY, c.srcArray = a, c.srcY = 2;
    c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = data;
    c.WidthInBytes = 16, c.Height = 1;
    OK(cuMemcpy2D(&c));
    IS(data[3], 23);
}

static void launches() {
    CUfunction f = function("sum");
    IS(cuLaunchGrid(f, 1, 1), CUDA_ERROR_INVALID_VALUE); // no block yet
    OK(cuFuncSetBlockShape(f, 8, 1, 1));
    OK(cuFuncSetSharedSize(f, 8 * sizeof(int)));
    OK(cuParamSetv(f, 0, &out, sizeof out));
    char three = 3;
    double four = 4;
    OK(cuParamSetv(f, 8, &three, 1));
    OK(cuParamSetv(f, 16, &four, 8));
    OK(cuParamSetf(f, 24, 5.0f));
    OK(cuParamSetSize(f, 20)); // too small
    IS(cuLaunchGrid(f, 3, 2), CUDA_ERROR_INVALID_VALUE);
    OK(cuParamSetSize(f, 28));
    OK(cuLaunchGrid(f, 3, 2));
    IS(at<int>(out), 7 + 12 + 3000 + 20000);
    OK(cuParamSeti(f, 24, 0)); // 0.0f
    OK(cuLaunch(f));
    IS(at<int>(out), 7 + 7 + 11000);
    CUstream s;
    OK(cuStreamCreate(&s, 0));
    OK(cuLaunchGridAsync(f, 2, 1, s));
    OK(cuStreamSynchronize(s));
    IS(at<int>(out), 7 + 7 + 12000);
    IS(cuParamSetv(f, 4095, &four, 8), CUDA_ERROR_INVALID_VALUE);
    IS(cuParamSetSize(f, 5000), CUDA_ERROR_INVALID_VALUE);
    IS(cuFuncSetBlockShape(f, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuFuncSetBlockShape((CUfunction)&s, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
}

int main(int, char **argv) {
    CUcontext c;
    OK(cuInit(0));
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuModuleLoad(&m, argv[1]));
    OK(cuMemAlloc(&out, 64));
    textures();
    surfaces();
    launches();
    OK(cuModuleUnload(m));
    return report();
}
#endif
