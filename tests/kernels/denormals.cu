// -ftz=true flushes denormal floats to zero, as operands and as results; never doubles, never on the host.
// REQUIRES: run
// RUN: %cucpu -DFTZ=0 %s -o %t && %run %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -DFTZ=1 -ftz=true
// RUN: %cucpu -DFTZ=1 -use_fast_math %s -o %t.f && %run %t.f
// RUN: %cucpu -DFTZ=1 -ftz=true -rdc=true %s -o %t.r && %run %t.r
// RUN: %cucpu -DFTZ=1 -ftz=true -dc %s -o %t.1.o && %cucpu -DOTHER -dc %s -o %t.2.o && %cucpu %t.1.o %t.2.o -o %t.b && %run %t.b
// RUN: %cucpu -DFTZ=0 -use_fast_math -ftz=false %s -o %t.n && %run %t.n
// RUN: %cucpu -DFTZ=1 -ftz=true -Rcucpu -c --stop-after=kernel_table %s -o %t.o 2>&1 | FileCheck %s
// CHECK: denormals.cu:[[@LINE+19]]:{{.*}}: denormal floats are not flushed to zero in a kernel that computes in double
#ifdef OTHER
__global__ void other(float *v) { v[0] = erfcxf(v[1]); }
#else
#include "check.h"
#include <cmath>

__device__ float product(const float *v, int i) { return v[i] * v[i + 1]; }

__global__ void floats(const float *v, float *out) {
    int i = threadIdx.x;
    float x = v[2 * i], y = v[2 * i + 1];
    out[5 * i] = product(v, 2 * i);
    out[5 * i + 1] = x + 0.0f;
    out[5 * i + 2] = x > 0.0f;
    out[5 * i + 3] = fmaf(x, y, -x * 0.5f);
    out[5 * i + 4] = x / y;
}

__device__ double twice(double x) { return x * 2; }

__global__ void doubles(const float *v, double *out) {
    out[threadIdx.x] = twice(5e-324);
    out[threadIdx.x + 1] = v[0];
}

// A function of the device library, which is made without flushing.
__global__ void library(float *v) { v[threadIdx.x] = cospif(v[threadIdx.x]); }

__global__ void faulty(float *v) {
    v[0] = v[1] * 0.5f;
    __trap();
}

static bool host_keeps() {
    volatile float x = 1e-40f;
    x = x * 1.0f;
    return x != 0;
}

static void values() {
    const float tiny[4] = {1e-40f, -1e-40f, 1e-38f, -1.17549435e-38f};
    std::vector<float> v(64);
    for (int i = 0; i < 32; i++) v[2 * i] = tiny[i % 4], v[2 * i + 1] = i < 16 ? 1.0f : 0.25f;
    Buffer<float> in(v), out(160);
    floats<<<1, 32>>>(in, out);
    auto got = out.get();
    for (int i = 0; i < 32; i++) {
        auto flush = [](float x) { return FTZ && std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x; };
        float x = flush(v[2 * i]), y = v[2 * i + 1], half = flush(x * 0.5f);
        float expected[5] = {flush(x * y), flush(x + 0.0f), float(x > 0), flush(std::fma(x, y, -half)), flush(x / y)};
        for (int k = 0; k < 5; k++) CHECK(got[5 * i + k] == expected[k]);
    }
    CHECK(host_keeps());
    library<<<1, 64>>>(in);
    CHECK(in.get()[0] == 1.0f);
    Buffer<double> d(2);
    doubles<<<1, 1>>>(in, d);
    CHECK(d.get()[0] == 1e-323);
    CHECK(host_keeps());
}

int main() {
    float *v;
    values();
    CUDA(cudaMalloc(&v, 8));
    faulty<<<1, 1>>>(v);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    CHECK(host_keeps());
    cudaDeviceReset();
    return finish();
}
#endif
