// options: --simd=8
__global__ void __cluster_dims__(2) both_sides(int *x) {
    if (threadIdx.x & 1) { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
    else { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
    x[threadIdx.x] = 1;
}
