// A flattened index of planes, rows and columns, whose sizes are themselves quotients: their guards against 0 and -1 are
// tests that LLVM rewrites (W / 2 == 0 as W + 1 < 3), but divisors stay uniform.  One version for columns and rows, one
// in it for planes.
// REQUIRES: run
// RUN: %cucpu -O3 --simd=8 --cpu=x86-64-v3 --dump-after=version_uniform_quotient %s -o %t 2>&1 | FileCheck %s
// RUN: %run %t
// RUN: %also { %cucpu -O3 --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -G %s -o %t.g && %run %t.g; }
// CHECK: @_Z7maxpoolPKfPfiii.w8.rows_full(
// CHECK: %quotient = udiv i32
// CHECK: br i1 %same, label %row,
// CHECK: row:
// CHECK: %quotient[[N:[0-9]+]] = udiv i32
// CHECK: br i1 %same{{[0-9]*}}, label %row{{[0-9]*}},
#include <cstdio>
#include <vector>
__global__ void maxpool(const float *in, float *out, int planes, int height, int width) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, h = height / 2, w = width / 2;
    if (t >= planes * h * w) return;
    const float *p = in + (t / (w * h) * height + t / w % h * 2) * width + t % w * 2;
    out[t] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}
int main() {
    const int sizes[][3] = {{3, 10, 14}, {2, 8, 64}, {5, 2, 2}, {1, 6, 34}, {2, 3, 7}};
    for (auto &s : sizes) {
        int all = s[0] * s[1] * s[2], n = s[0] * (s[1] / 2) * (s[2] / 2);
        float *in, *out;
        cudaMallocManaged(&in, all * sizeof *in);
        cudaMallocManaged(&out, n * sizeof *out);
        for (int i = 0; i < all; i++) in[i] = i * 7919 % 1009;
        maxpool<<<(n + 127) / 128, 128>>>(in, out, s[0], s[1], s[2]);
        if (cudaDeviceSynchronize()) return 2;
        for (int c = 0, t = 0; c < s[0]; c++)
            for (int y = 0; y < s[1] / 2; y++)
                for (int x = 0; x < s[2] / 2; x++, t++) {
                    const float *p = in + (c * s[1] + 2 * y) * s[2] + 2 * x;
                    if (out[t] != fmaxf(fmaxf(p[0], p[1]), fmaxf(p[s[2]], p[s[2] + 1]))) return printf("wrong at %d\n", t), 1;
                }
        cudaFree(in), cudaFree(out);
    }
}
