// What is loaded under a condition and then overwritten: by a store, by an atomic operation, by a compare-and-swap loop, in a
// loop, in shared memory; used behind the condition. The load must not move behind the write (LLVM moves masked loads).
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cuda_runtime.h>

__device__ int replace_byte(unsigned *p, unsigned x) {
    unsigned old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, (assumed & ~0xff00u) | ((assumed + x * 256) & 0xff00u));
    } while (old != assumed);
    return (int)assumed;
}
template <int HOW> __global__ void exchange(int *a, int *out, const int *when, int *sum) {
    __shared__ int s[96];
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = -1, w = -2;
    s[threadIdx.x] = a[i] + 5;
    if (HOW == 5) { /* everybody, if the row is whole */
        v = a[i];
        a[i] = 0;
        atomicAdd(sum, v);
    } else if (when[i]) {
        v = a[i], w = a[i] * 3 + 1;
        if (HOW == 0) a[i] = i;
        if (HOW == 1) atomicExch(&a[i], i);
        if (HOW == 2) replace_byte((unsigned *)&a[i], 7);
        if (HOW == 3) for (int k = 0; k < when[i]; k++) v = a[i], a[i] = v + k;
        if (HOW == 4) v = s[threadIdx.x], s[threadIdx.x] = v + 9;
    }
    out[2 * i] = v, out[2 * i + 1] = w + (HOW == 4 ? s[threadIdx.x] : 0);
}
static int failures;
template <int HOW> static void test(int threads) {
    int n = 3 * threads, *a, *out, *when, *sum, total = 0;
    cudaMallocManaged(&a, n * 4), cudaMallocManaged(&out, n * 8), cudaMallocManaged(&when, n * 4), cudaMallocManaged(&sum, 4);
    for (int i = 0; i < n; i++) a[i] = 1000 + i * 7, when[i] = i % 3, total += a[i];
    *sum = 0;
    exchange<HOW><<<3, threads>>>(a, out, when, sum);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        int was = 1000 + i * 7, v = -1, w = -2, now = was, local = was + 5;
        if (HOW == 5) v = was, now = 0;
        else if (when[i]) {
            v = was, w = was * 3 + 1;
            if (HOW < 2) now = i;
            if (HOW == 2) now = (was & ~0xff00) | ((was + 7 * 256) & 0xff00);
            if (HOW == 3) for (int k = 0; k < when[i]; k++) v = now, now = v + k;
            if (HOW == 4) v = local, local = v + 9;
        }
        if (HOW == 4) w += local;
        if ((out[2 * i] != v || out[2 * i + 1] != w || a[i] != now) && failures++ < 10)
            printf("%d, %d threads, [%d]: %d %d %d, not %d %d %d\n", HOW, threads, i, out[2 * i], out[2 * i + 1], a[i], v, w, now);
    }
    if (HOW == 5 && *sum != total && failures++ < 10) printf("sum %d, not %d\n", *sum, total);
}
int main() {
    for (int threads : {1, 13, 64, 96}) test<0>(threads), test<1>(threads), test<2>(threads), test<3>(threads), test<4>(threads), test<5>(threads);
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
