// Components of short vectors of bytes and shorts that are compared, selected by and counted, between barriers and in loops.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { for way in "--simd=16 --cpu=x86-64-v3" "--simd=8 --cpu=x86-64-v2" "--disable=spread_masks"; do %cucpu -O3 $way %s -o %t && %run %t || exit 1; done; }
#include "check.h"

enum { N = 4096, THREADS = 128 };

template <class V> __host__ __device__ int differing(V a, V b) { return (a.x != b.x) + (a.y != b.y) + (a.z != b.z) + (a.w != b.w); }
template <class V> __host__ __device__ int masked(V a, V b, int k) {
    return (a.x < b.x ? k : 0) + (a.y > b.y ? k * 3 : 1) - (a.z == b.z && a.w <= b.w ? 7 : k);
}

template <class V> __global__ void compare(const V *a, const V *b, int *out, int n) {
    __shared__ int count[THREADS];
    int c = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) c += differing(a[i], b[i]);
    count[threadIdx.x] = c;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = count[threadIdx.x ^ 1] + masked(a[i], b[i], i);
}

template <class V> static void check() {
    V *a, *b;
    int *out;
    CUDA(cudaMallocManaged(&a, N * sizeof *a));
    CUDA(cudaMallocManaged(&b, N * sizeof *b));
    CUDA(cudaMallocManaged(&out, N * sizeof *out));
    for (int i = 0; i < N; i++) {
        a[i].x = rand(), a[i].y = rand() & 1, a[i].z = rand() & 3, a[i].w = rand();
        b[i].x = rand(), b[i].y = rand() & 1, b[i].z = rand() & 3, b[i].w = rand() % 3 ? a[i].w : rand();
    }
    for (int n : {N / 2, N / 2 - 300, 77}) {
        compare<<<N / THREADS, THREADS>>>(a, b, out, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < N; i++) {
            int c = 0;
            for (int j = (i ^ 1) % THREADS; j < n; j += THREADS) c += differing(a[j], b[j]);
            CHECK(out[i] == c + masked(a[i], b[i], i));
        }
    }
    cudaFree(a), cudaFree(b), cudaFree(out);
}

int main() {
    check<char4>();
    check<uchar4>();
    check<short4>();
    check<ushort4>();
    check<int4>();
    return finish();
}
