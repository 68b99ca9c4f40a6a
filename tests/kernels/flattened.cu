// Nested loops in which few lanes run the inner one: flattened while the program runs, with the results of the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -G
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %cucpu --simd=16 -Rcucpu %s -o %t.remarks 2>&1 | FileCheck %s
// RUN: %also { %cucpu --disable=flatten_loops %s -o %t.off && %run %t.off; }
// CHECK-DAG: early{{.*}} [flattened]
// CHECK-DAG: trips{{.*}} [flattened]
// CHECK-DAG: leaves{{.*}} [flattened]
// CHECK-DAG: deep{{.*}} [flattened]
// CHECK-DAG: two{{.*}} [flattened]
// CHECK-DAG: stores{{.*}} [flattened]
#include <cstdio>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 200;
struct Result {
    float x;
    int s;
};
BOTH float work(float x) {
    for (int i = 0; i < 8; i++) x = x * 2 + 1, x = (float)((int)x & 511); /* exact */
    return x;
}
/* The inner loop has the same number of iterations in all lanes that run it. */
struct early {
    static BOTH Result run(const int *a, int *, int t, int k, int n) {
        Result r = {(float)t, 0};
        for (int i = 0; i < n; i++) {
            bool skip = ((t + i * 7) & 31) < k;
            r.x += 1;
            for (int j = 0; j < 9 && !skip; j++) r.x = work(r.x), r.s++;
            r.x += r.s;
        }
        return r;
    }
};
/* By data; values of the outer loop are used in the inner one and after it, some are swapped. */
struct trips {
    static BOTH Result run(const int *a, int *, int t, int k, int n) {
        Result r = {1, 0};
        int p = t, q = k;
        long long wide = 1;
        for (int i = 0; i < n; i++) {
            int m = ((t + i * 7) & 31) < k ? 0 : a[(t * 3 + i) % N], h = p;
            p = q, q = h + i;
            for (int j = 0; j < m; j++) {
                r.x = work(r.x + (h & 7));
                wide = wide * 3 + j;
                r.s += m - j;
            }
            if (m & 1) r.s ^= h;
        }
        r.s += p * 1000 + q + (int)(wide % 1000003);
        return r;
    }
};
/* Out of both loops, out of the inner one by two ways; the number of items varies. */
struct leaves {
    static BOTH Result run(const int *a, int *, int t, int k, int n) {
        Result r = {0, 0};
        int i, j = 0;
        for (i = 0; i < n + t % 3; i++) {
            if (((t + i * 5) & 31) < k) continue;
            for (j = 0; j < a[(t + i) % N]; j++) {
                r.x = work(r.x + j);
                if (r.x > 480) break;
                if (r.s == 17 + t % 5) goto end;
                r.s++;
            }
            r.s += j;
        }
        r.s = -r.s;
    end:
        r.s = r.s * 100 + i * 10 + j;
        return r;
    }
};
struct deep {
    static BOTH Result run(const int *a, int *, int t, int k, int n) {
        Result r = {(float)k, 0};
        for (int i = 0; i < n; i++) {
            if (((t + i * 7) & 31) < k) continue;
            for (int j = 0; j < 5 + (n & 1); j++) {
                for (int l = 0; l < n; l++) r.x = work(r.x) + (l ^ t);
                r.s += j;
            }
        }
        return r;
    }
};
struct two {
    static BOTH Result run(const int *a, int *, int t, int k, int n) {
        Result r = {3, 1};
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 3; j++) r.s += i * j;
            int m = ((t + i * 7) & 31) < k ? 0 : 6;
            for (int j = 0; j < m; j++) r.x = work(r.x) + j;
            if (m) r.s = r.s * 5 % 1009;
        }
        return r;
    }
};
struct stores {
    static BOTH Result run(const int *a, int *out, int t, int k, int n) {
        Result r = {2, 0};
        for (int i = 0; i < n; i++) {
            int m = ((t + i * 7) & 31) < k ? 0 : 4 + (t & 3);
            for (int j = 0; j < m; j++) {
                r.x = work(work(work(r.x)));
                out[(i % 8) * 100 + t] += (int)r.x + j;
            }
            r.s += m;
        }
        return r;
    }
};
template <class F> __global__ void kernel(Result *r, const int *a, int *out, int k, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m) r[t] = F::run(a, out, t, k, n);
}
template <class F> int wrong(const char *name, Result *r, const int *a, int *out) {
    static int want[800];
    int bad = 0;
    for (int k : {0, 16, 29, 31, 32})
        for (int n : {0, 1, 2, 40})
            for (int m : {96, 70}) {
                for (int i = 0; i < 800; i++) out[i] = want[i] = i;
                kernel<F><<<3, 32>>>(r, a, out, k, n, m);
                cudaDeviceSynchronize();
                for (int t = 0; t < m; t++) {
                    Result w = F::run(a, want, t, k, n);
                    bool same = r[t].s == w.s && r[t].x == w.x;
                    if (!same && bad++ < 4) printf("%s: k %d n %d t %d: %g %d, not %g %d\n", name, k, n, t, r[t].x, r[t].s, w.x, w.s);
                }
                for (int i = 0; i < 800; i++)
                    if (out[i] != want[i] && bad++ < 4) printf("%s: k %d n %d: out %d is %d, not %d\n", name, k, n, i, out[i], want[i]);
            }
    return bad;
}
int main() {
    Result *r;
    int *a, *out;
    cudaMallocManaged(&r, N * sizeof *r), cudaMallocManaged(&a, N * sizeof *a), cudaMallocManaged(&out, 800 * sizeof *out);
    for (int i = 0; i < N; i++) a[i] = i * 37 % 23 % 9;
    int bad = wrong<early>("early", r, a, out) + wrong<trips>("trips", r, a, out) + wrong<leaves>("leaves", r, a, out) +
              wrong<deep>("deep", r, a, out) + wrong<two>("two", r, a, out) + wrong<stores>("stores", r, a, out);
    puts(bad ? "failed" : "passed");
    return bad != 0;
}
