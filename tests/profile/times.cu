// CUCPU_PROFILE=FILE: times of kernels, of any program.
// REQUIRES: run
// RUN: %cucpu --simd=8 %s -o %t && rm -f %t.json && env CUCPU_PROFILE=%t.json %run %t | FileCheck --check-prefix=RESULT %s
// RUN: %python -c "import json; json.load(open('%t.json'))" && FileCheck %s < %t.json
// CHECK: {"name": "{{.*}}twice{{.*}}", "title": "twice(int*)", "launches": 3, "blocks": 6, "threads": 192,
// CHECK-SAME: "time_ns": {{[1-9][0-9]*}}, "min_ns": {{[1-9][0-9]*}}, "max_ns": {{[1-9][0-9]*}}, "width": 8,
// CHECK-SAME: "lanes": []}
// CHECK: "places": []}
// A file that cannot be written is one line, and the program is not disturbed:
// RUN: env CUCPU_PROFILE=%t.none/x %run %t > %t.out 2> %t.err && FileCheck --check-prefix=RESULT %s < %t.out
// RUN: FileCheck --check-prefix=NONE %s < %t.err
// NONE: CUCPU_PROFILE={{.*}}/x: cannot write: No such file or directory
#include <cstdio>
__global__ void twice(int *x) { x[blockIdx.x * 32 + threadIdx.x] *= 2; }
int main() {
    int *x;
    cudaMallocManaged(&x, 64 * sizeof *x);
    x[5] = 5;
    for (int i = 0; i < 3; i++) twice<<<2, 32>>>(x);
    cudaDeviceSynchronize();
    printf("%d\n", x[5]); // RESULT: 40
}
