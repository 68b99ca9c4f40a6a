// Constants rotated by thread ids, of which the code generator knows some in blocks of known size, with and without optimisation.
// REQUIRES: run
// RUN: %cucpu --simd=8 %s -o %t && %run %t
// RUN: %cucpu -G --cpu=x86-64-v3 %s -o %t.g3 && %run %t.g3
// RUN: %cucpu -G --cpu=x86-64-v2 %s -o %t.g2 && %run %t.g2
// RUN: %cucpu -G %s -o %t.g && %run %t.g
#include <cstdio>
#include <cuda_runtime.h>

__global__ void rotate(unsigned *left, unsigned *right, unsigned *both) {
    int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    left[i] = __funnelshift_l(11u, 11u, threadIdx.x);
    right[i] = __funnelshift_r(0x80000003u, 0x80000003u, threadIdx.x);
    both[i] = __funnelshift_l(5u, 9u, threadIdx.x);
}

int main() {
    unsigned *o[3];
    for (auto &p : o) cudaMallocManaged(&p, 4096);
    rotate<<<1, dim3(2, 3, 4)>>>(o[0], o[1], o[2]);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 24; i++) {
        unsigned s = i % 2;
        if (o[0][i] != (s ? 22 : 11) || o[1][i] != (s ? 0xc0000001u : 0x80000003u) || o[2][i] != (s ? 18 : 9))
            return printf("%u: %x %x %x\n", i, o[0][i], o[1][i], o[2][i]), 1;
    }
    printf("ok\n");
}
