// printf in kernels: all formats; the order between threads is free, that of one thread is not.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t && %run %t | sort > %t.1
// RUN: %cucpu %s -o %t && %run %t | sort > %t.2
// RUN: %cucpu --simd=32 %s -o %t && %run %t | sort > %t.3
// RUN: FileCheck %s < %t.1 && cmp %t.1 %t.2 && cmp %t.1 %t.3
// RUN: grep -c thread %t.1 | FileCheck --check-prefix=COUNT %s
// COUNT: {{^}}40{{$}}
// CHECK: 100%
// CHECK: formats -5 4294967291 ff 0x1p+0 1.500000 2.5e+10 c text 18446744073709551615 -1 |  7|7  |007|
// CHECK: invalid nan nan NAN
// CHECK: pad {{ *}}8 9
// CHECK: thread 0 of block 0: 0.00
// CHECK: thread 19 of block 1: 9.50
#include <cstdio>

__global__ void report(float zero) {
    int t = int(threadIdx.x);
    if (t < 20) printf("thread %d of block %d: %.2f\n", t, blockIdx.x, t * 0.5);
    if (t == 31 && blockIdx.x == 0) {
        printf("formats %d %u %x %a %f %g %c %s %llu %ld |%3d|%-3d|%03d|\n", -5, -5, 255, 1.0, 1.5f, 2.5e10, 'c', "text", ~0ull, -1L, 7, 7, 7);
        printf("100%%\n");
        printf("invalid %f %g %E\n", zero / zero, sqrtf(zero - 1), double(zero) / zero); /* as on a GPU, without a sign */
        printf("pad %600d %d\n", 8, 9);
    }
}

int main() {
    report<<<2, 50>>>(0);
    return cudaDeviceSynchronize();
}
