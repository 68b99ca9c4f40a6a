// A kernel in the default stream that waits for a flag which the host sets behind the launch, and one that answers each of its steps.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: env CUCPU_NUM_THREADS=1 timeout 60 %run %t && env CUCPU_LAUNCH=async timeout 60 %run %t
#include <cstdio>

__global__ void wait(volatile int *flag, int *out) {
    if (threadIdx.x == 0)
        while (!*flag) {}
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *flag;
}
__global__ void answer(int *asked, int *told, int n) {
    for (int i = 1; i <= n; i++) {
        while (atomicAdd_system(asked, 0) < i) {}
        __threadfence_system();
        atomicExch_system(told, i * i);
    }
}

int main() {
    int *flag, *out, *asked, *told;
    cudaMallocManaged(&flag, 4), cudaMallocManaged(&out, 4 * 128 * 4), cudaMallocManaged(&asked, 4), cudaMallocManaged(&told, 4);
    *flag = *asked = *told = 0;
    wait<<<4, 128>>>(flag, out);
    __atomic_store_n(flag, 7, __ATOMIC_RELEASE);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < 4 * 128; i++)
        if (out[i] != 7) return 2;
    answer<<<1, 1>>>(asked, told, 100);
    for (int i = 1; i <= 100; i++) {
        __atomic_store_n(asked, i, __ATOMIC_RELEASE);
        while (__atomic_load_n(told, __ATOMIC_ACQUIRE) != i * i) {}
    }
    int last = 0; /* a copy waits for the kernel in front of it */
    if (cudaMemcpy(&last, told, 4, cudaMemcpyDefault) != cudaSuccess || last != 10000) return 3;
    puts("ok");
}
