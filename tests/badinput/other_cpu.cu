// Kernels that were compiled for a CPU with more than this one has are not run, whichever API asks.
// REQUIRES: run
// RUN: %cucpu --cpu=diamondrapids %s -o %t && %run %t 2>%t.err | FileCheck %s && FileCheck --check-prefix=ERR %s < %t.err
// CHECK: 0 failures
// ERR: cucpu: {{.*}}other_cpu.cu was compiled for a CPU that has {{.*}}egpr, which this one lacks: compile it with another --cpu
// ERR-NOT: {{.}}
// RUN: %cucpu --cpu=diamondrapids -ptx %s -o %t.ptx && %cucpu -DMODULE='"%t.ptx"' %s -o %t && %run %t 2>%t.err | FileCheck %s && FileCheck --check-prefix=ERR %s < %t.err

// RUN: %cucpu --cpu=x86-64 -DWORKS %s -o %t && %run %t | FileCheck %s
#include <cstdio>
#include <cuda.h>

__device__ int variable;
extern "C" __global__ void kernel(float *p) { p[threadIdx.x] = p[threadIdx.x] * 2 + 1; }
static int failures;

static void expect(int got, int want, const char *what) {
    if (got == want) return;
    failures++;
    std::printf("%s: %d, not %d\n", what, got, want);
}

int main() {
#ifdef MODULE
    CUmodule m;
    cudaFree(0);
    expect(cuModuleLoad(&m, MODULE), CUDA_ERROR_NO_BINARY_FOR_GPU, "module");
#else
#ifdef WORKS
    const cudaError_t wanted = cudaSuccess;
#else
    const cudaError_t wanted = cudaErrorNoKernelImageForDevice;
#endif
    float *p;
    int one = 1;
    cudaFuncAttributes a;
    cudaMallocManaged(&p, 256);
    for (int i = 0; i < 2; i++) {
        kernel<<<1, 64>>>(p);
        expect(cudaGetLastError(), wanted, "launch");
    }
    expect(cudaFuncGetAttributes(&a, kernel), wanted, "attributes");
    expect(cudaMemcpyToSymbol(variable, &one, sizeof one), wanted, "variable");
    expect(cudaDeviceSynchronize(), cudaSuccess, "synchronize");
#endif
    std::printf("%d failures\n", failures);
}
