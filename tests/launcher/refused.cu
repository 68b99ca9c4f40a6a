// What nvcc takes with a warning and clang refuses: functions for both sides that call the host, #pragma unroll before no loop.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t && sed -n 's/^\/\/H //p' %s > %t/part.cuh
// RUN: %cucpu -I%t %s -o %t/a 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: %run %t/a
// RUN: %cucpu -w -rdc=true -I%t %s -o %t/b 2>&1 | count 0
// RUN: %run %t/b
// RUN: %cucpu -DCALLED -I%t %s -o %t/d 2>&1 | FileCheck --check-prefix=CALLED %s
// RUN: %run %t/d && not %run %t/d 1 2>&1 | FileCheck --check-prefix=TRAP %s
// RUN: not %cucpu -Werror -c -I%t %s -o %t/c.o 2>&1 | FileCheck --check-prefix=WERROR %s
// RUN: not %cucpu -DDEVICE -c -I%t %s -o %t/c.o 2>&1 | FileCheck --check-prefix=DEVICE %s
// RUN: not test -e %t/c.o
//H __host__ __device__ int from_header(int x) { std::cerr << ""; return x + host_only(x); }
#include <cstdio>
#include <iostream>
#include <vector>
int host_only(int x) { return x + 1; }
#include "part.cuh"
#define BOTH __host__ __device__

__host__ __device__ int simple(int x) { return x > 0 ? x : host_only(x); }

namespace outer { namespace inner {
struct Shape {
    int v;
    BOTH Shape(int v);
    BOTH void print() const;
    BOTH virtual int twice();
    template <class T> BOTH T plus(T x);
};
BOTH Shape::Shape(int v) : v(v) { std::vector<int> held(3); this->v += held.size(); }
BOTH void Shape::print() const { auto say = [] { std::cerr << ""; }; say(); }
BOTH int Shape::twice() { return 2 * v; }
template <class T> BOTH T Shape::plus(T x) { return x; }
template <> BOTH int Shape::plus<int>(int x) { std::cerr << ""; return v + x; }
extern "C" { BOTH int in_c(int x) { std::cerr << ""; return x; } }
extern "C" BOTH int as_c(int x) { std::cerr << ""; return x; }
[[nodiscard]] BOTH int marked(int x) { std::cerr << ""; return x; }
struct Held { int v; int get() { return v; } };
__device__ int host_member(int x) {
#ifdef DEVICE
    Held held{x}; return held.get();
#endif
    return x;
}
BOTH int by_member(int x) { Held held{x}; return x ? x : held.get(); }
template <class T> T host_only_too(T x) { return -x; } template <class T> struct Hosts { static T get(T x) { return x; } template <int N> struct In { static T get(T x) { return x * N; } }; };
template <class T, int N = 3> BOTH T generic(T x) { return x < N ? outer :: inner::host_only_too<T>(x) : x; }
template <class T> struct Called { BOTH T get(T x) { if (!x) x = ::host_only(x) + Hosts<T>::get(x) + (x > ::host_only(x)) + Hosts<T>::template In<3>::get(x); return x; } };
static BOTH int nested(int x) { if (x) { for (int i = 0; i < 3; i++) { x += host_only(i); } } return x; }
}} // namespace outer::inner

#pragma unroll 4
__global__ void kernel(int *out, int n) {
#pragma unroll
    out[0] = 1;
#pragma unroll
#pragma unroll 4
    for (int i = 0; i < n; i++) out[1] += i;
#pragma unroll -1
    for (int i = 0; i < n; i++) out[2] += i;
    _Pragma("unroll") out[3] = 4;
    if (n) {
#pragma unroll 2
    }
#ifdef DEVICE
    auto call = [] __device__(int x) { return outer::inner::host_member(x); };
    out[5] = call(n);
#endif
#ifdef CALLED
    out[4] = simple(n) + outer::inner::generic(n) + outer::inner::Called<int>().get(n);
#endif
}

struct Padded {
#pragma unroll
    int x;
};

int main(int argc, char **) {
    int *out;
    cudaMallocManaged(&out, 8 * sizeof *out);
    kernel<<<1, 1>>>(out, argc > 1 ? 0 : 5);
    cudaError_t e = cudaDeviceSynchronize();
    outer::inner::Shape s(1);
    s.print();
    int host = simple(-4) == -3 && s.plus(2) == 6 && s.twice() == 8 && outer::inner::in_c(1) == 1 && outer::inner::as_c(2) == 2 &&
               outer::inner::marked(3) == 3 && outer::inner::nested(1) == 7 && from_header(2) == 5;
#ifdef CALLED
    if (!e && out[4] != 15) return 3;
#endif
    bool device = out[0] == 1 && out[1] == 10 && out[2] == 10 && out[3] == 4;
    printf("%s %d %d\n", cudaGetErrorString(e), host, device);
    return e || !host || !device;
}

// WARN-DAG: part.cuh:1:{{[0-9]+}}: warning: reference to __host__ function 'host_only' in __host__ __device__ function: a kernel that gets there ends with an error
// WARN-DAG: refused.cu:21:{{[0-9]+}}: warning: reference to __host__ function 'host_only'
// WARN-DAG: refused.cu:31:{{[0-9]+}}: warning: reference to __host__ function
// WARN-DAG: refused.cu:38:{{[0-9]+}}: warning: reference to __host__ function
// WARN-DAG: refused.cu:53: warning: this #pragma unroll stands before no loop, or has no use: it is ignored
// WARN-DAG: refused.cu:58: warning: this #pragma unroll
// CALLED-DAG: refused.cu:21:{{[0-9]+}}: warning: reference to __host__ function
// TRAP: kernel {{.*}}refused.cu:21: call of a __host__ function, 'host_only(int)'
// WERROR: refused.cu:21:{{[0-9]+}}: error: reference to __host__ function 'host_only'
// DEVICE-NOT: refused.cu:42: warning
// DEVICE: refused.cu:42:{{[0-9]+}}: error: reference to __host__ function 'get' in __device__ function
// DEVICE-NOT: refused.cu:42: warning
