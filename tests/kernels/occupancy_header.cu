// cuda_occupancy.h computes from numbers what the runtime says of a kernel; what libraries look for in the headers: the
// include guard of host_defines.h, cudaDeviceSynchronize under its other name.
// RUN: %cucpu %s -o %t && %t
#include <cstdio>
#include <cuda_occupancy.h>
#ifndef __HOST_DEFINES_H__
#error "host_defines.h has CUDA's include guard"
#endif
__global__ void small(int *p) { p[threadIdx.x] = 1; }
__global__ void large(int *p) {
    __shared__ int s[10000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}
__host__ __device__ cudaError_t wait() {
#ifdef __CUDA_ARCH__
    return cudaErrorInvalidConfiguration;
#else
    return __cudaDeviceSynchronizeDeprecationAvoidance();
#endif
}
static int differs(const void *kernel, int block, size_t dynamic) {
    cudaDeviceProp prop;
    cudaFuncAttributes attributes;
    cudaGetDeviceProperties(&prop, 0);
    cudaFuncGetAttributes(&attributes, kernel);
    cudaOccDeviceProp p = prop;
    cudaOccFuncAttributes a = attributes;
    cudaOccDeviceState state;
    cudaOccResult r;
    a.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT;
    int want = -1;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &state, block, dynamic)) return 1;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&want, kernel, block, dynamic);
    if (r.activeBlocksPerMultiprocessor == want) return 0;
    printf("%d threads, %zu bytes: %d, not %d\n", block, dynamic, r.activeBlocksPerMultiprocessor, want);
    return 1;
}
int main() {
    int bad = 0;
    for (int block : {1, 32, 33, 96, 128, 200, 256, 512, 1000, 1024})
        for (size_t dynamic : {0, 100, 4096, 20000, 48 * 1024, 49 * 1024})
            bad += differs((const void *)small, block, dynamic) + differs((const void *)large, block, dynamic);
    cudaOccResult r;
    bad += cudaOccMaxActiveBlocksPerMultiprocessor(&r, nullptr, nullptr, nullptr, 32, 0) != CUDA_OCC_ERROR_INVALID_INPUT;
    return bad || wait() || cudaGetLastError();
}
