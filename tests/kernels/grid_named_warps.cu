// Named barriers between warps that also use warp-level functions: groups are whole warps.  Blocks in
// which rows are no whole warps run at width 1.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t 2>&1 | FileCheck %s
// RUN: %cucpu --simd=1 %s -o %t && %run %t 2>&1 | FileCheck %s
// RUN: %cucpu -Rcucpu %s -o %t 2>&1 | FileCheck --check-prefix=REMARK %s
// CHECK: 0 errors
// CHECK: no error
// REMARK: specialised{{.*}}: blocks of any shape: width 1 instead of 32: some threads bypass a barrier
#include <cstdio>

// Warps 0 and 1 add up, warps 2 and 3 take the sums over.
__global__ void specialised(int *out, const int *in, int steps) {
    __shared__ int sum[2];
    int w = threadIdx.x / 32;
    if (w < 2) {
        for (int s = 0; s < steps; s++) {
            int v = in[s * 64 + threadIdx.x];
            for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
            __barrier_sync_count(1, 128);
            if (threadIdx.x % 32 == 0) sum[w] = v;
            __barrier_sync_count(2, 128);
        }
        return;
    }
    int total = 0;
    for (int s = 0; s < steps; s++) {
        __barrier_sync_count(1, 128);
        __barrier_sync_count(2, 128);
        total += (s + 1) * (sum[0] + sum[1] * 3);
        __barrier_sync_count(3, 64);
    }
    out[threadIdx.x - 64] = total;
}

int main() {
    int h[7 * 64], want = 0, errors = 0, r[64], *in, *out;
    for (int i = 0; i < 7 * 64; i++) {
        h[i] = i * i % 97;
        want += (i / 64 + 1) * h[i] * (i % 64 < 32 ? 1 : 3);
    }
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof r);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    specialised<<<5, 128>>>(out, in, 7);
    cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) errors += r[i] != want;
    std::printf("%d errors\n", errors);
    specialised<<<1, dim3(16, 8)>>>(out, in, 7); /* all are workers 0 and 1 */
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
