// options: --simd=8
__global__ void wait_for_neighbour(volatile int *flag, int *x) {
    int i = threadIdx.x;
    if (i % 2) flag[i / 2] = 1;
    else while (!flag[i / 2]) ;
    x[i] = i;
}
