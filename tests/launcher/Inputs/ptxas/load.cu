#include <cstdio>
#include <cuda.h>

int main(int, char **argv) {
    CUmodule m;
    CUfunction f;
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    void *args[] = {&p};
    int error = cuModuleLoad(&m, argv[1]);
    if (!error) error = cuModuleGetFunction(&f, m, "set");
    if (!error) error = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    cudaDeviceSynchronize();
    printf("%d: %d\n", error, *p);
    return error != 0;
}
