// A long block is several for instruction selection, and still where machine code is made of them; the result is the same.
// RUN: %cucpu -O3 --simd=8 -c --emit=asm %s -o %t.several.s
// RUN: %cucpu -O3 --simd=8 -c --emit=asm --disable=split_large_blocks %s -o %t.one.s
// RUN: sed -n "/entry:$/,/^.Lfunc_end/p" %t.several.s | grep -v "^.L\|.loc" > %t.several
// RUN: sed -n "/entry:$/,/^.Lfunc_end/p" %t.one.s | grep -v "^.L\|.loc" > %t.one
// RUN: test -s %t.one && not cmp -s %t.several %t.one
// RUN: %cucpu -O3 --simd=8 %s -o %t && %run %t | FileCheck %s
// CHECK: {{^}}ok
#include <cstdio>
__device__ __host__ unsigned mix(unsigned v, int i) { return (v ^ v >> 13) * 0x9e3779b1u + (i & 2 ? v >> 3 : ~v); }
__global__ void k(unsigned *p) {
    unsigned v = p[threadIdx.x];
#pragma unroll
    for (int i = 0; i < 400; i++) v = mix(v, i);
    p[threadIdx.x] = v;
}
int main() {
    unsigned *p, bad = 0;
    cudaMallocManaged(&p, 64 * sizeof *p);
    for (int t = 0; t < 64; t++) p[t] = t * 77;
    k<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    for (int t = 0; t < 64; t++) {
        unsigned v = t * 77;
        for (int i = 0; i < 400; i++) v = mix(v, i);
        bad += v != p[t];
    }
    printf("%s\n", bad ? "wrong" : "ok");
}
