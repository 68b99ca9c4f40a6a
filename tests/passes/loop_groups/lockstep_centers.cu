// The nearest of k centers: groups of a row share the loads of a center, a fifth of the work.
// RUN: %cucpu -O3 -w --simd=16 --cpu=x86-64-v4 -Rcucpu -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: nearest: 8 groups run in lockstep: they share {{1[89]|2[0-9]}} percent of their work [jammed]
__global__ void nearest(const float *p, const float *c, int *label, int n, int k, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    if (i >= n) return;
    float least = 1e30f;
    for (int j = 0; j < k; j++) {
        float sum = 0;
        for (int q = 0; q < d; q++) {
            float t = p[q * n + i] - c[j * d + q];
            sum += t * t;
        }
        if (sum < least) least = sum, best = j;
    }
    label[i] = best;
}
