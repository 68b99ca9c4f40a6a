// A race on purpose: the last of the block's groups decides what is printed.
#include <cstdio>

__global__ void last(int *out) { *(volatile int *)out = threadIdx.x / 64; }

int main() {
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    for (int i = 0; i < 8; i++) {
        last<<<1, 1024>>>(out);
        cudaDeviceSynchronize();
        printf("%d\n", *out);
    }
}
