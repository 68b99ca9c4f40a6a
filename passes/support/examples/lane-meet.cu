// options: --simd=32
__global__ void two_places(int *x) {
    int i = threadIdx.x;
    if (i < 16) x[i] = __reduce_add_sync(~0u, i);
    if (i >= 16) x[i] = __reduce_add_sync(~0u, 2 * i);
}
