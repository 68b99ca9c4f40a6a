// A loop polls by __ldcg and __ldcv of vector types: they load in each round, and what comes with the flag is read with it.
// REQUIRES: run
// RUN: for w in 1 8 auto; do %cucpu --simd=$w %s -o %t && env CUCPU_NUM_THREADS=4 %run %t || exit 1; done
#include <cstdio>

__global__ void blocks(int2 *flag, int *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        int2 v;
        do v = __ldcg(flag);
        while (v.y == 0);
        out[0] = v.x;
    } else {
        __stcg(flag, make_int2(5, 1));
    }
}

__global__ void block(int4 *flag, short4 *small, int *out) {
    if (threadIdx.x == 0) {
        flag->w = 9, small->y = 3;
        __threadfence_block();
        *(volatile int *)&flag->x = 1;
        *(volatile short *)&small->w = 1;
    } else if (threadIdx.x == 40) {
        int4 v;
        while ((v = __ldcv(flag)).x == 0) {}
        out[1] = v.w;
    } else if (threadIdx.x == 70) {
        short4 v;
        while ((v = __ldcg(small)).w == 0) {}
        out[2] = v.y;
    }
}

/* No loop: plain loads. */
template <class T> __global__ void copy(T *to, const T *from) {
    int i = threadIdx.x;
    to[i] = i % 2 ? __ldcg(from + i) : __ldcv(from + i);
}
template <class T> bool copies() {
    T *a, *b;
    bool same = true;
    cudaMallocManaged(&a, 100 * sizeof(T)), cudaMallocManaged(&b, 100 * sizeof(T));
    for (size_t i = 0; i < 100 * sizeof(T); i++) ((char *)a)[i] = (char)(i * 7 + 1);
    copy<<<1, 100>>>(b, a);
    cudaDeviceSynchronize();
    for (size_t i = 0; i < 100 * sizeof(T); i++) same &= ((char *)a)[i] == ((char *)b)[i];
    return same;
}

int main() {
    int2 *flag;
    int4 *large;
    short4 *small;
    int *out;
    cudaMallocManaged(&flag, 8), cudaMallocManaged(&large, 16), cudaMallocManaged(&small, 8), cudaMallocManaged(&out, 12);
    *flag = {}, *large = {}, *small = {};
    blocks<<<2, 32>>>(flag, out);
    block<<<1, 96>>>(large, small, out);
    if (cudaDeviceSynchronize()) return puts("launch"), 1;
    if (out[0] != 5 || out[1] != 9 || out[2] != 3) return printf("%d %d %d\n", out[0], out[1], out[2]), 1;
    if (!copies<char2>() || !copies<uchar4>() || !copies<ushort4>() || !copies<float2>() || !copies<float4>() || !copies<double2>())
        return puts("copies"), 1;
}
