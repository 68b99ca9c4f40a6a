// Atomics are relaxed atomicrmw and cmpxchg and return the old value.
// RUN: %device %s | FileCheck %s
// CHECK-LABEL: define {{.*}} @_Z1aPiPjPyPfPd(
__global__ void a(int *i, unsigned *u, unsigned long long *l, float *f, double *d) {
    // CHECK: [[OLD:%.*]] = atomicrmw add ptr %{{.*}}, i32 1 monotonic
    // CHECK: store i32 [[OLD]]
    i[1] = atomicAdd(i, 1);
    // CHECK: atomicrmw sub ptr %{{.*}}, i32 %{{.*}} monotonic
    atomicSub(i, i[2]);
    // CHECK: atomicrmw fadd ptr %{{.*}}, float {{.*}} monotonic
    atomicAdd(f, 1.0f);
    // CHECK: atomicrmw fadd ptr %{{.*}}, double {{.*}} monotonic
    atomicAdd_system(d, 1.0);
    // CHECK: atomicrmw max ptr %{{.*}}, i32
    atomicMax(i, 3);
    // CHECK: atomicrmw umin ptr %{{.*}}, i64
    atomicMin(l, 3ull);
    // CHECK: atomicrmw uinc_wrap ptr %{{.*}}, i32 7 monotonic
    atomicInc(u, 7);
    // CHECK: atomicrmw udec_wrap ptr %{{.*}}, i32 7 monotonic
    atomicDec(u, 7);
    // CHECK: atomicrmw xchg ptr %{{.*}}, i32
    f[1] = atomicExch(f, 2.0f);
    // CHECK: cmpxchg ptr %{{.*}}, i64 1, i64 2 monotonic monotonic
    atomicCAS(l, 1ull, 2ull);
    // CHECK: cmpxchg ptr %{{.*}}, i16 1, i16 2 monotonic monotonic
    atomicCAS((unsigned short *)i, (unsigned short)1, (unsigned short)2);
    // CHECK: atomicrmw or ptr
    atomicOr_block(i, 4);
    // CHECK: ret void
}
