// Sides of a branch that end with a store to the same place: one store behind them, or two, nobody can tell.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %also { %cucpu -O2 --cpu=x86-64-v2 --disable=sink_common_stores %s -o %t.off && %t.off; }
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1000 };

struct Point {
    int x;
    short y;
    struct { int cell[2][3]; } inner[2];
};

// Every element of the outputs is what one thread alone would leave there.
__host__ __device__ void work(int i, const int *in, int *a, int *b, Point *p, volatile int *v) {
    int k = in[i];
    if (k & 1) a[i] = k * 3;
    else a[i] = k - 7;
    if (k & 2) { a[i] += 5; b[i] = k; }
    else { a[i] ^= 9; b[i] = -k; }
    switch (k & 7) {
    case 0: p[i].x = 1; break;
    case 1: p[i].x = k; p[i].y = (short)k; break;
    case 2: p[i].x = b[i]; break;
    case 5: return;
    default: p[i].x = 2; p[i].y = 3;
    }
    if (k & 16) { b[i] = a[i] + 1; a[i] = b[i] * 2; }
    else { a[i] = b[i]; b[i] = 4; }
    if (k & 32) v[i] = 1;
    else v[i] = v[i] + 2;
    for (int j = 0; j < (k & 3); j++)
        if ((k >> j) & 4) a[i] = a[i] * 3 + j;
        else a[i] = a[i] ^ (j + k);
    if (k & 64) { int j = k >> 7 & 1; p[i].inner[j].cell[k >> 8 & 1][j + 1] = k; }
    else { int j = k >> 7 & 1; p[i].inner[j].cell[k >> 8 & 1][j + 1] = -k; }
    if (i & 1) a[N + (i >> 1)] = k;
    else a[N + N / 2 + (i >> 1)] = k + 1;
}

__global__ void kernel(const int *in, int *a, int *b, Point *p, volatile int *v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) work(i, in, a, b, p, v);
}

int main() {
    int *in, *out[2][3];
    Point *p[2];
    cudaMallocManaged(&in, N * sizeof(int));
    for (int i = 0; i < N; i++) in[i] = (i * 2654435761u >> 13) - (1 << 18);
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 3; j++) cudaMallocManaged(&out[k][j], 2 * N * sizeof(int)), cudaMemset(out[k][j], j, 2 * N * sizeof(int));
        cudaMallocManaged(&p[k], N * sizeof(Point)), cudaMemset(p[k], 7, N * sizeof(Point));
    }
    kernel<<<(N + 95) / 96, 96>>>(in, out[0][0], out[0][1], p[0], out[0][2]);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) work(i, in, out[1][0], out[1][1], p[1], out[1][2]);
    int bad = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 2 * N; i++)
            if (out[0][j][i] != out[1][j][i] && bad++ < 10) printf("out[%d][%d] = %d, not %d\n", j, i, out[0][j][i], out[1][j][i]);
    for (int i = 0; i < N; i++)
        if (std::memcmp(&p[0][i], &p[1][i], sizeof(Point)) && bad++ < 10) printf("p[%d] = %d %d, not %d %d\n", i, p[0][i].x, p[0][i].y, p[1][i].x, p[1][i].y);
    return bad != 0;
}
