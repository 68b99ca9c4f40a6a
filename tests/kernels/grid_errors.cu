// What cannot work with a barrier of the grid ends with an error that says why, and never hangs.
// REQUIRES: run
// RUN: %cucpu %s -o %t && not %run %t ordinary 2>&1 | FileCheck --check-prefix=ORDINARY %s
// RUN: not %run %t split 2>&1 | FileCheck --check-prefix=SPLIT %s
// RUN: %run %t unused 2>&1 | FileCheck --check-prefix=UNUSED %s
// RUN: not %run %t large 2>&1 | FileCheck --check-prefix=LARGE %s
// RUN: %cucpu --simd=1 %s -o %t.1 && not %run %t.1 split 2>&1 | FileCheck --check-prefix=SPLIT %s
// ORDINARY: kernel {{.*}}may_sync{{.*}}, block [0,0,0]: the grid is synchronised, but the launch was not a cooperative one
// ORDINARY: unspecified launch failure
// SPLIT: kernel {{.*}}split{{.*}}: barrier 0 cannot be met: nothing can go on: 64 threads have arrived, 64 wait elsewhere, 0 have returned
// SPLIT: unspecified launch failure
// UNUSED: 1 2 no error
// LARGE: too many blocks in cooperative launch
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

__global__ void may_sync(int *a, bool sync) {
    a[blockIdx.x]++;
    if (sync) cooperative_groups::this_grid().sync();
    a[blockIdx.x]++;
}

__global__ void split(int *a) {
    if (threadIdx.x < 64) __syncthreads();
    else cooperative_groups::this_grid().sync();
    a[threadIdx.x] = 1;
}

__global__ void large(int *a) {
    extern __shared__ int s[];
    s[threadIdx.x] = a[0];
    cooperative_groups::this_grid().sync();
    a[blockIdx.x] = s[threadIdx.x];
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *a, h[2] = {0, 0};
    cudaMalloc(&a, 1024);
    cudaMemset(a, 0, 1024);
    void *args[] = {&a};
    cudaError_t e = cudaSuccess;
    if (!std::strcmp(what, "ordinary")) may_sync<<<4, 32>>>(a, true);
    if (!std::strcmp(what, "unused")) may_sync<<<1, 1>>>(a, false);
    if (!std::strcmp(what, "split")) e = cudaLaunchCooperativeKernel((void *)split, 2, 128, args, 0, 0);
    if (!std::strcmp(what, "large"))
        e = cudaLaunchCooperativeKernel((void *)large, dim3(1u << 20, 1000), 1024, args, 48 << 10, 0);
    if (!e) e = cudaDeviceSynchronize();
    if (!e && !std::strcmp(what, "unused")) {
        cudaMemcpy(h, a, 8, cudaMemcpyDeviceToHost);
        std::printf("1 %d ", h[0]);
    }
    std::printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
