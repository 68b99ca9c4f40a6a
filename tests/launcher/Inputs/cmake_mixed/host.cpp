#include <cstdio>
#include <cuda_runtime.h>
int main() {
    int n = 0;
    cudaGetDeviceCount(&n);
    printf("devices %d\n", n);
}
