// two N [STATUS [leak]]: two kernels, of which the second writes element N of 4.
#include <cstdio>
#include <cstdlib>
__global__ void first(int *p) { p[threadIdx.x] = 1; }
__global__ void second(int *p, int n) { p[n] = 2; }
int main(int argc, char **argv) {
    int *p, *leaked;
    cudaMalloc(&p, 16);
    if (argc > 3) cudaMalloc(&leaked, 4000);
    first<<<1, 4>>>(p);
    first<<<1, 4>>>(p);
    cudaDeviceSynchronize();
    second<<<1, 1>>>(p, atoi(argv[1]));
    cudaDeviceSynchronize();
    cudaFree(p);
    puts("done");
    return argc > 2 ? atoi(argv[2]) : 0;
}
