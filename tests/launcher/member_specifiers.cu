// Functions that have the words for their side in one declaration only: in the class, on the definition, or on the template.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t/sys && sed -n 's/^\/\/H //p' %s > %t/sys/part.cuh
// RUN: %cucpu -std=c++17 -isystem %t/sys %s -o %t/a 2>&1 | FileCheck --allow-empty --check-prefix=WARN %s
// RUN: %run %t/a
// RUN: %cucpu -Werror -std=c++17 -rdc=true -DNONE -isystem %t/sys %s -o %t/b 2>&1 | count 0
// RUN: %run %t/b
// RUN: not %cucpu -std=c++17 -DOTHER -isystem %t/sys -c %s -o %t/c.o 2>&1 | FileCheck --check-prefix=OTHER %s
//H namespace part {
//H struct Held { int v; __device__ int get() const; };
//H inline int Held::get() const { return v; }
//H }
#include <part.cuh>
namespace outer {
struct A {
    int v;
    __device__ int on_device(int) const;
    __device__ int on_device(int);
    __host__ __device__ int both(int x) const noexcept;
    __host__ __device__ A(int);
    __host__ __device__ ~A();
    __host__ __device__ operator int() const;
    __host__ __device__ int operator()(int) const;
    __device__ A &operator+=(int);
    static __device__ int two();
    template <class T> __device__ T generic(T x);
    class In {
        int *p;
      public:
        __host__ __device__ explicit In(int *);
        __device__ int get();
    };
};
int A::on_device(int x) const { return v + x; }
int A::on_device(int x) { return v - x; }
inline int A::both(int x) const noexcept { return v * x; }
A::A(int x) : v(x) {}
A::~A() { v = -1; }
A::operator int() const { return v; }
int A::operator()(int x) const { return x; }
A &A::operator+=(int x) { return v += x, *this; }
int A::two() { return 2; }
template <class T> T A::generic(T x) { return x + v; }
A::In::In(int *q) : p(q) {}
int A::In::get() { return *p; }
template <class T, int N = 2> struct Box {
    T v;
    __host__ __device__ Box(T);
    __device__ T get(T) const;
    __host__ __device__ Box operator*(const Box &) const;
    template <class S> __device__ S as() const;
};
template <class T, int N> Box<T, N>::Box(T x) : v(x) {}
template <class T, int N> T Box<T, N>::get(T x) const { return v + x; }
template <class T, int N> Box<T, N> Box<T, N>::operator*(const Box &o) const { return Box(v * o.v); }
template <class T, int N> template <class S> S Box<T, N>::as() const { return S(v); }
template <class T> __host__ __device__ T both(T x) { return x; }
template long both<long>(long);
template <class T> __global__ void instantiated(T *p) { *p = 5; }
template void instantiated<int>(int *);
} // namespace outer
#ifndef NONE
struct Late { int v; int get(int) const; };
__device__ int Late::get(int x) const { return v + x; }
// WARN-DAG: member_specifiers.cu:[[#@LINE-1]]: warning: declared without and defined with __device__: it is for both sides
// WARN-DAG: member_specifiers.cu:[[#@LINE-3]]: warning: declared without
#else
struct Late { int v; __device__ int get(int x) const { return v + x; } };
#endif
#ifdef OTHER
struct Other { __device__ int get(int); };
int Other::get(long x) { return x; }
// OTHER: member_specifiers.cu:[[#@LINE-1]]:12: error: out-of-line definition of 'get' does not match any declaration in 'Other'

#endif
// WARN-NOT: error
// WARN-NOT: note:
__global__ void k(int *o) {
    using namespace outer;
    const A c(3);
    A a(4);
    a += 1;
    A::In in(&a.v);
    o[0] = c.on_device(1) * 10 + a.on_device(1);
    o[1] = c.both(2) + int(c) + c(4) + A::two() + a.generic(7) + in.get();
    o[2] = (Box<int>(3) * Box<int>(4)).get(5) + Box<float>(2.5f).as<int>() + both(2l);
    o[3] = Late{3}.get(4) + part::Held{5}.get();
}
int main() {
    int *o;
    cudaMallocManaged(&o, 20);
    k<<<1, 1>>>(o);
    outer::instantiated<<<1, 1>>>(o + 4);
    return cudaDeviceSynchronize() || o[0] != 44 || o[1] != 32 || o[2] != 21 || o[3] != 12 || o[4] != 5 || outer::A(3).both(4) != 12 || outer::A(2)(9) != 9;
}
