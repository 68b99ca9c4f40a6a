// Functions that each half has for its own side alone, in #ifdef __CUDA_ARCH__: the bodies of the other side call them as well.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t && sed -n 's/^\/\/H //p' %s > %t/part.cuh
// RUN: %cucpu -Werror -I%t %s -o %t/a 2>&1 | count 0
// RUN: %run %t/a
// RUN: %cucpu -rdc=true -I%t %s -o %t/b 2>&1 | count 0
// RUN: %run %t/b
// RUN: not %cucpu -DHOST -c -I%t %s -o %t/c.o 2>&1 | FileCheck --check-prefix=HOST %s
// RUN: not %cucpu -DDEVICE -c -I%t %s -o %t/c.o 2>&1 | FileCheck --check-prefix=DEVICE %s
// RUN: not %cucpu -DMISSING -c -I%t %s -o %t/c.o 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not test -e %t/c.o
//H #ifdef __CUDA_ARCH__
//H template <typename T> static inline __device__ T bump(T &x) { return atomicAdd(&x, 1); }
//H #else
//H template <typename T> static inline T bump(T &x) { return x++; }
//H #endif
#include <cstdio>
#include "part.cuh"
#ifdef __CUDA_ARCH__
#define SIDE __device__
#else
#define SIDE
#endif

#ifdef __CUDA_ARCH__
#define ROTATE(x, n) __funnelshift_r(x, x, n)
#else
#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
#endif

SIDE int one(int x) { return x + 1; }
struct Inner {
    int x;
    SIDE Inner &operator=(const Inner &o) { return x = o.x, *this; }
    SIDE int operator()(int y) const { return x + y; }
};
struct Outer {
    Inner a;
    Outer &operator=(const Outer &) = default;
};
template <typename F> SIDE int apply(F f, int x) { return f(x); }

#define USE(result)                  \
    {                                \
        int (*f)(int) = one;         \
        Outer a, b;                  \
        a.a.x = f(1), b = a;         \
        result += apply(b.a, 3);     \
        result += ROTATE(0x700u, 8); \
    }

namespace outer {
struct Vec {
    int x;
    SIDE explicit Vec(int x) : x(x) {}
    SIDE ~Vec() { x = 0; }
    SIDE Vec &add(int y);
    SIDE Vec operator+(const Vec &o) const { return Vec(x + o.x); }
    SIDE explicit operator int() const { return x; }
    template <typename T> SIDE T *point(T *p) { return p + x; }
    static SIDE int two() { return 2; }
};
SIDE Vec &Vec::add(int y) {
    x += y;
    return *this;
}
template <int N> struct Array {
    int v[N];
    SIDE const int &get(int i) const;
    SIDE void set(int i, int x);
};
template <int N> SIDE const int &Array<N>::get(int i) const { return v[i]; }
template <int N> SIDE void Array<N>::set(int i, int x) { v[i] = x; }
SIDE int *late(int *x);
} // namespace outer
SIDE int outer::Vec::*member() { return &outer::Vec::x; }

using namespace outer;

__host__ __device__ int both(int &x) { return bump(x); }

__device__ void on_device(int *p) {
    Vec a(*p);
    a.add(3);
    Vec b = a + Vec(1);
    Array<4> r;
    r.set(1, int(b));
    *a.point(p - a.x) = r.get(1) + Vec::two() + both(*p) + *late(p) + a.*member();
}

void on_host(int *p) {
    Vec a(*p);
    a.add(3);
    Vec b = a + Vec(1);
    Array<4> r;
    r.set(1, int(b));
    *a.point(p - a.x) = r.get(1) + Vec::two() + both(*p) + *late(p) + a.*member();
}

__global__ void kernel(int *p) {
    bump(*p);
    on_device(p);
    USE(*p)
}
SIDE int *outer::late(int *x) { return x; }

#ifdef HOST
__device__ int device_only(int x) { return x; }
int wrong(int x) { return device_only(x); }
// HOST: [[@LINE-1]]:27: error: no matching function for call to 'device_only'
#endif
#ifdef DEVICE
int host_only(int x) { return x; }
__global__ void wrong(int *x) { *x = host_only(1); }
// DEVICE: [[@LINE-1]]:38: error: no matching function for call to 'host_only'
#endif
#ifdef MISSING
#ifdef __CUDA_ARCH__
__device__ int there(int x) { return x; }
#endif
int wrong(int x) { return there(x); }
// MISSING: [[@LINE-1]]:27: error: use of undeclared identifier 'there'
#endif

int main() {
    int *p, q = 5;
    cudaMallocManaged(&p, sizeof(int));
    *p = 5;
    kernel<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    bump(q);
    on_host(&q);
    USE(q)
    printf("%d %d\n", *p, q);
    return *p != 46 || q != 46;
}
