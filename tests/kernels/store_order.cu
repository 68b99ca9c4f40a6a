// Both sides of a branch store to the same places in different orders, to arrays that may or may not be the same.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --cpu=x86-64-v3 --simd=8 %s -o %t.v3 && %t.v3
// RUN: %also { %cucpu --disable=sink_common_stores %s -o %t.apart && %t.apart; }
#include "check.h"

enum { N = 1000 };
struct Three {
    int a, b, c;
};
#define ID int i = blockIdx.x * blockDim.x + threadIdx.x
#define SIDES                                                                                                          \
    if (v % 3 == 0) d[i] = v * 2, e[i] = v * 3, f[i] = v;                                                              \
    else if (v % 3 == 1) e[i] = v + 7, f[i] = v - 1, d[i] = v - 5;                                                     \
    else f[i] = v ^ 5, d[i] = v + 1, e[i] = v + 2

__global__ void apart(int *__restrict__ d, int *__restrict__ e, int *__restrict__ f, const int *__restrict__ in, int n) {
    ID;
    if (i >= n) return;
    int v = in[i];
    SIDES;
}
__global__ void maybe(int *d, int *e, int *f, const int *in, int n) {
    ID;
    if (i >= n) return;
    int v = in[i];
    SIDES;
}
__global__ void fields(Three *o, const int *in, int n) {
    ID;
    if (i >= n) return;
    int v = in[i];
    if (v & 1) o[i].a = v, o[i].b = v * 2, o[i].c = v * 3;
    else o[i].c = v - 3, o[i].a = v - 1, o[i].b = v - 2;
}
// the second store of one side reads what the first has written
__global__ void chained(int *d, int *e, const int *in, int n) {
    ID;
    if (i >= n) return;
    int v = in[i];
    if (v & 1) {
        d[i] = v;
        e[i] = d[i] + e[i];
    } else {
        e[i] = v * 5;
        d[i] = e[i] - 1;
    }
}

static void host(int *d, int *e, int *f, const int *in) {
    for (int i = 0; i < N; i++) {
        int v = in[i];
        SIDES;
    }
}

int main() {
    int *d, *e, *f, *in, *all[4], bad = 0;
    for (int **p : {&d, &e, &f, &in}) cudaMallocManaged(p, 2 * N * sizeof(int));
    for (int k = 0; k < 4; k++) all[k] = new int[2 * N]();
    for (int i = 0; i < 2 * N; i++) in[i] = i * 31 % 1013;
    const dim3 g(8), b(128);
    auto reset = [&] {
        for (int i = 0; i < 2 * N; i++) d[i] = e[i] = f[i] = all[0][i] = all[1][i] = all[2][i] = -1;
    };
    auto differ = [&](const char *what) {
        cudaDeviceSynchronize();
        int n = 0;
        for (int i = 0; i < 2 * N; i++) n += d[i] != all[0][i] || e[i] != all[1][i] || f[i] != all[2][i];
        if (n) printf("%s: %d bad\n", what, n);
        return n;
    };
    reset(), apart<<<g, b>>>(d, e, f, in, N), host(all[0], all[1], all[2], in), bad += differ("apart");
    reset(), maybe<<<g, b>>>(d, e, f, in, N), host(all[0], all[1], all[2], in), bad += differ("different arrays");
    reset(), maybe<<<g, b>>>(d, d, f, in, N), host(all[0], all[0], all[2], in), bad += differ("two are one");
    reset(), maybe<<<g, b>>>(d, d, d, in, N), host(all[0], all[0], all[0], in), bad += differ("one array");
    reset(), chained<<<g, b>>>(d, e, in, N);
    for (int i = 0; i < N; i++) {
        int v = in[i];
        if (v & 1) all[0][i] = v, all[1][i] = v - 1;
        else all[1][i] = v * 5, all[0][i] = v * 5 - 1;
    }
    bad += differ("chained");
    reset(), chained<<<g, b>>>(d, d, in, N);
    for (int i = 0; i < N; i++) all[0][i] = in[i] & 1 ? 2 * in[i] : in[i] * 5 - 1;
    bad += differ("chained in one array");
    Three *o;
    cudaMallocManaged(&o, N * sizeof *o);
    fields<<<g, b>>>(o, in, N), cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        int v = in[i];
        bad += v & 1 ? o[i].a != v || o[i].b != v * 2 || o[i].c != v * 3
                     : o[i].a != v - 1 || o[i].b != v - 2 || o[i].c != v - 3;
    }
    printf("%d bad\n", bad);
    return bad != 0;
}
