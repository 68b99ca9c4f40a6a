// How many lanes and rows of threads run at once (the brush): stencils take rows before lanes; a product of matrices in blocks of 16
// x 16 takes rows, as its blocks, which have a loop, are no long row.
// REQUIRES: run
// RUN: %cucpu -Rcucpu --cpu=znver4 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cucpu -Rcucpu --cpu=znver4 --disable=access_groups -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %cucpu %s -o %t && %run %t
#include "check.h"

// CHECK: nine{{.*}}: vectorized with 8 lanes;
// CHECK: nine{{.*}}: 4 rows of threads run in lockstep: of 9 loads, 50 percent
// OFF: nine{{.*}}: vectorized with {{16|32|64}} lanes
__global__ void nine(double *__restrict__ o, const double *__restrict__ a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += a[(y + i) * (n + 2) + x + j];
    o[y * n + x] = sum;
}
// CHECK: product{{.*}}: 8 rows of threads run in lockstep: they share {{[0-9]+}} percent of their work
// OFF: product{{.*}}: 8 rows of threads run in lockstep
__global__ void product(float *__restrict__ o, const float *__restrict__ a, const float *__restrict__ b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    o[y * n + x] = sum;
}

int main() {
    enum { N = 64 };
    double *o, *a;
    float *p, *q;
    int bad = 0;
    cudaMallocManaged(&o, N * N * sizeof *o), cudaMallocManaged(&a, (N + 2) * (N + 2) * sizeof *a);
    cudaMallocManaged(&p, N * N * sizeof *p), cudaMallocManaged(&q, N * N * sizeof *q);
    for (int i = 0; i < (N + 2) * (N + 2); i++) a[i] = i * 7 % 101;
    for (int i = 0; i < N * N; i++) q[i] = i % 5;
    nine<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(o, a, N), product<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(p, q, q, N);
    cudaDeviceSynchronize();
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double s = 0, t = 0;
            for (int i = 0; i < 9; i++) s += a[(y + i / 3) * (N + 2) + x + i % 3];
            for (int k = 0; k < N; k++) t += q[y * N + k] * q[k * N + x];
            bad += o[y * N + x] != s || p[y * N + x] != t;
        }
    printf("%d bad\n", bad);
    return bad != 0;
}
