// printf, assert, malloc, new, memcpy, traps in device code.
// RUN: %device %s | FileCheck %s
#include <cassert>
struct Base {
    __device__ virtual int f() { return 1; }
};
// CHECK-LABEL: define {{.*}} @_Z1kPi(
__global__ void k(int *p) {
    // CHECK: call i32 @vprintf(
    printf("%d %f\n", p[0], 1.0f);
    // CHECK-DAG: call void @__assertfail(
    assert(p[0] > 1);
    // CHECK-DAG: call {{.*}}@malloc(i64 noundef 64)
    int *q = (int *)malloc(64);
    // CHECK-DAG: call void @llvm.memcpy
    memcpy(q, p, 64);
    *(int **)(p + 8) = q;
    // CHECK-DAG: call void @free(
    free(q);
    // CHECK: call {{.*}}@malloc(i64 noundef 8)
    Base *b = new Base;
    *(Base **)(p + 10) = b;
    // CHECK: load volatile i32
    p[2] = *(volatile int *)p;
    // CHECK: @llvm.nvvm.read.ptx.sreg.clock64()
    p[3] = (int)clock64();
    // CHECK: @llvm.trap()
    if (p[4]) __trap();
}
