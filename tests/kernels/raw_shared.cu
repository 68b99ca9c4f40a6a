// __shared__ variables of classes whose constructors do something: nvcc takes them with a warning, and runs neither constructor nor destructor.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t/inc && sed -n 's/^\/\/H //p' %s > %t/inc/part.cuh
// RUN: %cucpu -std=c++14 -I%t/inc %s -o %t/b 2>&1 | FileCheck --check-prefix=WARN %s
// RUN: %run %t/b
// RUN: %cucpu -w -rdc=true --simd=1 -I%t/inc %s -o %t/c 2>&1 | count 0
// RUN: %run %t/c
// RUN: not %cucpu -Werror -c -I%t/inc %s -o %t/d 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not %cucpu -DINITIALISED -c -I%t/inc %s -o %t/d 2>&1 | FileCheck --check-prefix=INIT %s
// RUN: not %cucpu -DWRONG -c -I%t/inc %s -o %t/d 2>&1 | FileCheck --check-prefix=WRONG %s
//H #define LOCAL_MEM __shared__
//H #define ALIGNED_MEM static __align__(32) LOCAL_MEM
//H template <class T> __device__ T from_header(T v) { LOCAL_MEM Counted<T> held[2], more;
//H   held[1].value = v; more.value = 1; return held[1].value + more.value; }
#include <complex>
#include <cstdio>
#include <utility>
#include <cuda_runtime.h>

__device__ int built;

template <class T> struct Counted {
    T value;
    __host__ __device__ Counted() : value(5) {
#ifdef __CUDA_ARCH__
        atomicAdd(&built, 1);
#endif
    }
    __host__ __device__ ~Counted() {
#ifdef __CUDA_ARCH__
        atomicAdd(&built, 1000);
#endif
    }
};
#include <part.cuh>

struct Base {
    int n = 7;
    __device__ virtual int get() const { return n; }
};

template <class F> __device__ void call(F f) { f(); }

template <class T, int N> __global__ void sums(T *out, const T *in) {
    static __shared__ __align__(16) Counted<T> tile[N > 4 ? N : 4][2]; /* rows
        of pairs */
    __shared__ std::pair<int, T> total;
    ALIGNED_MEM dim3 size, sizes[3];
    __shared__ std::complex<float> turn; // and not a word more
    int i = threadIdx.x;
    tile[i][0].value = in[i], tile[i][1].value = 2 * in[i];
    if (i == 0) total.first = 0, total.second = T(0), sizes[2].x = N, size = sizes[2], turn = std::complex<float>(0, 1);
    __syncthreads();
    if (i == 0)
        for (int k = 0; k < N; k++) total.first++, total.second += tile[k][0].value + tile[k][1].value;
    call([=] { if (i == 1) sizes[1].y = 3; });
    __syncthreads();
    T h = from_header(total.second);
    if (i == N - 1) {
        out[0] = total.second, out[1] = T(total.first), out[2] = T(size.x), out[3] = T(turn.imag() + turn.real()), out[4] = h;
        out[5] = T(sizeof tile / sizeof tile[0]), out[6] = T(sizes[1].y), out[7] = T((size_t)&tile % 16);
    }
}

__global__ void plain(int *out) {
    if (out) {
        __shared__ Base b;
        b.n = 4;
        *out = b.n + (int)sizeof(b) / 16;
    }
#ifdef INITIALISED
    __shared__ Counted<int> made{};
#endif
#ifdef WRONG
    missing();
#endif
}

int main() {
    double *out, *in;
    int *n, made = 0;
    const int N = 100;
    cudaMallocManaged(&out, 64), cudaMallocManaged(&in, N * sizeof *in), cudaMallocManaged(&n, 4);
    for (int i = 0; i < N; i++) in[i] = i;
    sums<double, N><<<1, N>>>(out, in);
    plain<<<1, 1>>>(n);
    cudaMemcpyFromSymbol(&made, built, 4);
    if (cudaDeviceSynchronize()) return puts("launch"), 1;
    const double want[8] = {3 * 4950, N, N, 1, 3 * 4950 + 1, N, 3, 0};
    for (int i = 0; i < 8; i++)
        if (out[i] != want[i]) return printf("%d: %g, not %g\n", i, out[i], want[i]), 1;
    if (*n != 5 || made) return printf("%d %d\n", *n, made), 1;
}
// WARN-DAG: part.cuh:3: warning: __shared__ variables are not initialised: no constructor of 'held', 'more' runs
// WARN-DAG: raw_shared.cu:45: warning: __shared__ variables are not initialised: no constructor of 'tile' runs
// WARN-DAG: raw_shared.cu:48: warning: __shared__ variables are not initialised: no constructor of 'size', 'sizes' runs
// ERROR: raw_shared.cu:45:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
// INIT: raw_shared.cu:72:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
// WRONG: raw_shared.cu:75:5: error: use of undeclared identifier 'missing'
