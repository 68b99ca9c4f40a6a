// A divergent loop with an exit that no thread takes, and branches behind that exit: the block behind it may run without
// any lane, and what it decides must not matter.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cuda_runtime.h>

__global__ void never(int *out) {
    int a[8], tries = 4, last = 1, kept = 0, i;
    for (int k = 0; k < 8; k++) a[k] = 3 * k + 1;
    while (i = threadIdx.y * blockDim.x + threadIdx.x, i == 1 && --tries > 0) {
        kept = last;
        if (threadIdx.z < 32u) continue; /* always */
        int rounds = threadIdx.x & 7;
        for (int k = 0; k < rounds; k++) last = 0;
        a[a[0] & 7] = kept;
    }
    __syncthreads();
    out[i] = tries + a[1];
}
/* The flag is the same for all that leave by the first exit; at times nobody does. */
__global__ void seldom(const int *in, int *out, int n, int limit) {
    int i = threadIdx.y * blockDim.x + threadIdx.x, k = 0, r = 0;
    for (;;) {
        int flag = limit * 3 + k;
        if (in[i] == k) {
            if (flag & 1) r = 100 + flag;
            else
                for (int j = 0; j < flag; j++) r += in[j % n];
            break;
        }
        if (++k > limit + i % 3) { r = -k; break; }
    }
    out[i] = r;
}

int main() {
    const int n = 80;
    int *in, *out;
    cudaMallocManaged(&in, n * 4), cudaMallocManaged(&out, n * 4);
    never<<<1, dim3(40, 2)>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (out[i] != (i == 1 ? 4 : 8)) return printf("never %d: %d\n", i, out[i]), 1;
    for (int limit : {0, 1, 4, 9})
        for (int most : {1000, 7, 3}) {
            for (int i = 0; i < n; i++) in[i] = i * 37 % most + (most == 1000) * 20;
            seldom<<<1, dim3(40, 2)>>>(in, out, n, limit);
            cudaDeviceSynchronize();
            for (int i = 0; i < n; i++) {
                int k = in[i] <= limit + i % 3 ? in[i] : limit + i % 3 + 1, flag = limit * 3 + k, r = 0;
                if (in[i] > limit + i % 3) r = -k;
                else if (flag & 1) r = 100 + flag;
                else
                    for (int j = 0; j < flag; j++) r += in[j % n];
                if (out[i] != r) return printf("seldom %d %d, %d: %d, not %d\n", limit, most, i, out[i], r), 1;
            }
        }
    printf("ok\n");
}
