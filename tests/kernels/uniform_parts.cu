// Uniform parts of conditions, selects between strides by a uniform condition, and loops that lanes leave one by one and together: the same
// results as on the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -G
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %also { %cucpu --disable=split_conditions,branch_on_selects %s -o %t.off && %run %t.off; }
#include <cstdio>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 100;
BOTH int joined(const int *a, int t, int u, int w) {
    int r = a[t];
    if (r > 3 && u) r = r * 7 % 11 + a[(t * 5 + w) % N];
    if (r < 0 || w > 2) r += a[(r & 63) + 7];
    if ((r > 5 && u > 1) || w == 3) r -= a[(t * 3 + u) % N];
    return r;
}
BOTH int strides(const int *a, int t, int u, int w) {
    int i = u ? t : t * w % N, j = u > 1 ? N - 1 - t : 2 * t % N, s = 0;
    for (int k = 0; k < w; k++) s = s * 3 + a[(u & 1) ? (k * 7 + t) % N : t / 2 + k];
    return a[i] + 2 * a[j] + 3 * a[u == 3 ? t : t / 2] + s;
}
/* Left one by one, all together in the middle, and by the bound; each with other results. */
BOTH int exits(const int *a, int t, int u, int n) {
    int s = 0, k, how = 0;
    for (k = 0; k < n; k++) {
        s += a[k];
        if (s > 4 * a[t]) {
            s = s * 2 + k;
            goto found;
        }
        if (a[k] == u) {
            how = 3;
            s -= k;
            break;
        }
        if ((s ^ t) % 13 == 5 && k > u) break;
    }
    s += 100 + k;
found:
    return s * 5 + k + how;
}
BOTH int nested(const int *a, int t, int u, int n) {
    int s = 0, i, j = 0;
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) {
            s += a[(t + i + j) % N];
            if (s % 17 == t % 17) goto out;
            if (a[j] == u && i) goto all;
            if (s > 60 && u < i) break;
        }
    s = -s;
all:
    s += 1000;
out:
    return s * 100 + i * 10 + j;
}
template <int F> BOTH int result(const int *a, int t, int u, int n) {
    return F == 0 ? joined(a, t, u, n) : F == 1 ? strides(a, t, u, n) : F == 2 ? exits(a, t, u, n) : nested(a, t, u, n);
}
template <int F> __global__ void kernel(int *out, const int *a, int u, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m) out[t] = result<F>(a, t, u, n);
}
template <int F> int wrong(int *out, const int *a) {
    int bad = 0;
    for (int u = 0; u < 5; u++)
        for (int n = 0; n < 9; n += n < 4 ? 1 : 3)
            for (int m : {96, 77}) {
                kernel<F><<<3, 32>>>(out, a, u, n, m);
                cudaDeviceSynchronize();
                for (int t = 0; t < m; t++) {
                    int want = result<F>(a, t, u, n);
                    if (out[t] != want && bad++ < 4) printf("%d: u %d n %d t %d: %d, not %d\n", F, u, n, t, out[t], want);
                }
            }
    return bad;
}
int main() {
    int *out, *a;
    cudaMallocManaged(&out, N * sizeof *out), cudaMallocManaged(&a, N * sizeof *a);
    for (int i = 0; i < N; i++) a[i] = i * 37 % 23 % 9;
    int bad = wrong<0>(out, a) + wrong<1>(out, a) + wrong<2>(out, a) + wrong<3>(out, a);
    puts(bad ? "failed" : "passed");
    return bad != 0;
}
