// bar.sync and barrier.sync as inline PTX: of the whole block by any number, and with a number of threads.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cuda_runtime.h>

// The halves of a block wait for themselves, a different number of times.
__global__ void halves(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, part = t / 64, i = t % 64;
    s[t] = t;
    asm volatile("bar.sync 0;" ::: "memory");
    if (part == 0) {
        for (int k = 0; k < 3; k++) {
            int v = s[(i + 1) % 64];
            asm volatile("bar.sync 1, 64;" ::: "memory");
            s[i] = v;
            asm volatile("barrier.sync %0, %1;" ::"r"(1), "r"(64) : "memory");
        }
    } else {
        int v = s[64 + (i + 5) % 64];
        asm volatile("bar.sync %0, %1;" ::"r"(2), "r"(64) : "memory");
        s[t] = v;
    }
    asm volatile("bar.sync 7;" ::: "memory");
    out[t] = s[127 - t];
}

int main() {
    int *out, failures = 0;
    cudaMallocManaged(&out, 128 * sizeof(int));
    halves<<<2, 128>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) failures++;
    for (int t = 0; t < 128; t++) {
        int u = 127 - t, expected = u < 64 ? (u + 3) % 64 : 64 + (u - 64 + 5) % 64;
        if (out[t] != expected && failures++ < 10) printf("[%d]: %d, expected %d\n", t, out[t], expected);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
