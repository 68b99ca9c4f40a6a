// Branches on uniform and varying conditions joined in every way (split_conditions): which side a thread takes, and what
// it leaves, is what the host finds for each thread alone, for all values of two uniform flags, with all lanes
// active, under a mask, and in a loop that lanes leave one by one.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --simd=16 --disable=trial -c -Rcucpu %s -o %t.o 2>&1 | FileCheck %s
// CHECK: {{[1-9][0-9]*}} conditions are split into a uniform test
#include <cstdio>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 160;

BOTH unsigned costly(unsigned x) {
    for (int i = 0; i < 5; i++) x = (x * 1103515245u + 12345) % 65537, x /= (x & 7) + 1;
    return x;
}
// u, v: flags of the grid; x, y: conditions of the thread
#define FORMS(F)                                                                                                       \
    F(0, u && x) F(1, x || u) F(2, x && u && y) F(3, (u || x) && (v || y)) F(4, u ? x : y) F(5, x ? u : v)             \
    F(6, !(u && x) && y) F(7, (x | u) & y)

template <int FORM> BOTH bool joined(bool u, bool v, bool x, bool y) {
#define CASE(n, e)                                                                                                     \
    if (FORM == n) return e;
    FORMS(CASE)
    return false;
}

struct State {
    unsigned a, b, n;
};
template <int FORM> BOTH void step(State &s, const int *data, int t, int i, int u, int v, int mode) {
    int d = data[(t + i * 5) % N];
    bool x = d & 1, y = d & 2;
    if (mode == 1 && d % 3 == 0) return; /* under a mask */
    if (joined<FORM>(u > 0, v > 0, x, y)) s.a = costly(s.a + d), s.n++;
    else s.b += s.a ^ d;
    for (int k = 0; mode == 2 && k < 6 && joined<FORM>(u > k, v > 2 * k, (d >> k) & 1, k < (d & 7)); k++)
        s.b = s.b * 3 + costly(k), s.n += 16; /* lanes leave it by either condition */
}

template <int FORM> __global__ void kernel(State *out, const int *data, int u, int v, int mode, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    State s = {(unsigned)t, 1, 0};
    for (int i = 0; i < 3; i++) step<FORM>(s, data, t, i, u, v, mode);
    out[t] = s;
}

template <int FORM> int check(State *out, const int *data) {
    int wrong = 0;
    for (int flags = 0; flags < 4; flags++)
        for (int mode = 0; mode < 3; mode++) {
            int u = flags & 1 ? 4 : 0, v = flags & 2 ? 5 : 0;
            kernel<FORM><<<3, 64>>>(out, data, u, v, mode, N);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int t = 0; t < N; t++) {
                State s = {(unsigned)t, 1, 0};
                for (int i = 0; i < 3; i++) step<FORM>(s, data, t, i, u, v, mode);
                wrong += s.a != out[t].a || s.b != out[t].b || s.n != out[t].n;
            }
        }
    if (wrong) printf("form %d: %d wrong\n", FORM, wrong);
    return wrong;
}

int main() {
    State *out;
    int *data, wrong = 0;
    cudaMallocManaged(&out, N * sizeof *out);
    cudaMallocManaged(&data, N * sizeof *data);
    unsigned r = 1;
    for (int i = 0; i < N; i++) data[i] = (int)((r = r * 1664525u + 1013904223u) >> 20);
#define CHECK(n, e) wrong += check<n>(out, data);
    FORMS(CHECK)
    printf("%s\n", wrong ? "FAILED" : "ok");
    return wrong != 0;
}
