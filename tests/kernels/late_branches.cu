// A uniform value leaves a divergent loop, and later branches depend on it: they take that of the first active lane.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -G
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %cucpu --simd=16 -Rcucpu %s -o %t.remarks 2>&1 | FileCheck %s
// CHECK-NOT: [late-branch]
#include <cstdio>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 211;
/* Tests for primes with one, two, three bases. */
BOTH unsigned power(unsigned b, unsigned e, unsigned m) {
    unsigned long long x = 1, p = b;
    do {
        if (e & 1) x = x * p % m;
        p = p * p % m;
    } while (e >>= 1);
    return (unsigned)x;
}
BOTH int is_prime(const int *bases, int n, unsigned m) {
    unsigned d = m - 1;
    int s = 0;
    for (; d % 2 == 0; d >>= 1) s++;
    for (int i = 0; i < n; i++) {
        int r;
        unsigned a = bases[i] + 2, x;
        if (a >= m) a %= m;
        if (a == 0) continue;
        x = power(a, d, m);
        if (x == 1 || x == m - 1) continue;
        for (r = 1; r < s; r++) {
            x = (unsigned long long)x * x % m;
            if (x == 1) return 0;
            if (x == m - 1) break;
        }
        if (r == s) return 0;
    }
    return 1;
}
struct primes {
    static BOTH int run(const int *a, int t, int n) {
        int sum = 0;
        for (int i = 1; i <= n; i++) sum = sum * 2 + is_prime(a, i, 3 + 2 * t + (a[t % N] << 9));
        return sum;
    }
};
struct three {
    static BOTH int run(const int *a, int t, int) { return primes::run(a, t, 3); }
};
template <class F> __global__ void kernel(int *r, const int *a, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m) r[t] = F::run(a, t, n);
}
template <class F> int wrong(const char *name, int *r, const int *a) {
    int bad = 0;
    for (int n = 0; n < 12; n++)
        for (int m : {192, 150}) {
            kernel<F><<<3, 64>>>(r, a, n, m);
            cudaDeviceSynchronize();
            for (int t = 0; t < m; t++) {
                int want = F::run(a, t, n);
                if (r[t] != want && bad++ < 4) printf("%s: n %d t %d: %d, not %d\n", name, n, t, r[t], want);
            }
        }
    return bad;
}
int main() {
    int *r, *a;
    cudaMallocManaged(&r, 192 * sizeof *r), cudaMallocManaged(&a, N * sizeof *a);
    for (int i = 0; i < N; i++) a[i] = i * 37 % 23 % 9 + (i % 5 == 0 ? 0 : 1);
    int bad = wrong<primes>("primes", r, a) + wrong<three>("three", r, a);
    puts(bad ? "failed" : "passed");
    return bad != 0;
}
