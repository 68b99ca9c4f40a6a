// Image, row and column from one index, in a grid-stride loop: versions for groups within a row go before those for
// divisors below the width of a group, so that results are stored as vectors.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --simd=16 -Rcucpu %s -o %t.remarks 2>&1 | FileCheck %s
// CHECK: resize{{.*}} vectorized with 16 lanes; memory: {{[0-9]+}} uniform, {{[1-9][0-9]*}} contiguous
#include <cstdio>
#include <cuda_runtime.h>
struct Size {
    int images, high, wide, new_high, new_wide;
};
__host__ __device__ inline int source(int i, Size s, int *to) {
    int in = s.high * s.wide, out = s.new_high * s.new_wide;
    int image = i / out, y = i % out / s.new_wide, x = i % s.new_wide;
    int old_y = (int)((y + 0.5f) * s.high / s.new_high), old_x = (int)((x + 0.5f) * s.wide / s.new_wide);
    *to = image * out + y * s.new_wide + x;
    return image * in + min(old_y, s.high - 1) * s.wide + min(old_x, s.wide - 1);
}
__global__ void resize(float *__restrict__ out, const float *__restrict__ in, Size s) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < s.images * s.new_high * s.new_wide; i += blockDim.x * gridDim.x) {
        int to, from = source(i, s, &to);
        out[to] = in[from];
    }
}
int main() {
    const int n = 1 << 15;
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof *in), cudaMallocManaged(&out, n * sizeof *out);
    for (int i = 0; i < n; i++) in[i] = i * 7 % 8191;
    int bad = 0;
    for (Size s : {Size{3, 20, 30, 25, 70}, Size{2, 40, 64, 20, 32}, Size{9, 5, 7, 3, 8}, Size{50, 2, 8, 2, 4}, Size{200, 3, 3, 1, 1}}) {
        for (int i = 0; i < n; i++) out[i] = -1;
        resize<<<7, 128>>>(out, in, s);
        cudaDeviceSynchronize();
        int count = s.images * s.new_high * s.new_wide;
        for (int i = 0; i < count; i++) {
            int to, from = source(i, s, &to);
            if (out[to] != in[from] && bad++ < 4) printf("%d x %d: %d: %g, not %g\n", s.new_wide, s.new_high, i, out[to], in[from]);
        }
        if (out[count] != -1) bad++, puts("past the end");
    }
    puts(bad ? "failed" : "passed");
    return bad != 0;
}
