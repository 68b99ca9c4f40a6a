// The four warps of a group meet at wgmma.fence and wgmma.commit_group: programs load matrices in parts, and write to their
// buffers again, without other barriers. Two groups in a block, which know nothing of each other.
// REQUIRES: run
// RUN: %cucpu -arch=sm_90a --simd=16 %s -o %t && %run %t
// RUN: %also { %cucpu -arch=sm_90a --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -arch=sm_90a --simd=32 %s -o %t.32 && %run %t.32; }
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

enum { GROUPS = 2, STEPS = 7, STAGES = 2, M = 64, N = 8, K = 16, LINES = M + N };

static __host__ __device__ int element(int group, int step, int line, int k) {
    return int((line * 7u + k * 5u + step * 11u + group * 3u) * 2654435761u >> 29) - 3;
}

/* Cores of 8 lines and 8 columns: a's two for 8 lines side by side, then b's. */
static __device__ uint64_t matrix(const __half *at) {
    return (uint64_t)__cvta_generic_to_shared(at) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

/* Groups make different numbers of steps. */
__global__ void multiply(float *out) {
    __shared__ __align__(128) __half box[GROUPS][STAGES][LINES * K];
    int group = threadIdx.x / 128, t = threadIdx.x % 128;
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int step = 0; step < STEPS + group; step++) {
        __half *stage = box[group][step % STAGES];
        for (int i = t; i < LINES * K; i += 128) /* each warp loads a part of everything, in an order of its own */
            stage[i] = __half(element(group, step, i / 128 * 8 + i / 8 % 8, i / 64 % 2 * 8 + i % 8));
        uint64_t a = matrix(stage), b = matrix(stage + M * K);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "l"(a), "l"(b));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (int i = t; i < LINES * K; i += 128) stage[i] = __half(1000); /* nobody reads it any more */
    }
    float *d = out + (group * M + t / 32 * 16 + t % 32 / 4) * N + t % 4 * 2;
    d[0] = d0, d[1] = d1, d[8 * N] = d2, d[8 * N + 1] = d3;
}

int main() {
#if !defined(__CUDA_ARCH__) && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "a macro of the device half"
#endif
    float *out;
    cudaMallocManaged(&out, GROUPS * M * N * sizeof *out);
    multiply<<<1, 128 * GROUPS>>>(out);
    if (cudaDeviceSynchronize()) return printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    int bad = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                int sum = 0;
                for (int s = 0; s < STEPS + g; s++)
                    for (int k = 0; k < K; k++) sum += element(g, s, m, k) * element(g, s, M + n, k);
                float got = out[(g * M + m) * N + n];
                if (got != sum && !bad++) printf("group %d, row %d, column %d: %g instead of %d\n", g, m, n, got, sum);
            }
    printf("%d wrong\n", bad);
    return bad != 0;
}
