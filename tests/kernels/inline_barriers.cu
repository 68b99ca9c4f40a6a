// bar.sync and barrier.sync as inline PTX: of the whole block by any number, and with a number of threads; bar.red with one.
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

// The first two warps ask each other, again and again; the others have nothing to do with it.
__global__ void asked(int *out) {
    int t = threadIdx.x, sum = 0;
    if (t < 64)
        for (int k = 1; k < 4; k++) {
            unsigned n, all, some;
            asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %3, 0;\n\t"
                         "bar.red.popc.u32 %0, 1, 64, p; bar.red.and.pred q, 2, 64, p; selp.u32 %1, 1, 0, q;\n\t"
                         "barrier.cta.red.or.aligned.pred q, %4, %5, !p; selp.u32 %2, 1, 0, q; }"
                         : "=r"(n), "=r"(all), "=r"(some)
                         : "r"(t % k), "r"(3), "r"(64));
            sum = sum * 1000 + int(n * 4 + all * 2 + some);
        }
    out[t] = sum;
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
    asked<<<1, 128>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) failures++;
    for (int t = 0; t < 128; t++) {
        int expected = t < 64 ? (1 * 1000 + 32 * 4 + 1) * 1000 + 42 * 4 + 1 : 0;
        if (out[t] != expected && failures++ < 10) printf("asked [%d]: %d, expected %d\n", t, out[t], expected);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
