// Variables that an extended lambda captures under a condition on __CUDA_ARCH__ only: its object would have two layouts.  The same under another
// condition, through an explicit list, a member of that name, or a variable that both halves capture is fine.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: not %cucpu -DBAD=1 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=DEVICE %s
// RUN: not %cucpu -DBAD=2 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=HOST %s
// RUN: not test -e %t.o
#include <cstdio>
struct Pair {
    int b;
};
template <class F> __global__ void run(F f, int *o) { *o = f(); }
int main() {
    int *o, a = 1, b = 2;
    Pair p = {3};
    cudaMallocManaged(&o, 4);
    auto f = [=] __device__() {
#if defined(__CUDA_ARCH__)
        return a + p.b;
#else
        return a - p.b;
#endif
    };
    run<<<1, 1>>>(f, o);
    if (cudaDeviceSynchronize() || *o != 4) return 1;
    auto g = [a, b] __host__ __device__() {
#ifdef __CUDA_ARCH__
        return a + b;
#else
        return a;
#endif
    };
    run<<<1, 1>>>(g, o);
    if (cudaDeviceSynchronize() || *o != 3 || g() != 1) return 2;
    auto h = [=] __device__() {
#ifdef NEVER
        return b;
#else
        return a;
#endif
    };
    run<<<1, 1>>>(h, o);
    if (cudaDeviceSynchronize() || *o != 1) return 3;
#if BAD == 1
    auto bad = [=] __device__() {
#ifdef __CUDA_ARCH__
        // DEVICE: captures.cu:[[#@LINE+1]]:{{[0-9]+}}: error: host and device code would capture different variables: 'b'
        return a + b;
#else
        return a;
#endif
    };
    run<<<1, 1>>>(bad, o);
#elif BAD == 2
    auto bad = [=] __host__ __device__() {
#if __CUDA_ARCH__ >= 500
        return a;
#else
        // HOST: captures.cu:[[#@LINE+1]]:{{[0-9]+}}: error: host and device code would capture different variables: 'b'
        return a + b;
#endif
    };
    run<<<1, 1>>>(bad, o);
#endif
}
