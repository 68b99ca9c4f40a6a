// A program with a device link and a library with another.
#include <cstdio>
int second();
__global__ void first_kernel(int *p) { *p += 1; }

int main() {
    int *p;
    if (cudaMallocManaged(&p, sizeof *p)) return 1;
    *p = second();
    first_kernel<<<1, 1>>>(p);
    if (cudaDeviceSynchronize()) return 2;
    std::printf("user %d\n", *p);
}
