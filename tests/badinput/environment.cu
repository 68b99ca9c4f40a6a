// Settings that a machine cannot meet, and CUDA's own variable for launches that wait.
// REQUIRES: run
// RUN: %cucpu %s -o %t
// RUN: env CUCPU_NUM_THREADS=1000000 %run %t 2>&1 | FileCheck --check-prefix=MANY %s
// MANY: cucpu: CUCPU_NUM_THREADS=1000000 is too much for this machine; using {{[0-9]+}}
// MANY: ran 2000
// RUN: env CUDA_LAUNCH_BLOCKING=1 %run %t 2>&1 | FileCheck --check-prefix=WAITS %s
// RUN: env CUDA_LAUNCH_BLOCKING=1 CUCPU_LAUNCH=async %run %t 2>&1 | FileCheck --check-prefix=RAN %s
// WAITS: ran 2000
// WAITS: behind the launch: an illegal memory access was encountered
// RAN: ran 2000
// RAN-NEXT: behind the launch: no error
#include <atomic>
#include <cstdio>
static std::atomic<bool> go(false);

__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void fault(int *p) { *p = 1; }

int main() {
    int *p;
    cudaStream_t s;
    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    count<<<20, 100>>>(p);
    cudaDeviceSynchronize();
    printf("ran %d\n", *p);
    fflush(stdout);
    cudaStreamCreate(&s);
    const char *mode = getenv("CUCPU_LAUNCH"); // a queue that is held up does not run the kernel behind it
    if (mode) cudaLaunchHostFunc(s, [](void *) { while (!go) {} }, nullptr);
    fault<<<1, 1, 0, s>>>(nullptr);
    printf("behind the launch: %s\n", cudaGetErrorString(cudaGetLastError()));
    fflush(stdout);
    go = true;
    cudaDeviceSynchronize();
}
