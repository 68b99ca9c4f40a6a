// Programs give the atomic functions the types that CUDA leaves out: their definitions must not meet others of
// the same type, and a call must choose them.
// RUN: %device %s | FileCheck %s
// RUN: not %device -DMISSING %s 2>&1 | FileCheck --check-prefix=MISSING %s
typedef unsigned long int word;
#define OWN(name, T) \
    __device__ T name(T *p, T v) { return (T)v + *p; }
OWN(atomicAdd, word) OWN(atomicExch, word) OWN(atomicMin, word) OWN(atomicMax, word) OWN(atomicAnd, word) OWN(atomicOr, word)
OWN(atomicXor, word) OWN(atomicSub, word) OWN(atomicAdd, long) OWN(atomicExch, long) OWN(atomicMin, long) OWN(atomicMax, long)
OWN(atomicAdd, long long) OWN(atomicExch, long long) OWN(atomicExch, double) OWN(atomicSub, float) OWN(atomicSub, double)
OWN(atomicSub, long long) OWN(atomicSub, unsigned long long) OWN(atomicMin, float) OWN(atomicMax, double) OWN(atomicAdd, char)

__device__ word atomicCAS(word *p, word old, word v) { return *p + old + v; }
__device__ long long atomicCAS(long long *p, long long old, long long v) { return *p + old + v; }

// CHECK-LABEL: define {{.*}} @_Z6kernelPmPyPx(
// CHECK-NOT: atomicrmw
// CHECK: atomicrmw add ptr %{{.*}}, i64 5 monotonic
// CHECK: atomicrmw max ptr %{{.*}}, i64 6 monotonic
// CHECK-NOT: atomicrmw
// CHECK: ret void
__global__ void kernel(word *w, unsigned long long *u, long long *s) {
    w[1] = atomicAdd(w, (word)1) + atomicCAS(w, (word)1, (word)2);
    atomicAdd(u, 5ull);
    atomicMax(s, 6ll);
    s[1] = atomicAdd(s, 1ll) + atomicExch(s, 2ll);
}

#if defined(MISSING)
// MISSING: error: no matching function for call to 'atomicDec'
// MISSING: error: no matching function for call to 'atomicSub'
__global__ void refused(int *i, short *s) {
    atomicDec(i, 1);
    atomicSub(s, (short)1);
}
#endif
