// Lanes leave two loops at once, some together (a bound that all of them share), some one by one; the rest leaves the inner loop by its test.
// Those that have gone must not be taken for those that go on with the outer loop.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -G
#include <cstdio>
#include <cuda_runtime.h>
__global__ void search(int rows, int n, const int *stop, unsigned q, const int *key, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i, j = 0;
    for (i = 0; i < rows; i++)
        for (j = 0; j < n; j++) {
            if (stop[i * n + j] > q) goto end;
            if (key[t] == i * n + j) goto end;
        }
end:
    out[t] = i * 100 + j;
}
int main() {
    int *stop, *key, *out, wrong = 0;
    cudaMallocManaged(&stop, 4096), cudaMallocManaged(&key, 4096), cudaMallocManaged(&out, 4096);
    for (int at = 0; at < 20; at++) {
        for (int k = 0; k < 12; k++) stop[k] = k == at ? 9 : 0;
        for (int t = 0; t < 96; t++) key[t] = t * 7 % 15;
        search<<<1, 96>>>(3, 4, stop, 5, key, out);
        cudaDeviceSynchronize();
        for (int t = 0; t < 96; t++) {
            int k = key[t] < at ? key[t] : at, want = k >= 12 ? 304 : k / 4 * 100 + k % 4;
            if (out[t] != want && wrong++ < 4) printf("%d %d: %d, not %d\n", at, t, out[t], want);
        }
    }
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
