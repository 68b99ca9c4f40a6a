// Kernels whose parameters are references, in all forms: the host's stack is out of their reach.
// REQUIRES: run
// RUN: not %cucpu -std=c++17 -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: not test -e %t.o
struct S { int v; };
template <class T> struct Holder { T v; };
__global__ void plain(int &x) { x = 1; }
// CHECK-DAG: references.cu:[[#@LINE-1]]:28: error: a __global__ function cannot have a parameter of reference type ('int &')
__global__ void moved(S &&x) { x.v = 1; }
// CHECK-DAG: references.cu:[[#@LINE-1]]:27: error: a __global__ function cannot have a parameter of reference type ('S &&')
template <class T> __global__ void generic(const T &x, int *o) { *o = x; }
// CHECK-DAG: references.cu:[[#@LINE-1]]:53: error: a __global__ function cannot have a parameter of reference type ('const int &')
template <class T> __global__ void given(T x) { x = 3; }
// CHECK-DAG: references.cu:[[#@LINE-1]]:44: error: a __global__ function cannot have a parameter of reference type ('int &')
template <class... T> __global__ void pack(int *o, T... x) { *o = (x + ...); }
template <class T> __global__ void never(T &x) { x = 1; }
__global__ void inside(Holder<S *> x, const int *const *p, int (*f)(int &)) { x.v->v = **p; }
void launches(int *o) {
    generic<int><<<1, 1>>>(3, o);
    given<int &><<<1, 1>>>(*o);
    pack<<<1, 1>>>(o, 1, 2);
}
