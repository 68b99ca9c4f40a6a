// options: --simd=8
__global__ void print(const int *x) {
    printf("%d\n", x[threadIdx.x]);
}
